"""Every error a user can meet, as one small tree.

    RecodehError
    ├── InputError        the call itself was wrong                           exit code 2
    ├── SourceError       a paper's repository cannot be had or unpacked      exit code 2
    ├── TagError          snippet tags are faulty                             exit code 2
    ├── MaskError         a region cannot be cut or filled                    exit code 2
    ├── RecipeError       a recipe is faulty                                  exit code 2
    ├── DatasetError      a dataset folder is missing, torn or tampered with  exit code 2
    ├── LogError          an event log cannot be read or belongs elsewhere    exit code 2
    ├── EnvironmentFault  an environment cannot be built here                 exit code 1
    ├── RoomError         a room or its wall failed: no verdict               exit code 1
    ├── ModelError        a model cannot be reached or answers nonsense       exit code 1
    └── ReplayError       a recorded run does not replay to the same rows     exit code 1

Exit code 2 means that the call was wrong, 1 that the work found a fault. Each message says what
happened, where, and the mend.
"""

from typing import ClassVar


class RecodehError(Exception):
    """Root of the tree: `what` happened, `where`, and the `mend`."""

    exit_code: ClassVar[int] = 2

    def __init__(self, what: str, *, where: object = None, mend: str = "") -> None:
        self.what = what
        self.where = None if where is None else str(where)
        self.mend = mend
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.what}" + (f" ({self.mend})" if self.mend else "")


class InputError(RecodehError):
    """The call was wrong: an unknown name, a missing path, a value out of range."""


class SourceError(RecodehError):
    """A paper's repository cannot be found, fetched, checked or unpacked."""


class TagError(RecodehError):
    """Snippet tags in a file are faulty."""


class MaskError(RecodehError):
    """A region cannot be cut out of its file, or a submission cannot be filled in."""


class RecipeError(RecodehError):
    """A recipe does not parse, or names something its source does not have."""


class DatasetError(RecodehError):
    """A dataset folder is missing, half written, of another schema, or tampered with."""


class LogError(RecodehError):
    """An event log cannot be read, or belongs to another run."""


class EnvironmentFault(RecodehError):
    """An environment cannot be resolved or installed on this machine."""

    exit_code = 1


class RoomError(RecodehError):
    """A room or its wall failed, so there is no verdict; never a submission's fault."""

    exit_code = 1


class ModelError(RecodehError):
    """A model cannot be reached, refuses the call, or answers outside its protocol."""

    exit_code = 1


class ReplayError(RecodehError):
    """A recorded run asked for something that its log does not hold, or gave other rows."""

    exit_code = 1

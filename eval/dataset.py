"""What the evaluator asks of a dataset; `recodeh.data.store` opens one from a folder."""

from collections.abc import Mapping
from typing import Protocol

from recodeh.data.records import Reference, Task


class Dataset(Protocol):
    """Tasks, their answers and their sources' files."""

    @property
    def name(self) -> str:
        """For people; identity is the digest."""

    @property
    def version(self) -> str:
        """Version of the release."""

    @property
    def digest(self) -> str:
        """The sha256 over all rows."""

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The tasks by id, in the order of the release."""

    def reference(self, task: Task) -> Reference:
        """The true code of a task; only graders and researchers may ask."""

    def files(self, task: Task) -> Mapping[str, bytes]:
        """The original files of a task's source by path; the target file holds the answer."""

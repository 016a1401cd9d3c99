"""Proofs that were found before, kept by content: the task's key, the interpreter and the wall."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from recodeh.builders.gates import Proof
from recodeh.data.keys import content_key
from recodeh.data.records import Task, Verification


@dataclass(frozen=True)
class Proofs:
    """A folder of proofs; `None` as folder keeps nothing."""

    folder: Path | None

    def get_or(self, task: Task, python: Path, wall: str, prove: Callable[[], Proof]) -> Proof:
        """The kept proof of this very task on this interpreter and wall, else a new one.

        Only proofs that passed are kept: a fault is looked at again.
        """
        if self.folder is None:
            return prove()
        key = content_key([task.task_key, str(python), wall, task.built_with])
        path = self.folder / f"{key}.json"
        kept = _read(path)
        if kept is not None:
            return Proof(kept)
        proof = prove()
        if proof.passed:
            _write(path, proof.verification)
        return proof


def _read(path: Path) -> Verification | None:
    try:
        return Verification.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None  # not there, or torn by a crash: prove it again


def _write(path: Path, verification: Verification) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".new")
    draft.write_text(verification.model_dump_json())
    draft.replace(path)

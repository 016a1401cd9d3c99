"""Run the gates of a finished dataset again, on this machine."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from recodeh.builders.gates import verify
from recodeh.data.errors import RecodehError
from recodeh.data.records import Task, Verification
from recodeh.data.store import Dataset
from recodeh.eval.environment import interpreter
from recodeh.eval.walls.wall import Wall


@dataclass(frozen=True)
class Check:
    """What the gates found for one task of a dataset; `fault` is empty when all is well."""

    task_id: str
    verification: Verification | None
    fault: str


def verify_dataset(dataset: Dataset, *, wall: Wall) -> Iterator[Check]:
    """Yield a check per task, in the order of the dataset."""

    def check(task: Task) -> Check:
        try:
            python = interpreter(task.environment)
            code = dataset.reference(task).code
            proof = verify(task, code, dataset.files(task), python=python, wall=wall)
        except RecodehError as error:
            return Check(task.task_id, None, str(error))
        return Check(task.task_id, proof.verification, proof.fault)

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        yield from pool.map(check, dataset.tasks.values())

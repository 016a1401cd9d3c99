"""Whether feedback helps `builtin/mutant` as it should, on a dataset folder and in real rooms.

Run it as a script with the folder. It plays ten turns at all levels twice, prints Recall@1..10 per
level, and fails where a level does worse than the one below it, where L4 is not clearly above L0,
or where the two runs differ.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from recodeh.data.store import open_dataset
from recodeh.eval.campaign import run
from recodeh.eval.metrics import score
from recodeh.eval.parts import parts_of
from recodeh.eval.results import read_results
from recodeh.eval.settings import Settings

TURNS = 10
CLEARLY = 0.5
"""Share of the tasks that the code itself must solve beyond the counts alone."""


def recalls(folder: Path, out: Path, jobs: int) -> tuple[list[tuple[float, ...]], bytes]:
    """Recall@1..10 by level, and the bytes of the result rows."""
    dataset = open_dataset(folder)
    settings = Settings(models=("builtin/mutant",), turns=TURNS)
    run(dataset, settings, out, parts_of(settings, dataset, jobs=jobs), jobs=jobs)
    rows = list(read_results(out / "results.jsonl"))
    scores = score(rows, tasks=dataset.tasks.values(), turns=TURNS)
    return [one.recall for one in scores], (out / "results.jsonl").read_bytes()


def faults(levels: Sequence[Sequence[float]]) -> list[str]:
    """What is not as it should be."""
    falls = [
        f"L{level} falls below L{level - 1} at turn {turn + 1}"
        for level in range(1, len(levels))
        for turn in range(TURNS)
        if levels[level][turn] < levels[level - 1][turn]
    ]
    rise = levels[-1][-1] - levels[0][-1]
    return falls if rise >= CLEARLY else [*falls, f"L4 is only {rise:.2f} above L0"]


def main() -> int:
    """Print the numbers; the number of faults is the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        levels, first = recalls(given.dataset, Path(folder, "first"), given.jobs)
        _, second = recalls(given.dataset, Path(folder, "second"), 1)
    found = faults(levels) + ([] if first == second else ["two runs differ"])
    shown = {f"L{level}": [round(one, 3) for one in row] for level, row in enumerate(levels)}
    sys.stdout.write(json.dumps({"recall": shown, "faults": found}) + "\n")
    return len(found)


if __name__ == "__main__":
    sys.exit(main())

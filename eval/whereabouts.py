"""What the commands find from a run's folder: its results, its scores and its dataset."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from recodeh.data.console import Console
from recodeh.data.errors import InputError
from recodeh.data.records import Result
from recodeh.eval.metrics import score
from recodeh.eval.results import read_results
from recodeh.eval.score_table import table
from recodeh.eval.settings import read_run


def results_of(run: Path) -> Iterator[Result]:
    """The result rows of a run.

    Raises InputError when the folder is no run, or has no results yet.
    """
    read_run(run)
    path = run / "results.jsonl"
    if not path.is_file():
        raise InputError("the run has no results yet", where=path, mend="finish it: `recodeh run`")
    return read_results(path)


def show_scores(
    console: Console, runs: Sequence[Path], by: Literal["", "paper", "domain"] = ""
) -> list[dict[str, Any]]:
    """Print the table of scores of runs, and return its rows."""
    turns = max(int(read_run(run)["settings"]["turns"]) for run in runs)
    scores = score([row for run in runs for row in results_of(run)], part=by, turns=turns)
    console.show(table(scores))
    return [one.row() for one in scores]


def dataset_of(run: Path) -> Path:
    """The folder of the run's dataset, by its name: beside the run, or in the current folder.

    Raises InputError when it is in neither place.
    """
    name = str(read_run(run)["dataset"]["name"])
    for folder in (run.absolute().parent / name, Path(name)):
        if (folder / "README.md").is_file():
            return folder
    raise InputError(
        f"its dataset {name!r} is neither beside the run nor here", where=run, mend="give --dataset"
    )

"""What the commands find from a run's folder: its results, its scores and its dataset."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from recodeh.data.console import Console
from recodeh.data.errors import InputError
from recodeh.data.records import Result
from recodeh.eval.metrics import score
from recodeh.eval.plain_table import plain_table
from recodeh.eval.researcher.adoption import adoption_rows, adoptions_of_run
from recodeh.eval.results import read_results
from recodeh.eval.score_table import table, weights_table
from recodeh.eval.settings import read_run, settings_of


def results_of(run: Path) -> Iterator[Result]:
    """The result rows of a run.

    Raises InputError when the folder is no run, or has no results yet.
    """
    settings_of(run)
    path = run / "results.jsonl"
    if not path.is_file():
        raise InputError("the run has no results yet", where=path, mend="finish it: `recodeh run`")
    return read_results(path)


def show_scores(
    console: Console,
    runs: Sequence[Path],
    by: Literal["", "paper", "domain", "language"] = "",
    *,
    weights: bool = False,
) -> list[dict[str, Any]]:
    """Print the table of scores of runs, with `weights` a second one, and return the rows."""
    turns = max(settings_of(run).turns for run in runs)
    scores = score([row for run in runs for row in results_of(run)], part=by, turns=turns)
    console.show(table(scores))
    if weights:
        console.show(weights_table(scores))
    return [one.row() for one in scores]


def show_categories(console: Console, runs: Sequence[Path]) -> list[dict[str, Any]]:
    """Print what became of the remarks in runs, by level and category, and return the rows."""
    told = (fate for run in runs for fate in adoptions_of_run(run))
    rows = [asdict(row) for row in adoption_rows(told)]
    console.show(
        plain_table(
            rows,
            "remarks of each category; adopted: the next answer has what was called right; "
            "resolved: the tests that it was about pass",
        )
    )
    return rows


def show_similarity(
    console: Console, runs: Sequence[Path], dataset: Path | None
) -> list[dict[str, Any]]:
    """Print how alike last answers and references are, by model and level, and return the rows."""
    from recodeh.data.store import open_dataset
    from recodeh.eval.likeness import likeness_of_run

    rows = [
        asdict(row)
        for run in runs
        for row in likeness_of_run(run, open_dataset(dataset or dataset_of(run)))
    ]
    console.show(plain_table(rows, "likeness in %, comments aside: mean of token BLEU and syntax"))
    return rows


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

"""Commands that read recorded runs: `replay`, `rescore`, `score`, `compare`; and `doctor`."""

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from recodeh.data.console import Console

app = typer.Typer()

Json = Annotated[bool, typer.Option("--json", help="Print one machine-readable object.")]
Run = Annotated[Path, typer.Argument(metavar="RUN", help="A folder made by `recodeh run`.")]
Runs = Annotated[list[Path], typer.Argument(metavar="RUN…", help="Folders made by `recodeh run`.")]
Data = Annotated[
    Path | None, typer.Option(help="Its dataset; else looked for beside the run and here.")
]


@app.command()
def replay(run: Run, dataset: Data = None, as_json: Json = False) -> None:
    """Play a recorded run again. No model, no network; its rows must be equal byte by byte."""
    from recodeh.data.store import open_dataset
    from recodeh.eval.agents.choose import choose_agent
    from recodeh.eval.parts import researcher_of
    from recodeh.eval.replay import replay as again
    from recodeh.eval.settings import settings_of
    from recodeh.eval.whereabouts import dataset_of

    console = Console(as_json=as_json)
    settings = settings_of(run)
    opened = open_dataset(dataset or dataset_of(run))
    replayed = again(run, opened, choose_agent(settings.agent), researcher_of(settings))
    console.say(
        f"replayed {replayed.episodes} episodes, {replayed.turns} turns, {replayed.calls} calls: "
        f"the rows are those of {run / 'results.jsonl'}, byte for byte"
    )
    console.result(vars(replayed))


@app.command()
def rescore(
    run: Run,
    out: Annotated[Path, typer.Option("-o", "--out", help="The new run's folder.")],
    dataset: Data = None,
    wall: Annotated[
        str, typer.Option(help="What isolates runs: auto, bubblewrap, docker or process.")
    ] = "auto",
    as_json: Json = False,
) -> None:
    """Grade a run's submissions again. No model is asked; the dataset may be a later version."""
    from recodeh.data.store import open_dataset
    from recodeh.eval.agents.choose import choose_agent
    from recodeh.eval.grade import RoomGrader
    from recodeh.eval.rescore import rescore as again
    from recodeh.eval.settings import settings_of
    from recodeh.eval.walls.choose import wall_named
    from recodeh.eval.whereabouts import dataset_of

    console, jobs = Console(as_json=as_json), os.cpu_count() or 1
    settings = settings_of(run)
    opened = open_dataset(dataset or dataset_of(run))
    grader = RoomGrader(opened, wall_named(wall), seed=settings.seed, jobs=jobs)
    with console.progress("submissions") as step:
        agent = choose_agent(settings.agent)
        rescored = again(run, opened, out, agent, grader, jobs=jobs, progress=step)
    console.say(
        f"graded {rescored.submissions} submissions of {rescored.episodes} episodes again: "
        f"{rescored.changed} have another verdict now\nwrote {out}"
    )
    console.result({**vars(rescored), "folder": str(out)})


@app.command()
def score(
    runs: Runs,
    by: Annotated[
        Literal["paper", "domain", "language", "category"] | None,
        typer.Option(help="Also split by this; category: of the remarks, and what became of them."),
    ] = None,
    similarity: Annotated[
        bool, typer.Option("--similarity", help="Also how alike answers and references are.")
    ] = False,
    dataset: Data = None,
    as_json: Json = False,
) -> None:
    """Print the scores of runs. Per model and level, with intervals."""
    from recodeh.eval import whereabouts

    console = Console(as_json=as_json)
    part = by if by and by != "category" else ""
    shown = {"scores": whereabouts.show_scores(console, runs, part, weights=True)}
    if by == "category":
        shown["categories"] = whereabouts.show_categories(console, runs)
    if similarity:
        shown["similarity"] = whereabouts.show_similarity(console, runs, dataset)
    console.result(shown)


@app.command()
def compare(
    first: Run,
    second: Annotated[Path, typer.Argument(metavar="RUN", help="Another one.")],
    as_json: Json = False,
) -> None:
    """Compare two runs task by task. Difference with interval, exact test, smallest effect."""
    from dataclasses import asdict

    from recodeh.eval.comparison import compare_levels
    from recodeh.eval.comparison_table import comparison_table
    from recodeh.eval.whereabouts import results_of

    console = Console(as_json=as_json)
    pairs = compare_levels(list(results_of(first)), list(results_of(second)))
    console.show(comparison_table(pairs))
    console.result({"pairs": [asdict(pair) for pair in pairs]})


@app.command()
def doctor(as_json: Json = False) -> None:
    """Say what this machine has. Walls, interpreters and services are tried, with their mend."""
    from recodeh.eval.doctor import examine

    console = Console(as_json=as_json)
    checks = examine()
    for check in checks:
        console.say(
            f"{check.kind:<12} {'yes' if check.works else 'no':<3}  {check.name:<12} {check.detail}"
        )
        if check.mend and not check.works:
            console.say(f"{'':17} get it by: {check.mend}")
    console.result({"checks": [vars(check) for check in checks]})

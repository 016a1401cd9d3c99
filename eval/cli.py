"""Commands that play and score episodes: `run`, `replay`, `score` and `doctor`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from recodeh.data.console import Console
from recodeh.data.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recodeh.data.records import Result
    from recodeh.eval.settings import Settings

app = typer.Typer()

Json = Annotated[bool, typer.Option("--json", help="Print one machine-readable object.")]
Run = Annotated[Path, typer.Argument(metavar="RUN", help="A folder made by `recodeh run`.")]
Runs = Annotated[list[Path], typer.Argument(metavar="RUN…", help="Folders made by `recodeh run`.")]


@app.command()
def run(
    dataset: Annotated[Path, typer.Argument(help="A dataset folder.")],
    model: Annotated[
        list[str], typer.Option("--model", help="provider/name; give it again for more models.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="The run's folder.")],
    agent: Annotated[
        str, typer.Option(help="Agent by name, file.py:Name or module:Name.")
    ] = "oneshot",
    researcher: Annotated[str, typer.Option(help="Who gives feedback.")] = "deterministic",
    levels: Annotated[str, typer.Option(help="Feedback levels, e.g. 0,2,4.")] = "0,1,2,3,4",
    turns: Annotated[int, typer.Option(help="Turns per episode.")] = 10,
    steps: Annotated[int, typer.Option(help="Model calls per turn.")] = 30,
    seed: Annotated[int, typer.Option(help="Seed of models and tests.")] = 0,
    repeats: Annotated[int, typer.Option(help="Episodes per task, model and level.")] = 1,
    task: Annotated[
        list[str] | None, typer.Option("--task", help="Only tasks like this pattern.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="An OpenAI-compatible server that serves the models.")
    ] = None,
    temperature: Annotated[float | None, typer.Option(help="Of every model call.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Most tokens of a reply.")] = None,
    wall: Annotated[
        str, typer.Option(help="What isolates runs: auto, bubblewrap or process.")
    ] = "auto",
    jobs: Annotated[int, typer.Option(help="Episodes at once; 0 means one per core.")] = 0,
    as_json: Json = False,
) -> None:
    """Play feedback episodes. The same command goes on where it was stopped."""
    import os

    from recodeh.data.store import open_dataset
    from recodeh.eval.campaign import run as play
    from recodeh.eval.parts import parts_of
    from recodeh.eval.settings import Settings

    parameters = {"temperature": temperature, "max_tokens": max_tokens}
    settings = Settings(
        models=tuple(model),
        agent=agent,
        researcher=researcher,
        levels=_levels(levels),
        turns=turns,
        steps=steps,
        seed=seed,
        repeats=repeats,
        tasks=tuple(task or ()),
        base_url=base_url,
        parameters={name: value for name, value in parameters.items() if value is not None},
        wall=wall,
    )
    console = Console(as_json=as_json)
    opened, jobs = open_dataset(dataset), jobs or os.cpu_count() or 1
    parts = parts_of(settings, opened, jobs=jobs)
    with console.progress(
        "episodes", _episodes(settings, len(settings.task_ids(opened.tasks)))
    ) as step:
        summary = play(opened, settings, out, parts, jobs=jobs, progress=step)
    console.say(
        f"{summary.episodes} episodes: {summary.solved} solved, {summary.infra} infra, "
        f"{summary.unfinished} unfinished; {summary.played} played now"
    )
    _show_scores(console, [out])
    console.say(f"wrote {out}: run.json, events.jsonl, results.jsonl")
    console.result({**vars(summary), "folder": str(out)})
    if summary.infra or summary.unfinished:
        raise typer.Exit(1)


@app.command()
def replay(
    run: Run,
    dataset: Annotated[
        Path | None, typer.Option(help="Its dataset; else looked for beside the run and here.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Play a recorded run again. No model, no network; its rows must be equal byte by byte."""
    from recodeh.data.store import open_dataset
    from recodeh.eval.agents.choose import choose_agent
    from recodeh.eval.parts import choose_researcher
    from recodeh.eval.replay import replay as again
    from recodeh.eval.settings import read_run

    console = Console(as_json=as_json)
    recorded = read_run(run)
    opened = open_dataset(dataset or _dataset_of(run, recorded))
    agent = choose_agent(recorded["settings"]["agent"])
    researcher = choose_researcher(recorded["settings"]["researcher"])
    replayed = again(run, opened, agent, researcher)
    console.say(
        f"replayed {replayed.episodes} episodes, {replayed.turns} turns, {replayed.calls} calls: "
        f"the rows are those of {run / 'results.jsonl'}, byte for byte"
    )
    console.result(vars(replayed))


@app.command()
def score(
    runs: Runs,
    by: Annotated[
        Literal["paper", "domain"] | None, typer.Option(help="Also split by paper or domain.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the scores of runs. Per model and level, with intervals."""
    console = Console(as_json=as_json)
    console.result({"scores": _show_scores(console, runs, by or "")})


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(metavar="RUN", help="A folder made by `recodeh run`.")],
    second: Annotated[Path, typer.Argument(metavar="RUN", help="Another one.")],
    as_json: Json = False,
) -> None:
    """Compare two runs task by task. Difference with interval, exact test, smallest effect."""
    from dataclasses import asdict

    from recodeh.eval.comparison import compare_levels
    from recodeh.eval.comparison_table import comparison_table

    console = Console(as_json=as_json)
    pairs = compare_levels(list(_results(first)), list(_results(second)))
    console.show(comparison_table(pairs))
    console.result({"pairs": [asdict(pair) for pair in pairs]})


@app.command()
def doctor(as_json: Json = False) -> None:
    """Say what this machine has. Walls, interpreters and services are tried, with their mend."""
    from recodeh.eval.doctor import examine

    console = Console(as_json=as_json)
    checks = examine()
    for check in checks:
        mend = f"\n{'':26}get it by: {check.mend}" if check.mend and not check.works else ""
        word = "yes" if check.works else "no"
        console.say(f"{check.kind:<12} {word:<3} {check.name:<12} {check.detail}{mend}")
    console.result({"checks": [vars(check) for check in checks]})


def _levels(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise InputError(
            f"not levels: {text!r}", where="--levels", mend="give numbers from 0 to 4, e.g. 0,2,4"
        ) from error


def _episodes(settings: "Settings", tasks: int) -> int:
    return tasks * len(settings.models) * len(settings.levels) * settings.repeats


def _show_scores(
    console: Console, runs: list[Path], by: Literal["", "paper", "domain"] = ""
) -> list[dict[str, Any]]:
    from recodeh.eval.metrics import score as scored
    from recodeh.eval.score_table import table
    from recodeh.eval.settings import read_run

    turns = max(int(read_run(run)["settings"]["turns"]) for run in runs)
    results = [row for run in runs for row in _results(run)]
    scores = scored(results, part=by, turns=turns)
    console.show(table(scores))
    return [one.row() for one in scores]


def _results(run: Path) -> "Iterator[Result]":
    from recodeh.eval.results import read_results
    from recodeh.eval.settings import read_run

    read_run(run)
    return read_results(run / "results.jsonl")


def _dataset_of(run: Path, recorded: dict[str, Any]) -> Path:
    """The run's dataset by its name, beside the run or in this folder."""
    name = str(recorded["dataset"]["name"])
    for folder in (run.absolute().parent / name, Path(name)):
        if (folder / "README.md").is_file():
            return folder
    raise InputError(
        f"its dataset {name!r} is neither beside the run nor here", where=run, mend="give --dataset"
    )

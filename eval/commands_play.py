"""Commands that play episodes: `run`, `fork` and `play`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from recodeh.data.console import Console
from recodeh.data.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recodeh.eval.budget import Budget
    from recodeh.eval.settings import Settings

app = typer.Typer()

Json = Annotated[bool, typer.Option("--json", help="Print one machine-readable object.")]
Data = Annotated[Path, typer.Argument(metavar="DIR", help="A dataset folder.")]
Out = Annotated[Path, typer.Option("-o", "--out", help="The run's folder.")]
Wall = Annotated[
    str, typer.Option("--wall", help="What isolates runs: auto, bubblewrap, docker or process.")
]
Jobs = Annotated[int, typer.Option(help="Episodes at once; 0 means one per core.", min=0)]
Turns = Annotated[int, typer.Option(help="Turns per episode.")]
Seed = Annotated[int, typer.Option(help="Seed of models and tests.")]


@app.command()
def run(
    dataset: Data,
    model: Annotated[
        list[str], typer.Option("--model", help="provider/name; give it again for more models.")
    ],
    out: Out,
    agent: Annotated[
        str, typer.Option(help="Agent by name, file.py:Name, module:Name or command:PROGRAM.")
    ] = "oneshot",
    researcher: Annotated[
        str, typer.Option(help="deterministic, model/PROVIDER/NAME, human or recorded/RUN.")
    ] = "deterministic",
    feedback_from: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Repeat the feedback of a run.")
    ] = None,
    researcher_noise: Annotated[
        float, typer.Option(help="Share of remarks that get lost or speak of another place.")
    ] = 0.0,
    levels: Annotated[str, typer.Option(help="Feedback levels, e.g. 0,2,4.")] = "0,1,2,3,4",
    turns: Turns = 10,
    steps: Annotated[int, typer.Option(help="Model calls per turn.")] = 30,
    log: Annotated[
        Literal["none", "summary", "full"], typer.Option(help="What of the test log models see.")
    ] = "none",
    seed: Seed = 0,
    repeats: Annotated[int, typer.Option(help="Episodes per task, model and level.")] = 1,
    task: Annotated[
        list[str] | None, typer.Option("--task", help="Only tasks like this pattern.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="An OpenAI-compatible server that serves the models.")
    ] = None,
    temperature: Annotated[float | None, typer.Option(help="Of every model call.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Most tokens of a reply.")] = None,
    episode_tokens: Annotated[
        int | None, typer.Option(help="Most tokens of one episode's calls.")
    ] = None,
    episode_usd: Annotated[
        float | None, typer.Option(help="Most that one episode's calls cost.")
    ] = None,
    episode_seconds: Annotated[
        float | None, typer.Option(help="Most time that one episode's calls take.")
    ] = None,
    max_usd: Annotated[float | None, typer.Option(help="Stop before the run costs more.")] = None,
    max_run_tokens: Annotated[
        int | None, typer.Option(help="Stop before the run takes more tokens.")
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(help="Stop after this time; run again to go on.")
    ] = None,
    prices: Annotated[Path | None, typer.Option(help="A price table of your own.")] = None,
    known: Annotated[
        list[Path] | None, typer.Option(help="A run whose answered calls are not asked again.")
    ] = None,
    wall: Wall = "auto",
    jobs: Jobs = 0,
    as_json: Json = False,
) -> None:
    """Play feedback episodes. The same command goes on where it was stopped."""
    from recodeh.eval.allowance import Allowance
    from recodeh.eval.budget import Budget
    from recodeh.eval.settings import Settings

    parameters = {"temperature": temperature, "max_tokens": max_tokens}
    settings = Settings(
        models=tuple(model),
        agent=agent,
        researcher=f"recorded/{feedback_from}" if feedback_from else researcher,
        noise=researcher_noise,
        levels=levels_of(levels),
        turns=turns,
        steps=steps,
        log=log,
        seed=seed,
        repeats=repeats,
        tasks=tuple(task or ()),
        base_url=base_url,
        parameters={name: value for name, value in parameters.items() if value is not None},
        allowance=Allowance(tokens=episode_tokens, usd=episode_usd, seconds=episode_seconds),
        wall=wall,
    )
    budget = Budget(usd=max_usd, tokens=max_run_tokens, seconds=max_seconds)
    console = Console(as_json=as_json)
    _play(console, dataset, settings, out, jobs=jobs, budget=budget, prices=prices, known=known)


@app.command()
def fork(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A folder made by `recodeh run`.")],
    turn: Annotated[int, typer.Option(help="From which turn on the level is another.", min=1)],
    level: Annotated[int, typer.Option(help="The level from that turn on.")],
    out: Out,
    before: Annotated[
        int | None, typer.Option(help="The level that is followed until then.")
    ] = None,
    dataset: Annotated[
        Path | None, typer.Option(help="Its dataset; else looked for beside the run and here.")
    ] = None,
    jobs: Jobs = 0,
    as_json: Json = False,
) -> None:
    """Play on from a turn of a run. The course is the same until then, the level another after."""
    from recodeh.eval.budget import UNBOUNDED
    from recodeh.eval.fork import fork_settings
    from recodeh.eval.whereabouts import dataset_of

    settings = fork_settings(run, turn=turn, level=level, before=before)
    folder = dataset or dataset_of(run)
    console = Console(as_json=as_json)
    _play(console, folder, settings, out, jobs=jobs, budget=UNBOUNDED, known=[run])


@app.command()
def play(
    dataset: Data,
    task: Annotated[str, typer.Argument(metavar="TASK", help="A task's id, or a pattern for one.")],
    out: Out,
    role: Annotated[
        Literal["model", "researcher"], typer.Option("--as", help="Which part you take.")
    ] = "model",
    model: Annotated[
        str, typer.Option(help="Who answers when you are the researcher.")
    ] = "builtin/mutant",
    level: Annotated[int, typer.Option(help="The feedback level.")] = 2,
    turns: Turns = 10,
    wall: Wall = "auto",
) -> None:
    """Take a part in an episode yourself. As the model you answer, as the researcher you advise."""
    from recodeh.eval.budget import UNBOUNDED
    from recodeh.eval.settings import Settings

    settings = Settings(
        models=("human" if role == "model" else model,),
        researcher="human" if role == "researcher" else "deterministic",
        levels=(level,),
        turns=turns,
        tasks=(task,),
        wall=wall,
    )
    _play(Console(), dataset, settings, out, jobs=1, budget=UNBOUNDED)


def levels_of(text: str) -> tuple[int, ...]:
    """The levels that a text like `0,2,4` names.

    Raises InputError.
    """
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise InputError(
            f"not levels: {text!r}", where="--levels", mend="give numbers from 0 to 4, e.g. 0,2,4"
        ) from error


def _play(
    console: Console,
    dataset: Path,
    settings: "Settings",
    out: Path,
    *,
    jobs: int,
    budget: "Budget",
    prices: Path | None = None,
    known: "Sequence[Path] | None" = None,
) -> None:
    from recodeh.data.store import open_dataset
    from recodeh.eval.campaign import run as campaign
    from recodeh.eval.models.prices import load_prices
    from recodeh.eval.parts import parts_of
    from recodeh.eval.plan import plan
    from recodeh.eval.whereabouts import show_scores

    opened, jobs = open_dataset(dataset), jobs or os.cpu_count() or 1
    parts = parts_of(settings, opened, jobs=jobs)
    episodes = len(plan(opened, settings, parts.agent, parts.researcher.name))
    table = load_prices(prices) if prices else None
    talks = "human" in {*settings.models, settings.researcher}
    with console.progress("episodes", episodes, shown=not talks) as step:
        summary = campaign(
            opened,
            settings,
            out,
            parts,
            jobs=jobs,
            progress=step,
            known=known or (),
            budget=budget,
            prices=table,
        )
    console.say(
        f"{summary.episodes} episodes: {summary.solved} solved, {summary.infra} infra, "
        f"{summary.unfinished} unfinished; {summary.played} played now"
    )
    if summary.stopped:
        console.say(f"stopped: {summary.stopped}; the same command with more of it goes on")
    show_scores(console, [out])
    console.say(f"wrote {out}: run.json, events.jsonl, results.jsonl")
    console.result({**vars(summary), "folder": str(out)})
    if summary.infra or summary.unfinished:
        raise typer.Exit(1)

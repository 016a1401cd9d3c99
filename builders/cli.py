"""Commands that make datasets: `build`, `verify` and `demo`."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recodeh.data.console import Console
from recodeh.data.errors import InputError

if TYPE_CHECKING:
    from recodeh.builders.build import Stage

app = typer.Typer()

Json = Annotated[bool, typer.Option("--json", help="Print one machine-readable object.")]
Wall = Annotated[
    str, typer.Option("--wall", help="What isolates runs: auto, bubblewrap, docker or process.")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Prove every task again; use no kept proof.")]


@app.command()
def build(
    recipes: Annotated[
        list[str],
        typer.Argument(help="Recipe folders, folders of recipes, or names of built-in recipes."),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="The dataset folder to write.")],
    release: Annotated[str, typer.Option(help="Version of the dataset.")] = "0.1.0",
    wall: Wall = "auto",
    fresh: Fresh = False,
    as_json: Json = False,
) -> None:
    """Build a dataset from recipes. Only verified tasks are in it."""
    from recodeh.builders.build import Builder
    from recodeh.builders.chosen import chosen_recipes
    from recodeh.builders.dataset import check_target, write, write_trail
    from recodeh.builders.facts import card_of
    from recodeh.eval.walls.choose import wall_named

    console = Console(as_json=as_json)
    check_target(out)
    check_release(release)
    builder = Builder(
        wall=wall_named(wall),
        keep_proofs=not fresh,
        report=lambda stage: print_stage(console, stage),
    )
    built = builder.build(chosen_recipes(recipes), name=out.absolute().name, release=release)
    trail = write_trail(built, out)
    if built.tasks:
        write(built, out, card_of(built))
        console.say(f"wrote {out}: {len(built.tasks)} tasks from {len(built.papers)} papers")
    console.say(f"wrote {trail}: candidates.jsonl and dropped.jsonl")
    console.result(
        {
            "dataset": str(out) if built.tasks else None,
            "tasks": [task.task_id for task in built.tasks],
            "dropped": [drop.row() for drop in built.faults],
        }
    )
    if built.faults:
        raise typer.Exit(1)


@app.command()
def verify(
    dataset: Annotated[Path, typer.Argument(help="A dataset folder.")],
    wall: Wall = "auto",
    as_json: Json = False,
) -> None:
    """Run a dataset's gates again. Every gate of every task, on this machine."""
    from recodeh.builders.verify import verify_dataset
    from recodeh.data.store import open_dataset
    from recodeh.eval.walls.choose import wall_named

    console = Console(as_json=as_json)
    opened = open_dataset(dataset)
    faults: dict[str, str] = {}
    with console.progress("verifying", len(opened.tasks)) as done:
        for check in verify_dataset(opened, wall=wall_named(wall)):
            done()
            if check.fault:
                faults[check.task_id] = check.fault
            gates = check.verification.gates if check.verification else ()
            evidence = "; ".join(f"{gate.name} ({gate.evidence})" for gate in gates)
            word = "FAULT" if check.fault else "ok"
            console.say(f"{word:<5}  {check.task_id}  {check.fault or evidence}")
    good = len(opened.tasks) - len(faults)
    console.say(f"{good} of {len(opened.tasks)} tasks pass every gate")
    console.result({"dataset": str(dataset), "verified": good, "faults": faults})
    if faults:
        raise typer.Exit(1)


@app.command()
def demo(
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder to write.")] = Path(
        "recodeh-demo"
    ),
    turns: Annotated[int, typer.Option(help="Turns per episode.", min=1, max=100)] = 6,
    wall: Wall = "auto",
    as_json: Json = False,
) -> None:
    """Show the whole chain on real papers. It builds, verifies, loads, plays and reports."""
    from recodeh.builders.demo import Demo

    code = Demo(out=out, turns=turns, wall_name=wall, console=Console(as_json=as_json)).run()
    raise typer.Exit(code)


def check_release(release: str) -> None:
    """Refuse what is no version like 1.2.0.

    Raises InputError.
    """
    if not re.fullmatch(r"v?\d+\.\d+\.\d+", release):
        raise InputError(
            f"not a version: {release!r}", where="--release", mend="three numbers, like 0.1.0"
        )


def print_stage(console: Console, stage: "Stage") -> None:
    """One line per stage: what went in, what came out, and every fault with its reason."""
    from recodeh.builders.build import MINE

    console.say(
        f"{stage.name:<18} {stage.went_in:>5} in  {stage.came_out:>5} {stage.what}"
        f"  ({len(stage.drops)} dropped, {stage.seconds:.1f} s)"
    )
    if stage.name != MINE:  # rejected candidates are many; they are rows of dropped.jsonl
        for drop in stage.drops:
            console.say(f"  dropped {drop.item}: {drop.reason}")

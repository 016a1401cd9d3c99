"""Commands of `recodeh.cards`."""

from pathlib import Path
from typing import Annotated

import typer

from recodeh.data.console import Console
from recodeh.data.errors import InputError

app = typer.Typer()


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(help="Folders that `recodeh run` wrote.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The page.")] = Path("report.html"),
    episodes: Annotated[bool, typer.Option(help="Put the episodes into the page.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print one object.")] = False,
) -> None:
    """Write one page about runs: table, curves, outcomes and every episode to read."""
    from recodeh.cards.report import report as page_of

    console = Console(as_json=as_json)
    page = page_of(runs, episodes=episodes)
    _write(out, page)
    size = len(page.encode())
    console.say(f"{out}: {len(runs)} {'run' if len(runs) == 1 else 'runs'}, {size / 1e6:.1f} MB")
    console.result({"page": str(out), "runs": [str(run) for run in runs], "bytes": size})


def _write(out: Path, page: str) -> None:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"cannot write the page: {error.strerror}", where=out, mend="name another file with -o"
        ) from error

"""Commands of `recodeh.curation`: mine a source; write, apply and check snippet tags."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from recodeh.data.console import Console
from recodeh.data.errors import InputError

if TYPE_CHECKING:
    from recodeh.curation.mine import Mined

app = typer.Typer()

_AGAINST = {
    "paper": "the paper",
    "readme": "the README, because no paper was given",
    "docstrings": "the docstrings, because no paper was given and there is no README",
}

Json = Annotated[bool, typer.Option("--json", help="Print one machine-readable object.")]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="File to write.")]


@app.command()
def mine(
    source: Annotated[
        str, typer.Argument(help="Folder, git URL or path@REVISION, or pypi:NAME==VERSION.")
    ],
    paper: Annotated[Path | None, typer.Option(help="The paper's .tex, .md or .txt file.")] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Where the rows go.")] = Path(
        "candidates.jsonl"
    ),
    cache: Annotated[Path | None, typer.Option(help="Folder for what is downloaded.")] = None,
    sha256: Annotated[str | None, typer.Option(help="Digest that the source must have.")] = None,
    embedding: Annotated[
        str | None, typer.Option(help="Compare by this sentence-transformers model, not BM25.")
    ] = None,
    submodules: Annotated[bool, typer.Option(help="Have the submodules of a commit too.")] = False,
    lfs: Annotated[bool, typer.Option(help="Have the files in Git LFS too.")] = False,
    as_json: Json = False,
) -> None:
    """Rank the functions of a repository.

    Candidates are compared with the paper, best first; every other function or file has its
    reason, as a row of dropped.jsonl.
    """
    from recodeh.curation.extras import Wanted
    from recodeh.curation.mine import mine as mined_from

    console = Console(as_json=as_json)
    with console.progress("functions") as step:
        mined = mined_from(
            source, cache=cache or _cache(), paper=paper, sha256=sha256, step=step,
            wanted=Wanted(submodules=submodules, lfs=lfs), embedding=embedding,
        )  # fmt: skip
    dropped = output.with_name("dropped.jsonl")
    _write(output, mined.candidates)
    _write(dropped, (drop.row() for drop in mined.dropped))
    _tell(console, mined)
    console.say(f"wrote {output} and {dropped}")
    console.result(
        {
            "source": mined.snapshot.source.row(),
            "tree": mined.snapshot.tree,
            "files": mined.snapshot.census.files,
            "languages": mined.snapshot.census.languages,
            "read": mined.read,
            "candidates": list(mined.candidates),
            "dropped": len(mined.dropped),
            "output": str(output),
            "dropped_output": str(dropped),
        }
    )


@app.command()
def tag(
    path: Annotated[Path, typer.Argument(help="File of code; it is rewritten unless -o is given.")],
    name: Annotated[str, typer.Option(help="Name of the snippet.")],
    symbol: Annotated[str | None, typer.Option(help="Definition, e.g. Class.method.")] = None,
    select: Annotated[
        str, typer.Option(help="What of the symbol: body, symbol, or statements like 2:4.")
    ] = "body",
    lines: Annotated[str | None, typer.Option(help="Lines like 10:20 instead.")] = None,
    start: Annotated[str | None, typer.Option(help="Pattern of the first line instead.")] = None,
    end: Annotated[str | None, typer.Option(help="Pattern of the last line.")] = None,
    hint: Annotated[str, typer.Option(help="A hint that the tag keeps.")] = "",
    dialect: Annotated[
        Literal["snippet", "paper2code", "ResearchCodeBench"],
        typer.Option(help="Form of the tag."),
    ] = "snippet",
    output: Output = None,
    as_json: Json = False,
) -> None:
    """Put snippet tags round a selection.

    The selection is a body, a definition, statements, lines, or what two patterns hold.
    """
    from recodeh.curation.select import chosen
    from recodeh.curation.tags import parse, splice

    data = _read(path)
    selection = chosen(
        data, symbol=symbol, what=select, lines=lines, start=start, end=end, path=path,
        language=_spoken(path),
    )  # fmt: skip
    tagged = splice(
        data, selection, name, hint=hint, dialect=dialect, path=str(path), language=_spoken(path)
    )
    goal = output or path
    goal.write_bytes(tagged)
    region = [item for item in parse(tagged, language=_spoken(path)).regions if item.name == name][
        -1
    ]
    console = Console(as_json=as_json)
    console.say(f"{name!r}: lines {region.start} to {region.end}, {region.loc} of code")
    console.say(f"wrote {goal}")
    row = {"name": name, "start": region.start, "end": region.end, "loc": region.loc}
    console.result(row | {"output": str(goal)})


@app.command()
def mask(
    path: Annotated[Path, typer.Argument(help="Tagged file.")],
    name: Annotated[str, typer.Argument(help="Name of the snippet to cut out.")],
    style: Annotated[
        Literal["raise", "todo"], typer.Option(help="`raise` keeps the file valid.")
    ] = "raise",
    ordinal: Annotated[int | None, typer.Option(help="Which of several of this name.")] = None,
    siblings: Annotated[bool, typer.Option(help="Cut out the snippets beside it too.")] = False,
    reduce_enclosing: Annotated[
        bool, typer.Option(help="Cut out the rest of the snippet around it too.")
    ] = False,
    output: Output = None,
    as_json: Json = False,
) -> None:
    """Cut one snippet out of a tagged file.

    Without -o the masked file is printed.
    """
    from recodeh.curation import mask as masks
    from recodeh.curation.tags import parse
    from recodeh.data.regions import encoded

    data = _read(path)
    tags = parse(data, path=str(path), language=_spoken(path))
    region = masks.region_of(tags, name, ordinal, str(path))
    others = masks.siblings(tags, region) if siblings else []
    chosen = [(name, region.ordinal), *others]
    if reduce_enclosing:
        from recodeh.curation.enclosing import surrounded

        data, parts = surrounded(data, tags, region, path=str(path), language=_spoken(path))
        chosen += [(part, None) for part in parts]
    masked = masks.mask_all(data, chosen, path=str(path), style=style, language=_spoken(path))
    console = Console(as_json=as_json)
    if output is not None:
        output.write_bytes(encoded(masked.text, masked.holes[0].snippet))
        loc = sum(hole.snippet.loc for hole in masked.holes)
        console.say(f"cut out {loc} lines of code; wrote {output}")
    else:
        console.say(masked.text.removesuffix("\n"))
    holes = [{"code": hole.code, "snippet": hole.snippet.row()} for hole in masked.holes]
    console.result({"text": masked.text, "holes": holes})


@app.command()
def check_tags(
    path: Annotated[Path, typer.Argument(help="File or folder.")], as_json: Json = False
) -> None:
    """List the faults of all snippet tags.

    The exit code is 1 where there are any.
    """
    from recodeh.curation.check import check

    checked = check(path)
    console = Console(as_json=as_json)
    for fault in checked.faults:
        console.say(str(fault))
    loc = sum(region.loc for region in checked.regions)
    console.say(f"{checked.files} files with tags: {len(checked.regions)} snippets, {loc} lines")
    console.say(f"{len(checked.faults)} faults")
    console.result(checked.row())
    if checked.faults:
        raise typer.Exit(1)


def _cache() -> Path:
    import os

    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "recodeh")


def _spoken(path: Path) -> str:
    from recodeh.curation.languages import of_file

    language = of_file(path)
    return language.name if language else "python"


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        what = f"cannot be read: {error.strerror}"
        raise InputError(what, where=path, mend="give a file") from error


def _write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    import json

    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows)
    path.write_text("".join(lines), encoding="utf-8")


def _tell(console: Console, mined: "Mined") -> None:
    import re
    from collections import Counter

    source, licence = mined.snapshot.source, mined.snapshot.licence
    console.say(f"{source.name} {source.version}: licence {licence.spdx or 'unknown'}")
    console.say(f"  {licence.reason}{f' ({licence.file})' if licence.file else ''}")
    counted = mined.snapshot.census
    told = ", ".join(f"{count} {name}" for name, count in counted.languages.items())
    console.say(f"{counted.files} files: {told or 'no code'}")
    console.say(f"{mined.read} functions and faults read")
    told = _AGAINST[mined.candidates[0]["compared_with"]] if mined.candidates else ""
    found = f"{len(mined.candidates)} candidates, compared with {told}"
    console.say(found if mined.candidates else "nothing to mine here")
    for row in mined.candidates[:20]:
        twins = f", {len(row['twins'])} twins" if row["twins"] else ""
        place = f"{row['path']}:{row['start']}"
        console.say(f"  {row['score']:.2f}  {row['symbol']}  {place}  {row['loc']} lines{twins}")
    reasons = (re.sub(r"\d[\d,]*", "N", drop.reason.partition(":")[0]) for drop in mined.dropped)
    for reason, count in Counter(reasons).most_common():
        console.say(f"  {count} left out: {reason}")

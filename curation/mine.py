"""A source to its ranked candidates with their twins: the whole of `recodeh mine`."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recodeh.curation.embedding import sentence_transformer
from recodeh.curation.extras import Wanted
from recodeh.curation.inventory import Row, inventory
from recodeh.curation.paper import read_paper
from recodeh.curation.ranking import rank
from recodeh.curation.source import Snapshot, fetch
from recodeh.curation.twins import twins
from recodeh.data.records import Drop


@dataclass(frozen=True)
class Mined:
    """What a source gave."""

    snapshot: Snapshot
    candidates: tuple[dict[str, Any], ...]
    """One row per candidate, best first, with its twins: the lines of `candidates.jsonl`."""
    dropped: tuple[Drop, ...]
    """One row for everything that is no candidate: the lines of `dropped.jsonl`."""
    read: int
    """How many functions and faults the inventory had."""


def mine(
    spec: str,
    *,
    cache: Path,
    paper: Path | None = None,
    sha256: str | None = None,
    wanted: Wanted | None = None,
    embedding: str | None = None,
    step: Callable[[], None] = lambda: None,
) -> Mined:
    """Fetch a source, take its inventory, rank it against the paper and look for copies.

    `step` is called once per row of the inventory. Raises InputError for a paper that is not
    there and SourceError for a source that cannot be had.
    """
    embed = sentence_transformer(embedding) if embedding else None
    text = read_paper(paper) if paper else ""
    snapshot = fetch(spec, cache=cache, sha256=sha256, wanted=wanted)
    rows: list[Row] = []
    for row in inventory(snapshot.root):
        rows.append(row)
        step()
    found, rejected = rank(rows, text, root=snapshot.root, embed=embed)
    copies = twins([item.function for item in found], snapshot.root)
    candidates = tuple(
        item.row() | {"twins": [twin.row() for twin in copies.get(item.function, ())]}
        for item in found
    )
    return Mined(snapshot, candidates, (*snapshot.dropped, *rejected), len(rows))

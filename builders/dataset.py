"""Built rows → a dataset folder, and beside it the build's own files.

recode-h/          the dataset: loads from the folder above, uploads unchanged
recode-h.build/    candidates.jsonl, dropped.jsonl
"""

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from recodeh.builders.build import Built
from recodeh.data.errors import InputError
from recodeh.data.records import Record
from recodeh.data.store import CONFIGS, rows_digest, write_checksums, write_rows


def rows_of(built: Built) -> dict[str, tuple[Record, ...]]:
    """The rows of a build by config."""
    parts = (built.tasks, built.references, built.files, built.papers)
    return dict(zip(CONFIGS, parts, strict=True))


def digests_of(built: Built) -> dict[str, str]:
    """The content digest of every config of a build."""
    return {config: rows_digest(rows) for config, rows in rows_of(built).items()}


def check_target(folder: Path) -> None:
    """Refuse to write over something that is not a dataset.

    Raises InputError.
    """
    if folder.exists() and not (folder.is_dir() and _replaceable(folder)):
        raise InputError(
            "exists and is not a dataset folder", where=folder, mend="name another with -o"
        )


def write(built: Built, folder: Path, card: str) -> None:
    """Write the dataset folder; an older dataset of that name is replaced at the very end."""
    check_target(folder)
    draft = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    for config, rows in rows_of(built).items():
        write_rows(draft, config, rows)
    (draft / "README.md").write_text(card, encoding="utf-8")
    (draft / "LICENSE").write_text(notices(built), encoding="utf-8")
    write_checksums(draft)
    if folder.exists():
        shutil.rmtree(folder)
    draft.rename(folder)


def write_trail(built: Built, folder: Path) -> Path:
    """Write candidates and drops beside the dataset folder and return where."""
    trail = folder.with_name(f"{folder.name}.build")
    trail.mkdir(parents=True, exist_ok=True)
    _write_lines(trail / "candidates.jsonl", (item.row() for item in built.candidates))
    _write_lines(trail / "dropped.jsonl", (drop.row() for drop in built.drops))
    return trail


def notices(built: Built) -> str:
    """The licences under which the sources' code is handed on, with their notices."""
    head = (
        "The code in this dataset belongs to its authors and stands under its sources' own "
        "licences, which follow.\nInstructions and tests stand under Apache-2.0.\n"
    )
    parts = [
        f"{'=' * 80}\n{row.source.name} {row.source.version} ({row.source.licence})\n"
        f"{row.paper.title}\n{'=' * 80}\n\n{row.licence_text.strip()}\n"
        for row in built.papers
    ]
    return "\n".join([head, *parts])


def _replaceable(folder: Path) -> bool:
    return not any(folder.iterdir()) or (folder / "tasks").is_dir()


def _write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n")

"""A dataset folder ⇄ records: Parquet per config, digests by content, checked when it is opened.

recode-h/
  README.md                the card; its YAML names the configs, their version and digest
  tasks/ references/ files/ papers/    one Parquet file each
  checksums.sha256         of every other file
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import yaml

from recodeh.data.errors import DatasetError
from recodeh.data.keys import bytes_key, content_key
from recodeh.data.records import PaperRow, Record, Reference, SourceFile, Task

CONFIGS: Mapping[str, type[Record]] = {
    "tasks": Task,
    "references": Reference,
    "files": SourceFile,
    "papers": PaperRow,
}
SPLIT = "test"
CHECKSUMS = "checksums.sha256"
R = TypeVar("R", bound=Record)


def parquet_path(config: str) -> str:
    """Where a config's rows lie inside the folder."""
    return f"{config}/{SPLIT}-00000-of-00001.parquet"


def rows_digest(rows: Iterable[Record]) -> str:
    """The sha256 of the rows' content, the same for every writer of Parquet."""
    return content_key([_row_key(row) for row in rows])


def dataset_digest(digests: Mapping[str, str]) -> str:
    """The one digest of a dataset, made from its configs' digests."""
    return content_key(dict(digests))


def write_rows(folder: Path, config: str, rows: Iterable[Record]) -> None:
    """Write one config's Parquet file, the same bytes for the same rows."""
    import pyarrow.parquet as pq

    from recodeh.data.arrow import to_table

    path = folder / parquet_path(config)
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(to_table(CONFIGS[config], rows), path, compression="zstd")


def write_checksums(folder: Path) -> None:
    """Write `checksums.sha256` over every other file of the folder, for `sha256sum -c`."""
    names = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.name != CHECKSUMS
    )
    lines = [f"{bytes_key((folder / name).read_bytes())}  {name}\n" for name in names]
    (folder / CHECKSUMS).write_text("".join(lines))


def open_dataset(folder: Path | str) -> "Dataset":
    """Open a dataset folder and check its tasks, references and papers against their digests.

    Raises DatasetError when it is missing, half written, of another schema or tampered with.
    """
    root = Path(folder)
    card = _card(root)
    if set(card.digests) != set(CONFIGS):
        raise DatasetError(
            "the card does not name the configs of this version",
            where=root,
            mend=f"expected {', '.join(CONFIGS)}; build the folder again",
        )
    dataset = Dataset(root, card.version, card.digests)
    for config in ("tasks", "references", "papers"):
        dataset.rows(config)
    return dataset


@dataclass(frozen=True)
class Dataset:
    """An open dataset folder; the files of its sources are read when first asked for."""

    root: Path
    version: str
    digests: Mapping[str, str]
    _cache: dict[str, tuple[Record, ...]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.root.absolute().name

    @property
    def digest(self) -> str:
        """The digest over all configs: what a result row records."""
        return dataset_digest(self.digests)

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """The tasks by id, in the order of their rows."""
        return {task.task_id: task for task in self.typed("tasks", Task)}

    def reference(self, task: Task) -> Reference:
        """The true code of a task.

        Raises DatasetError when the folder does not hold it.
        """
        for row in self.typed("references", Reference):
            if row.task_key == task.task_key:
                return row
        raise DatasetError("no reference for this task", where=f"{self.root}, {task.task_id}")

    def files(self, task: Task) -> dict[str, bytes]:
        """The original files of a task's source by path; they hold the answer."""
        return self._files_by_source.get(task.source_key, {})

    @cached_property
    def _files_by_source(self) -> dict[str, dict[str, bytes]]:
        sources: dict[str, dict[str, bytes]] = {}
        for row in self.typed("files", SourceFile):
            sources.setdefault(row.source_key, {})[row.path] = row.content
        return sources

    @property
    def papers(self) -> tuple[PaperRow, ...]:
        """The papers with their sources."""
        return self.typed("papers", PaperRow)

    def typed(self, config: str, kind: type[R]) -> tuple[R, ...]:
        """The rows of a config as records of their type."""
        return tuple(row for row in self.rows(config) if isinstance(row, kind))

    def rows(self, config: str) -> tuple[Record, ...]:
        """The rows of a config, checked against its digest once."""
        if config not in self._cache:
            rows = _read(self.root, config)
            if rows_digest(rows) != self.digests[config]:
                raise DatasetError(
                    f"the rows of `{config}` are not those that the card's digest names",
                    where=self.root / parquet_path(config),
                    mend="fetch or build the folder again; do not edit it by hand",
                )
            self._cache[config] = rows
        return self._cache[config]


@dataclass(frozen=True)
class _Card:
    version: str
    digests: Mapping[str, str]


def _read(root: Path, config: str) -> tuple[Record, ...]:
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pydantic import ValidationError

    from recodeh.data.arrow import from_table

    path = root / parquet_path(config)
    if not path.is_file():
        raise DatasetError("a config's file is missing", where=path, mend="build the folder again")
    try:
        return tuple(from_table(CONFIGS[config], pq.ParquetFile(path).read()))
    except (pa.ArrowException, ValidationError, OSError) as error:
        raise DatasetError(
            f"not rows of `{config}`: {str(error).splitlines()[0]}",
            where=path,
            mend="it is torn, or of another version of recodeh; fetch or build it again",
        ) from error


def _card(root: Path) -> _Card:
    path = root / "README.md"
    if not path.is_file():
        raise DatasetError(
            "no dataset here: README.md is missing",
            where=root,
            mend="name a folder made by `recodeh build` or downloaded from a hub",
        )
    text = path.read_text(encoding="utf-8")
    try:
        return _parse_card(yaml.safe_load(text.split("---\n")[1]))
    except (yaml.YAMLError, IndexError, KeyError, TypeError, AttributeError) as error:
        raise DatasetError(
            "the card's YAML names no configs with version and digest",
            where=path,
            mend="build the folder again",
        ) from error


def _parse_card(meta: Any) -> _Card:
    configs = {entry["config_name"]: entry for entry in meta["configs"]}
    digests = {name: str(entry["description"]) for name, entry in configs.items()}
    return _Card(
        version=str(configs["tasks"]["version"]),
        digests={name: digest.removeprefix("sha256:") for name, digest in digests.items()},
    )


def _row_key(row: Record) -> str:
    if isinstance(row, SourceFile):
        return content_key([row.source_key, row.path, bytes_key(row.content)])
    return content_key(row.row())

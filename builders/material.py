"""A recipe with its source on this machine: what a task is made of."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from recodeh.builders.contents import contents
from recodeh.curation.source import Snapshot, fetch
from recodeh.data.keys import bytes_key, content_key
from recodeh.data.recipe import Recipe
from recodeh.data.records import Environment, PaperRow, Source, SourceFile


@dataclass(frozen=True)
class Material:
    """A recipe with its source on this machine."""

    recipe: Recipe
    snapshot: Snapshot
    files: dict[str, bytes]
    source_key: str

    @property
    def source(self) -> Source:
        """The source as it is published: the recipe vouches for licence and date."""
        pinned = self.recipe.source
        return self.snapshot.source.model_copy(
            update={
                "name": self.recipe.name,
                "licence": pinned.licence,
                "first_public": pinned.first_public,
            }
        )

    @property
    def environment(self) -> Environment:
        """The environment that the recipe's tasks run in."""
        wants = self.recipe.environment
        return Environment(
            requirements_lock=self.recipe.lock,
            import_root=self.recipe.import_root,
            **wants.model_dump(exclude={"requirements"}),
        )

    def file_rows(self) -> Iterator[SourceFile]:
        """The rows of the config `files`."""
        for path, content in self.files.items():
            yield SourceFile(source_key=self.source_key, path=path, content=content)

    def paper_row(self) -> PaperRow:
        """The row of the config `papers`, with the licence's own text."""
        name = self.snapshot.licence_file
        text = (self.snapshot.root / name).read_text("utf-8", "replace") if name else ""
        return PaperRow(
            source_key=self.source_key,
            paper=self.recipe.paper,
            source=self.source,
            licence_text=text,
        )


def material(recipe: Recipe, *, cache: Path) -> Material:
    """Fetch and pin a recipe's source and choose the files of its workspace.

    Raises SourceError when the source cannot be had or is not the one that the recipe pins.
    """
    snapshot = fetch(recipe.source.spec, cache=cache, sha256=recipe.source.sha256 or None)
    files = contents(snapshot.root, recipe)
    rows = [[path, bytes_key(data)] for path, data in sorted(files.items())]
    key = content_key([recipe.name, rows])  # two papers may share one source
    return Material(recipe, snapshot, files, key)

"""A recipe: everything needed to rebuild a paper's tasks, and no third-party code.

In goes a folder with `recipe.yaml`, `requirements.lock` and tests; out comes a `Recipe`. A fault
is reported with the line of the YAML file that it stands on.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError

from recodeh.data.errors import RecipeError
from recodeh.data.records import Paper, Record, TestFile

LOCK = "requirements.lock"


class PinnedSource(Record):
    """Where a paper's repository is, pinned."""

    spec: str
    """`pypi:NAME==VERSION`, a git URL with `@commit`, or a folder."""
    sha256: str
    licence: str
    """SPDX id, as the source's own licence file says."""
    first_public: date


class Requirements(Record):
    """What the tasks run in, and their limits per run."""

    python: str = ">=3.11"
    requirements: tuple[str, ...]
    cpu_seconds: int = 30
    wall_seconds: int = 120
    memory_mb: int = 2048


class Passage(Record):
    """Where the paper's text speaks about a snippet."""

    section: str
    pattern: str
    """A regular expression that finds the passage in the source's text files."""


class Anchors(Record):
    """A range of statements inside a symbol, by the lines that begin and end it."""

    start: str = Field(alias="from")
    end: str = Field(alias="to")


class SnippetRecipe(Record):
    """One task: which code is masked, what a model is told, which tests judge it."""

    name: str
    file: str
    symbol: str
    select: Literal["body", "symbol"] | Anchors = "body"
    anchor: str = ""
    """sha256 of the region's bytes, so that a moved or changed target is noticed."""
    hint: str = ""
    summary: str
    returns: str = ""
    arguments: dict[str, str] = Field(default_factory=dict)
    missing_in_paper: tuple[str, ...] = ()
    contradicts_paper: tuple[str, ...] = ()
    excerpts: tuple[Passage, ...] = ()
    tests: tuple[str, ...] = Field(min_length=1)


class Recipe(Record):
    """One paper's tasks, with the files beside its YAML read in."""

    name: str
    domain: str
    demo: bool = False
    """Whether `recodeh demo` builds it."""
    paper: Paper
    source: PinnedSource
    import_root: str = "."
    text: tuple[str, ...] = ()
    """Files of the source that stand for the paper's text."""
    conceal: tuple[str, ...] = ()
    """Files of the source that hold an answer again and that nothing needs."""
    environment: Requirements
    snippets: tuple[SnippetRecipe, ...] = Field(min_length=1)
    lock: str = ""
    """Text of `requirements.lock`."""
    tests: dict[str, str] = Field(default_factory=dict)
    """Text of the test files by their path in the recipe's folder."""

    def test_files(self, snippet: SnippetRecipe) -> tuple[TestFile, ...]:
        """The test files of one snippet, named as they lie in the judge's room."""
        return tuple(
            TestFile(path=Path(path).name, content=self.tests[path]) for path in snippet.tests
        )


def load_recipe(folder: Path) -> Recipe:
    """Read a recipe folder, or the `recipe.yaml` in it.

    Raises RecipeError with file and line for a fault in the YAML, and for a missing file.
    """
    path = folder if folder.suffix in {".yaml", ".yml"} else folder / "recipe.yaml"
    text = _text(path)
    try:
        recipe = Recipe.model_validate(yaml.safe_load(text))
    except yaml.MarkedYAMLError as error:
        raise RecipeError(f"not YAML: {error.problem}", where=_place(path, error)) from error
    except ValidationError as error:
        raise _fault(path, text, error) from error
    return _with_files(recipe, path.parent)


def builtin_recipes() -> Iterator[Path]:
    """Yield the folders of the recipes that ship with the project, by name."""
    root = Path(__file__).parent / "recipes"
    yield from sorted(path.parent for path in root.glob("*/recipe.yaml"))


def _with_files(recipe: Recipe, folder: Path) -> Recipe:
    spec = recipe.source.spec
    if spec.startswith("."):  # a folder named from where the recipe lies
        spec = str((folder / spec).resolve())
    names = sorted({test for snippet in recipe.snippets for test in snippet.tests})
    return recipe.model_copy(
        update={
            "source": recipe.source.model_copy(update={"spec": spec}),
            "lock": _text(folder / LOCK),
            "tests": {name: _text(folder / name) for name in names},
        }
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(
            "cannot be read",
            where=path,
            mend="a recipe is a folder with recipe.yaml, requirements.lock and its tests",
        ) from error


def _fault(path: Path, text: str, error: ValidationError) -> RecipeError:
    first = error.errors()[0]
    names = ".".join(str(part) for part in first["loc"]) or "the recipe"
    line = _line(yaml.compose(text), first["loc"])
    more = f"; {error.error_count() - 1} more" if error.error_count() > 1 else ""
    return RecipeError(f"{names}: {first['msg']}{more}", where=f"{path}, line {line}")


def _line(node: Any, location: Sequence[int | str]) -> int:
    """The line of the deepest part of `location` that the YAML has."""
    for part in location:
        child = _child(node, part)
        if child is None:
            break
        node = child
    return 1 if node is None else node.start_mark.line + 1


def _child(node: Any, part: int | str) -> Any:
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == str(part)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int):
        return node.value[part] if part < len(node.value) else None
    return None


def _place(path: Path, error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark
    return f"{path}, line {mark.line + 1}" if mark else str(path)

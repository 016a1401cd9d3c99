"""From a recipe to drafts: fetch the source, mask its snippets, attach instructions and tests.

A draft becomes a task when it has passed the gates.
"""

import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from recodeh.builders.collect import Collected, collect
from recodeh.builders.contents import modules
from recodeh.builders.copies import check_copies, copies
from recodeh.builders.instruction import instruct
from recodeh.builders.material import Material
from recodeh.curation.mask import Masked, mask_all, region_of, siblings
from recodeh.curation.select import Selection, select, select_between
from recodeh.curation.tags import parse, splice
from recodeh.data.errors import RecipeError, RecodehError
from recodeh.data.keys import bytes_key
from recodeh.data.recipe import Anchors, Recipe, SnippetRecipe
from recodeh.data.records import (
    Drop,
    Instruction,
    Reference,
    Task,
)

CANARY_SPACE = uuid.UUID("6d0c8a52-5c0f-4a27-9a64-6a3a7d7c7f10")


@dataclass(frozen=True)
class Draft:
    """A task that nobody has verified yet, and its true code."""

    task: Task
    reference: Reference


def drafts(source: Material, python: Path, canary: str) -> Iterator[Draft | Drop]:
    """Yield a draft per snippet of the recipe, or the reason why there is none."""
    tests = {
        test.path: test
        for snippet in source.recipe.snippets
        for test in source.recipe.test_files(snippet)
    }
    collected, found = collect(list(tests.values()), python), copies(source)
    for snippet in source.recipe.snippets:
        try:
            check_copies(snippet, found)
            yield draft(source, snippet, collected, canary)
        except RecodehError as error:
            yield Drop(stage="draft", item=task_id(source.recipe, snippet), reason=str(error))


def draft(source: Material, snippet: SnippetRecipe, collected: Collected, canary: str) -> Draft:
    """One snippet as an unverified task.

    Raises RecodehError when the recipe and its source do not fit together.
    """
    masked = _masked(source, snippet)
    tests = source.recipe.test_files(snippet)
    task = Task(
        task_id=task_id(source.recipe, snippet),
        task_key="",
        source_key=source.source_key,
        paper=source.recipe.paper,
        source=source.source,
        domain=source.recipe.domain,
        target_file=snippet.file,
        symbol=snippet.symbol,
        snippet=masked.snippet,
        masked_file=masked.text,
        instruction=_instruction(source, snippet, masked),
        tests=tests,
        test_ids=collected.of(tests),
        environment=source.environment,
        verification=None,
        canary=canary,
        built_with=f"recodeh {version('recodeh')}",
    ).keyed()
    reference = Reference(task_key=task.task_key, task_id=task.task_id, code=masked.code)
    return Draft(task, reference)


def task_id(recipe: Recipe, snippet: SnippetRecipe) -> str:
    """The readable, stable name of a task: `source/symbol#snippet`."""
    return f"{recipe.name}/{snippet.symbol}#{snippet.name.replace(' ', '-')}"


def canary_of(name: str, release: str) -> str:
    """The canary line of a release: the same for every build of it, and nowhere else."""
    return f"recodeh canary {uuid.uuid5(CANARY_SPACE, f'{name} {release}')}"


def _masked(source: Material, snippet: SnippetRecipe) -> Masked:
    data = source.files.get(snippet.file)
    if data is None:
        raise RecipeError(
            f"no file {snippet.file!r} in the workspace",
            where=source.recipe.name,
            mend="paths start at the source's root; tests, docs and concealed files are left out",
        )
    tagged = splice(data, _selection(data, snippet), snippet.name, path=snippet.file)
    for other in source.recipe.snippets:
        if other.file == snippet.file and other.name != snippet.name:
            with suppress(RecodehError):  # its own draft tells what is wrong with it
                tagged = splice(tagged, _selection(tagged, other), other.name, path=other.file)
    masked = _alone(tagged, snippet)
    _check_anchor(snippet, masked.code.encode(masked.snippet.encoding))
    return masked


def _alone(tagged: bytes, snippet: SnippetRecipe) -> Masked:
    """The snippet cut out, and the snippets beside it too: no task shows another one's answer."""
    tags = parse(tagged, path=snippet.file)
    beside = siblings(tags, region_of(tags, snippet.name, None, snippet.file))
    cut = mask_all(tagged, [(snippet.name, None), *beside], path=snippet.file)
    hole = next(hole for hole in cut.holes if hole.snippet.name == snippet.name)
    return Masked(hole.code, hole.snippet, cut.text)


def _selection(data: bytes, snippet: SnippetRecipe) -> Selection:
    chosen = snippet.select
    if isinstance(chosen, Anchors):
        return select_between(data, chosen.start, chosen.end, path=snippet.file)
    return select(data, snippet.symbol, what=chosen, path=snippet.file)


def _check_anchor(snippet: SnippetRecipe, region: bytes) -> None:
    found = bytes_key(region)
    if snippet.anchor != found:
        raise RecipeError(
            f"the region of {snippet.symbol} is not the one that the recipe was written for",
            where=snippet.file,
            mend=f"look at the code; if it is right, set `anchor: {found}`",
        )


def _instruction(source: Material, snippet: SnippetRecipe, masked: Masked) -> Instruction:
    texts = [
        (source.snapshot.root / name).read_text("utf-8", "replace") for name in source.recipe.text
    ]
    return instruct(
        snippet,
        source=source.files[snippet.file].decode(masked.snippet.encoding),
        code=masked.code,
        modules=modules(source.files, source.recipe.import_root),
        texts=texts,
    )

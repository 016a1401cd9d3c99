"""The answer must not be in the room: second copies of a target in the files of its workspace."""

from collections.abc import Iterable, Iterator

from recodeh.builders.material import Material
from recodeh.curation.functions import Function
from recodeh.curation.inventory import inventory
from recodeh.curation.twins import Twin, twins
from recodeh.data.errors import RecipeError
from recodeh.data.recipe import SnippetRecipe


def copies(source: Material) -> dict[str, list[Twin]]:
    """For each symbol of the recipe, as `file:symbol`, the copies that a workspace would hold."""
    wanted = {f"{snippet.file}:{snippet.symbol}" for snippet in source.recipe.snippets}
    rows = inventory(source.snapshot.root)
    targets = [row for row in _functions(rows) if _name(row) in wanted]
    return {
        _name(function): [twin for twin in found if twin.path in source.files]
        for function, found in twins(targets, source.snapshot.root).items()
    }


def check_copies(snippet: SnippetRecipe, found: dict[str, list[Twin]]) -> None:
    """Refuse a snippet whose code stands in its workspace a second time.

    Raises RecipeError.
    """
    for twin in found.get(f"{snippet.file}:{snippet.symbol}", ()):
        raise RecipeError(
            f"{snippet.symbol} stands there again ({twin.likeness:.0%} of it)",
            where=f"{twin.path}, line {twin.start}",
            mend="add the file to `conceal`, or choose another snippet",
        )


def _functions(rows: Iterable[object]) -> Iterator[Function]:
    return (row for row in rows if isinstance(row, Function))


def _name(function: Function) -> str:
    return f"{function.path}:{function.symbol}"

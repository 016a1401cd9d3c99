"""Which recipes a call names: folders, folders of recipes, or names of built-in ones."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from recodeh.data.errors import InputError
from recodeh.data.recipe import Recipe, builtin_recipes, load_recipe


def chosen_recipes(names: Sequence[str]) -> list[Recipe]:
    """The recipes that the names mean, in their order, each once.

    Raises InputError for a name that means none, RecipeError for a faulty recipe.
    """
    folders = dict.fromkeys(folder.resolve() for name in names for folder in _folders(name))
    return [load_recipe(folder) for folder in folders]


def demo_recipes() -> list[Recipe]:
    """The built-in recipes that are quick enough for the demo."""
    recipes = [load_recipe(folder) for folder in builtin_recipes()]
    return [recipe for recipe in recipes if recipe.demo]


def _folders(name: str) -> Iterator[Path]:
    path = Path(name)
    builtin = {folder.name: folder for folder in builtin_recipes()}
    if (path / "recipe.yaml").is_file() or path.name == "recipe.yaml":
        yield path if path.is_dir() else path.parent
    elif path.is_dir() and any(path.glob("*/recipe.yaml")):
        yield from sorted(found.parent for found in path.glob("*/recipe.yaml"))
    elif name in builtin:
        yield builtin[name]
    else:
        raise InputError(
            "no recipe there",
            where=name,
            mend=f"name a folder with recipe.yaml in it, or one of {', '.join(builtin)}",
        )

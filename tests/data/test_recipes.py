"""The recipes that ship with the project are whole, pinned, and judged by tests of their own."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from recodeh.data.recipe import Recipe, builtin_recipes, load_recipe

FOLDERS = tuple(builtin_recipes())
MAY_IMPORT = {"numpy", "scipy", "pytest", *sys.stdlib_module_names}

each_recipe = pytest.mark.parametrize("folder", FOLDERS, ids=[folder.name for folder in FOLDERS])


def imports(code: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." if node.level else (node.module or "").split(".")[0]


def names_of_tests(code: str) -> list[str]:
    body = ast.parse(code).body
    return [
        node.name
        for node in body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]


def test_the_demo_covers_at_least_four_domains() -> None:
    demo = [recipe for recipe in map(load_recipe, FOLDERS) if recipe.demo]
    assert len(demo) >= 4
    assert len({recipe.domain for recipe in demo}) >= 4
    assert sum(len(recipe.snippets) for recipe in demo) >= 10


def test_every_demo_recipe_runs_in_one_environment() -> None:
    demo = [recipe for recipe in map(load_recipe, FOLDERS) if recipe.demo]
    assert len({recipe.lock for recipe in demo}) == 1


def test_every_folder_is_a_recipe() -> None:
    root = FOLDERS[0].parent
    assert sorted(path for path in root.iterdir() if path.is_dir()) == sorted(FOLDERS)


@each_recipe
def test_is_named_after_its_folder_and_pins_its_source(folder: Path) -> None:
    recipe = load_recipe(folder)
    assert recipe.name == folder.name
    assert re.fullmatch(r"pypi:[a-z0-9-]+==[0-9.]+", recipe.source.spec)
    assert re.fullmatch(r"[0-9a-f]{64}", recipe.source.sha256)
    assert recipe.paper.title
    assert recipe.paper.authors


@each_recipe
def test_every_snippet_is_described(folder: Path) -> None:
    recipe = load_recipe(folder)
    assert len(recipe.snippets) >= 2
    names = [snippet.name for snippet in recipe.snippets]
    assert len(set(names)) == len(names)
    for snippet in recipe.snippets:
        assert snippet.hint, snippet.name
        assert snippet.summary, snippet.name
        assert snippet.returns, snippet.name
        assert re.fullmatch(r"[0-9a-f]{64}", snippet.anchor), snippet.name
        for passage in snippet.excerpts:
            re.compile(passage.pattern)


@each_recipe
def test_every_snippet_has_at_least_four_tests_that_use_the_submission(folder: Path) -> None:
    recipe = load_recipe(folder)
    for snippet in recipe.snippets:
        found = [name for path in snippet.tests for name in names_of_tests(recipe.tests[path])]
        assert len(found) >= 4, snippet.name
        assert len(set(found)) == len(found)
    for path, code in recipe.tests.items():
        functions = [n for n in ast.parse(code).body if isinstance(n, ast.FunctionDef)]
        for function in functions:
            if function.name.startswith("test_"):
                assert function.args.args[0].arg == "submission", (path, function.name)


@each_recipe
def test_no_test_file_lies_idle(folder: Path) -> None:
    recipe = load_recipe(folder)
    on_disk = {path.relative_to(folder).as_posix() for path in folder.glob("tests/*.py")}
    assert on_disk == set(recipe.tests)


@each_recipe
def test_tests_import_neither_the_package_nor_us(folder: Path) -> None:
    recipe: Recipe = load_recipe(folder)
    for path, code in recipe.tests.items():
        assert set(imports(code)) <= MAY_IMPORT, path


@each_recipe
def test_the_lock_pins_every_requirement_by_hash_and_names_no_address(folder: Path) -> None:
    recipe = load_recipe(folder)
    assert "://" not in recipe.lock
    assert "index" not in recipe.lock
    entries = re.split(r"\n(?=[a-z0-9])", recipe.lock.strip())
    assert all("--hash=sha256:" in entry for entry in entries)
    pinned = {entry.split("==")[0] for entry in entries}
    assert set(recipe.environment.requirements) <= pinned

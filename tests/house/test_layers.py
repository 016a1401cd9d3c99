"""Imports go one way: DESIGN's directions, and nothing heavy where a command starts."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = {
    "data": "recodeh_data",
    "curation": "curation",
    "eval": "eval",
    "cards": "cards",
    "builders": "builders",
}
ALLOWED = {
    "data": {"data"},
    "curation": {"curation", "data"},
    "eval": {"eval", "data"},
    "cards": {"cards", "eval", "data"},
    "builders": {"builders", "curation", "eval", "cards", "data"},
}


def sources(layer: str) -> list[Path]:
    return [
        path
        for path in (ROOT / FOLDERS[layer]).rglob("*.py")
        if "recipes" not in path.relative_to(ROOT).parts
    ]


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            yield f"{node.module}"


@pytest.mark.parametrize("layer", sorted(FOLDERS))
def test_a_layer_imports_only_the_layers_below(layer: str) -> None:
    found = {
        name.split(".")[1]
        for path in sources(layer)
        for name in imported(path)
        if name.startswith("recodeh.")
    }
    assert found <= ALLOWED[layer]


@pytest.mark.parametrize("layer", sorted(FOLDERS))
def test_a_layer_has_sources(layer: str) -> None:
    assert sources(layer)


def test_eval_needs_no_parser_and_no_datasets() -> None:
    barred = {"tree_sitter", "tree_sitter_python", "libcst", "datasets", "pandas"}
    found = {
        (path.name, name.split(".")[0])
        for path in sources("eval")
        for name in imported(path)
        if name.split(".")[0] in barred
    }
    assert not found


HEAVY = {
    *("pyarrow", "datasets", "pandas", "numpy", "libcst", "tree_sitter", "rich", "jinja2"),
    *("httpx", "docker", "pydantic", "yaml", "requests", "pypi_simple"),
}


def test_help_imports_nothing_heavy() -> None:
    program = f"""
import sys, recodeh_cli
code = recodeh_cli.run(["--help"])
heavy = [name for name in {HEAVY!r} if name in sys.modules]
sys.exit(f"imported: {{heavy}}" if heavy or code else 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

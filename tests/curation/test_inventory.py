"""A tree of everything that is found in the wild, to functions and reasons."""

import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from recodeh.curation.functions import Function
from recodeh.curation.inventory import Skipped, inventory


def notebook(*cells: tuple[str, str]) -> str:
    return json.dumps(
        {"cells": [{"cell_type": kind, "source": text.splitlines(keepends=True)}
                   for kind, text in cells], "nbformat": 4}
    )  # fmt: skip


def tree(root: Path) -> Path:
    """Write the tree."""
    files: dict[str, bytes] = {
        "src/pkg/__init__.py": b"",
        "src/pkg/m.py": b"\xef\xbb\xbfdef bom():\r\n\treturn 1",
        "src/pkg/latin.py": b"# -*- coding: latin-1 -*-\ndef caf\xe9():\n    return '\xe9'\n",
        "src/tool.py": b"def tool():\n    return 1\n",
        "lib/deep/x.py": b"def deep():\n\x0c\n    return 1\n",
        "bad/undeclared.py": b"def f():\n    return '\xff\xfe'\n",
        "bad/two.py": b"def old():\n    print 'x'\n    exec 'y'\n\ndef new():\n    return 1\n",
        "bad/binary.py": b"\0\1\2",
        "bad/mixed.py": b"def f():\n        x = 1\n\ty = 2\n        return x\n",
        "bad/large.py": b"x = 1\n" * 200,
        "nb/a.ipynb": notebook(
            ("markdown", "# def not_code(): pass"),
            ("code", "%matplotlib inline\nimport numpy as np\n"),
            ("code", "def in_cell(x):\n    return np.sum(x)\n\n!ls\n"),
            ("code", "%%bash\ndef () {\n"),
        ).encode(),
        "nb/torn.ipynb": b'{"cells": [',
        "nb/empty.ipynb": notebook(("markdown", "only words")).encode(),
        "__pycache__/m.py": b"def cached(): pass\n",
    }
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (root / "loop").symlink_to(root)
    (root / "link.py").symlink_to(root / "src/tool.py")
    return root


def test_everything_is_a_function_or_has_a_reason(tmp_path: Path) -> None:
    rows = list(inventory(tree(tmp_path), max_bytes=1000))
    found = {(row.path, row.symbol): row for row in rows if isinstance(row, Function)}
    reasons = {row.path: row.reason for row in rows if isinstance(row, Skipped)}

    assert set(found) == {
        ("src/pkg/m.py", "bom"), ("src/pkg/latin.py", "caf\xe9"), ("src/tool.py", "tool"),
        ("lib/deep/x.py", "deep"), ("bad/undeclared.py", "f"), ("bad/two.py", "old"),
        ("bad/two.py", "new"), ("bad/mixed.py", "f"), ("nb/a.ipynb", "in_cell"),
    }  # fmt: skip
    modules = {row.path: row.module for row in found.values()}
    assert modules["src/pkg/m.py"] == "pkg.m"
    assert (modules["src/tool.py"], modules["lib/deep/x.py"]) == ("tool", "lib.deep.x")
    assert reasons["bad/large.py"].endswith("a generated file")
    assert reasons["bad/binary.py"].startswith("holds NUL bytes")
    assert reasons["nb/torn.ipynb"] == "not a notebook that can be read"
    assert reasons["nb/empty.ipynb"] == "no code cells"


def test_a_function_of_a_notebook_has_its_cell_and_the_line_in_it(tmp_path: Path) -> None:
    (row,) = [
        row for row in inventory(tree(tmp_path))
        if isinstance(row, Function) and row.path == "nb/a.ipynb"
    ]  # fmt: skip

    assert (row.cell, row.start, row.end) == (3, 1, 2)
    assert row.calls == ("numpy.sum",)


def test_a_broken_file_says_where_and_that_the_rest_was_read(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_bytes(b"def f():\n    return 1\n\ndef g(:\n    return 2\n")
    rows = list(inventory(tmp_path))

    assert next(row.symbol for row in rows if isinstance(row, Function)) == "f"
    (skipped,) = [row for row in rows if isinstance(row, Skipped)]
    assert (skipped.line, skipped.partial) == (4, True)


def test_processes_give_the_same_rows_in_the_same_order(tmp_path: Path) -> None:
    for number in range(70):
        (tmp_path / f"m{number}.py").write_text(f"def f{number}():\n    return {number}\n")
    with ProcessPoolExecutor(2) as pool:
        assert list(inventory(tmp_path, executor=pool)) == list(inventory(tmp_path))

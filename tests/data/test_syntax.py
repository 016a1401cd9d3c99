"""Many threads may parse at once."""

import ast
from concurrent.futures import ThreadPoolExecutor

import pytest

from recodeh.data.syntax import parse_python

SOURCE = "\n".join(
    f"def f{n}(x):\n    return [[x + {n}, (x * 2,)], {{'a': x}}]" for n in range(200)
)


def test_many_threads_get_the_same_tree() -> None:
    with ThreadPoolExecutor(8) as pool:
        trees = list(pool.map(lambda _: ast.dump(parse_python(SOURCE)), range(40)))
    assert set(trees) == {ast.dump(ast.parse(SOURCE))}


def test_a_fault_is_a_syntax_error() -> None:
    with pytest.raises(SyntaxError):
        parse_python("def f(:")

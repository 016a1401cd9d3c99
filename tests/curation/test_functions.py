"""The functions of one file: what is found, and what each row says."""

import ast

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recodeh.curation.functions import Function, functions_in
from recodeh.curation.imports import imported, resolve
from recodeh.curation.mask import mask
from recodeh.curation.tags import tag

SOURCE = b'''\
import numpy as np
from .core import step as advance, (
from scipy import linalg

COUNT = 0


@jit(nopython=True)
# why
@cached
def outer(x: int, y=")",
          *, z: "str" = 'a:b') -> dict[str, int]:  # head
    # first
    """Doc with def fake(): pass"""

    def inner(a):
        return np.linalg.norm(a) + advance(a)[0]

    global COUNT, OTHER
    COUNT = linalg.expm(x)

    # last
    return inner


class Box:
    @property
    def size(self):
        return self.items().count(1)

    @size.setter
    def size(self, value): self._size = value

    async def pull(self):
        yield await self.next()


if True:
    def twice(): pass
else:
    def twice():
        "Only a docstring."

square = lambda v: v * v
'''


def rows(data: bytes) -> dict[str, Function]:
    return {row.address: row for row in functions_in(data, "pkg/m.py", "pkg.m").functions}


def test_every_kind_of_definition_is_found_with_its_qualified_name() -> None:
    data = SOURCE.replace(b"from .core import step as advance, (\n", b"")

    assert [(row.address, row.kind) for row in rows(data).values()] == [
        ("outer", "function"), ("outer.inner", "function"), ("Box.size@1", "property"),
        ("Box.size@2", "method"), ("Box.pull", "method"), ("twice@1", "function"),
        ("twice@2", "function"), ("square", "lambda"),
    ]  # fmt: skip


def test_a_row_says_what_the_function_is() -> None:
    data = SOURCE.replace(b"advance, (", b"advance")
    outer = rows(data)["outer"]

    assert (outer.start, outer.end) == (8, 23)
    assert data[outer.start_byte : outer.end_byte].startswith(b"@jit")
    assert outer.signature == (
        'def outer(x: int, y=")",\n          *, z: "str" = \'a:b\') -> dict[str, int]'
    )
    assert outer.decorators == ("jit(nopython=True)", "cached")
    assert outer.docstring == "Doc with def fake(): pass"
    assert outer.loc == 5
    assert outer.calls == ("numpy.linalg.norm", "pkg.core.step", "scipy.linalg.expm")
    assert outer.changes == ("COUNT", "OTHER")
    assert outer.target == "pkg.m.outer"


def test_coroutines_generators_and_unnamed_values_are_told() -> None:
    found = rows(SOURCE)

    assert (found["Box.pull"].is_async, found["Box.pull"].is_generator) == (True, True)
    assert found["Box.size@1"].calls == ("self.items", ".count")
    assert not found["outer"].is_async


def test_a_faulty_stretch_is_reported_and_the_rest_is_read() -> None:
    data = b"def a():\n    print 'x'\n    return 1\n\ndef b(:\n    pass\n\ndef c():\n    return 2\n"
    found = functions_in(data, "m.py", "m")

    assert {"a", "c"} <= {row.symbol for row in found.functions}
    assert found.error is not None


def test_lines_of_code_are_those_of_the_snippet_that_is_masked() -> None:
    data = SOURCE.replace(b"advance, (", b"advance")
    for address, row in rows(data).items():
        if row.loc > 1:  # a body on the line of its `def` takes the whole definition
            assert mask(tag(data, address, "s"), "s", path="m.py").snippet.loc == row.loc, address


NAMES = st.sampled_from(("f", "g", "h"))


@st.composite
def modules(draw: st.DrawFn, depth: int = 3) -> str:
    """Valid modules of nested, decorated, conditional and repeated definitions."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        head = draw(st.sampled_from(("def {}(x):", "class {}:", "if {}:", "async def {}():")))
        if draw(st.booleans()) and head[:2] != "if":
            lines.append(draw(st.sampled_from(("@d", "@d(\n1)", "@d  # c"))))
        body = draw(modules(depth - 1)) if depth and draw(st.booleans()) else "x = (1,\n2)"
        lines += [head.format(draw(NAMES)), *(f"    {line}" for line in body.split("\n"))]
    return "\n".join(lines)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(modules(), st.sampled_from(("\n", "\r\n", "\r")))
def test_what_ast_finds_is_found_on_the_same_lines(text: str, newline: str) -> None:
    data = text.replace("\n", newline).encode()
    expected = [
        (node.name, min([node.lineno, *(d.lineno for d in node.decorator_list)]), node.end_lineno)
        for node in ast.walk(ast.parse(data))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    found = functions_in(data, "m.py", "m").functions

    assert sorted((row.symbol.split(".")[-1], row.start, row.end) for row in found) == sorted(
        expected
    )


def test_imports_say_what_names_stand_for() -> None:
    names = imported(
        [
            "import numpy as np, os.path",
            "from torch.nn import (functional as F,  # c\n    Module,\n)",
            "from . import core",
            "from ..up import thing as t",
            "from x import *",
            "from y import *",
        ],
        "pkg.sub.m",
    )

    assert names == {
        "np": "numpy", "os": "os", "F": "torch.nn.functional", "Module": "torch.nn.Module",
        "core": "pkg.sub.core", "t": "pkg.up.thing", "*": "x y",
    }  # fmt: skip
    assert resolve("np.linalg.norm", names) == "numpy.linalg.norm"
    assert imported(["from .a import b"], "pkg", package=True) == {"b": "pkg.a.b"}

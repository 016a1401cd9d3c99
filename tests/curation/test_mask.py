"""The law of masks, `fill(mask(f), body) == strip(f)`, over generated and hand-made files."""

import ast
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from recodeh.curation.encoding import decode
from recodeh.curation.mask import mask, mask_all, region_of, siblings
from recodeh.curation.select import What, select_statements
from recodeh.curation.symbols import Definition, definitions
from recodeh.curation.tags import parse as read_tags
from recodeh.curation.tags import splice, strip, tag
from recodeh.data.errors import InputError, MaskError, RecodehError, TagError
from recodeh.data.regions import cut, encoded, fill

WHATS: tuple[What, ...] = ("body", "symbol")
SIMPLE = (
    "x = 1",
    "a = 1; b = 2",
    "a = 1;",
    "x = (1 +\n2)",
    "y = 1 + \\\n  2",
    "y = 1; \\\nz = 2",
    's = """one\n# <snippet name="no">\n  two"""',
    'f = f"""{x}\n  {y!r:>{w}}\n"""',
    "z = 3  # trailing \\",
    "if x: a; b",
    "pass",
    "return_value = [\n# inside\n1,\n]",
    "# a comment of its own",
    "",
    "g = lambda q: q",
    "del a, b",
    "print('#')  # é",
    "\fq = 1",
    "class C: pass",
)
HEADERS = (
    "if x:",
    "for i in y:",
    "while x: # c",
    "try:",
    "with a as b:",
    "class D(\nBase):",
    "async def h():",
)
DEFS = ("def f():", "def f(a, b=')'):", "@deco(1)\ndef f(a,\nb):", "@a\n@b\n# c\nasync def f():")
ONE_LINERS = ("def f(): return 1", "def f(a,\nb): return a; pass", "@d\ndef f(): pass  # tail")
DOCSTRINGS = ('"""Doc."""', "'''Doc\n# not a comment\n'''", 'r"doc"', '"doc"; x = 2', 'f"{no}"', "")


@st.composite
def blocks(draw: st.DrawFn, unit: str, depth: int) -> list[str]:
    """Logical lines of a block, each without the indentation of the block itself."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(("simple", "simple", "header", "def", "one")))
        if kind == "simple" or depth == 0:
            lines.append(draw(st.sampled_from(SIMPLE)))
        elif kind == "one":
            lines.append(draw(st.sampled_from(ONE_LINERS)))
        elif kind == "header":
            header = draw(st.sampled_from(HEADERS))
            lines += [header, *(indented(line, unit) for line in draw(blocks(unit, depth - 1)))]
            lines += ["finally:", unit + "pass"] if header == "try:" else []
        else:
            lines += draw(functions(unit, depth))
    return lines if any(has_code(line) for line in lines) else [*lines, "pass"]


@st.composite
def functions(draw: st.DrawFn, unit: str, depth: int) -> list[str]:
    """The logical lines of one function."""
    doc = [line for line in [draw(st.sampled_from(DOCSTRINGS))] if line]
    body = [*doc, *draw(blocks(unit, depth - 1))]
    return [draw(st.sampled_from(DEFS)), *(indented(line, unit) for line in body)]


def has_code(line: str) -> bool:
    return bool(line.strip()) and not line.strip().startswith("#")


def indented(line: str, unit: str) -> str:
    """A logical line one level deeper; decorators and headers of one line each get it."""
    if line.lstrip().startswith("@"):
        return "\n".join(unit + part for part in line.split("\n"))
    return unit + line if line else line


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A Python file in some encoding, line ending and indentation, whole or without its end."""
    unit = draw(st.sampled_from(("    ", "\t", "  ", " \t")))
    lines = [*draw(blocks(unit, 1)), *draw(functions(unit, 3)), *draw(blocks(unit, 2))]
    text = "\n".join(lines) + draw(st.sampled_from(("", "\n", "\n\n", "\n# end")))
    text = text.replace("\n", draw(st.sampled_from(("\n", "\r\n", "\r"))))
    head, codec = draw(
        st.sampled_from(
            (("", "utf-8"), ("\ufeff", "utf-8"), ("# -*- coding: latin-1 -*-\n", "latin-1"))
        )
    )
    return (head + text).encode(codec)


def compiles(data: bytes) -> bool:
    try:
        ast.parse(data)
    except (SyntaxError, ValueError):
        return False
    return True


def assert_law(original: bytes, tagged: bytes) -> None:
    masked = mask(tagged, "it", path="m.py")
    restored = fill(masked.text, masked.snippet, masked.code)

    assert strip(tagged) == original
    assert encoded(restored, masked.snippet) == original
    text = cut(decode(original), masked.snippet.start, masked.snippet.end)
    assert text.removeprefix("\ufeff") == masked.code
    assert compiles(encoded(masked.text, masked.snippet))
    todo = mask(tagged, "it", path="m.py", style="todo")
    assert fill(todo.text, todo.snippet, todo.code) == restored


def honest(refused: RecodehError) -> None:
    """The only reasons there are to refuse a definition of a valid file."""
    assert "its docstring" in refused.what or "share a line" in refused.what, refused


SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large)
LAW = settings(max_examples=150, deadline=None, suppress_health_check=SLOW)


@LAW
@given(files(), st.data())
def test_every_definition_can_be_cut_out_and_put_back(data: bytes, draws: st.DataObject) -> None:
    found = list(definitions(data))
    assume(compiles(data))
    chosen: Definition = draws.draw(st.sampled_from(found))
    what = draws.draw(st.sampled_from(WHATS))
    try:
        tagged = tag(data, f"{chosen.symbol}@{chosen.ordinal}", "it", select=what)
    except (InputError, TagError) as refused:
        honest(refused)
        return
    assert_law(data, tagged)


@LAW
@given(files(), st.data())
def test_any_run_of_statements_can_be_cut_out_and_put_back(
    data: bytes, draws: st.DataObject
) -> None:
    found = list(definitions(data))
    assume(compiles(data))
    chosen: Definition = draws.draw(st.sampled_from(found))
    first = draws.draw(st.integers(1, 3))
    last = draws.draw(st.integers(first, 4))
    try:
        tagged = splice(
            data, select_statements(data, f"{chosen.symbol}@{chosen.ordinal}", first, last), "it"
        )
    except (InputError, TagError) as refused:
        honest(refused)
        return
    assert_law(data, tagged)


def test_a_body_is_masked_at_its_indentation_and_its_comments_go_with_it() -> None:
    before = (
        b"def area(r):\n"
        b'\t"""Area of a disc."""\n'
        b"\n"
        b"\t# the secret is pi\n"
        b"\tx = r * r\n"
        b"\treturn 3.14 * x\n"
        b"\t# or tau / 2\n"
        b"\n"
        b"y = 1\n"
    )
    masked = mask(tag(before, "area", "disc"), "disc", path="m.py")

    assert masked.text == (
        "def area(r):\n"
        '\t"""Area of a disc."""\n'
        "\n"
        '\t# TODO: implement "disc"\n'
        "\traise NotImplementedError\n"
        "\n"
        "y = 1\n"
    )
    assert masked.snippet.model_dump() == {
        "name": "disc", "start": 4, "end": 7, "mask_start": 4, "mask_end": 5, "indent": "\t",
        "loc": 2, "depth": 1, "parent": None, "language": "python", "encoding": "utf-8",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"def f(): return 1", 'def f(): raise NotImplementedError'),
        (b"@jit\ndef f(a,\nb): return a\n", "@jit\ndef f(a,\nb): raise NotImplementedError\n"),
    ],
)  # fmt: skip
def test_a_one_liner_keeps_its_header(before: bytes, after: str) -> None:
    masked = mask(tag(before, "f", "one"), "one", path="m.py")

    assert masked.text == '# TODO: implement "one"\n' + after
    assert fill(masked.text, masked.snippet, masked.code).encode() == before


def test_a_whole_function_keeps_its_header_so_that_the_module_imports() -> None:
    before = b'class A:\r\n  @property\r\n  def f(self):\r\n      """Doc."""\r\n      return 1\r\n'
    masked = mask(tag(before, "A.f", "it", select="symbol"), "it", path="m.py")

    assert masked.text == (
        'class A:\r\n  # TODO: implement "it"\r\n  @property\r\n  def f(self):\r\n'
        "      raise NotImplementedError\r\n"
    )


NESTED = b"""\
def f():
    # <snippet name="outer">
    a = 1
    # <snippet name="inner">
    b = 2
    # </snippet>
    # </snippet>
    # <snippet name="other">
    return a + b
    # </snippet>
"""


def test_the_other_tags_go_and_their_code_stays() -> None:
    inner = mask(NESTED, "inner", path="m.py")

    assert inner.text == (
        "def f():\n    a = 1\n"
        '    # TODO: implement "inner"\n    raise NotImplementedError\n    return a + b\n'
    )
    assert (inner.snippet.depth, inner.snippet.parent) == (2, "outer")
    assert mask(NESTED, "outer", path="m.py").code == "    a = 1\n    b = 2\n"


def test_several_regions_are_cut_at_once_and_filled_from_the_last() -> None:
    masked = mask_all(NESTED, ["other", "inner"], path="m.py")
    text = masked.text
    for hole in reversed(masked.holes):
        text = fill(text, hole.snippet, hole.code)

    assert [hole.snippet.name for hole in masked.holes] == ["inner", "other"]
    assert text.encode() == strip(NESTED)


def test_the_snippets_beside_it_can_go_too() -> None:
    tags = read_tags(NESTED)
    inner = region_of(tags, "inner", None, "m.py")
    masked = mask_all(NESTED, [("inner", 1), *siblings(tags, inner)], path="m.py")

    assert siblings(tags, inner) == [("other", 1)]
    assert "b = 2" not in masked.text
    assert "return a + b" not in masked.text


def test_a_region_inside_brackets_cannot_be_masked() -> None:
    data = b'x = f(\n    # <snippet name="a">\n    1,\n    # </snippet>\n)\n'

    with pytest.raises(MaskError, match=r"m\.py:2: cutting out 'a' breaks the file"):
        mask(data, "a", path="m.py")
    assert mask(data, "a", path="m.py", style="todo").code == "    1,\n"


def test_a_missing_region_names_those_that_are_there() -> None:
    with pytest.raises(TagError, match=r"no region 'x' \(it has 'outer', 'inner', 'other'\)"):
        mask(NESTED, "x", path="m.py")


def test_python_2_is_masked_too(tmp_path: Path) -> None:
    data = b'def f():\n    print "old"\n    # <snippet name="a">\n    print 1\n    # </snippet>\n'
    masked = mask(data, "a", path="m.py")

    assert fill(masked.text, masked.snippet, masked.code).encode() == strip(data)

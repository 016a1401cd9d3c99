"""The snippet around a region is reduced to the region's place, and fills back."""

from pathlib import Path

import pytest

from recodeh.curation.enclosing import surrounded
from recodeh.curation.mask import mask_all, region_of
from recodeh.curation.tags import parse, strip
from recodeh.data.errors import MaskError
from recodeh.data.regions import fill

SOURCE = b"""\
def f(x):
    # <snippet name="all">
    a = x + 1
    b = a * 2

    # <snippet name="core">
    c = b - a
    # </snippet>
    # the end
    return c
    # </snippet>
"""


def test_what_stands_before_and_after_is_cut_out_and_fills_back() -> None:
    tags = parse(SOURCE)
    data, names = surrounded(
        SOURCE, tags, region_of(tags, "core", None, "f"), path="f", language="python"
    )
    masked = mask_all(data, ["core", *names], path="f")

    assert [line.strip() for line in masked.text.splitlines() if "raise" not in line] == [
        "def f(x):", '# TODO: implement "all: before core"', "", '# TODO: implement "core"',
        '# TODO: implement "all: after core"',
    ]  # fmt: skip
    text = masked.text
    for hole in reversed(masked.holes):
        text = fill(text, hole.snippet, hole.code)
    assert text.encode() == strip(SOURCE)


def test_a_region_deeper_than_the_statements_around_it_is_refused(tmp_path: Path) -> None:
    deep = SOURCE.replace(b"    b = a * 2\n", b"    if a:\n        b = 2\n    else:\n").replace(
        b'    # <snippet name="core">\n    c = b - a\n    # </snippet>',
        b'        # <snippet name="core">\n        c = b - a\n        # </snippet>',
    )
    tags = parse(deep)

    with pytest.raises(MaskError, match="cannot be reduced"):
        surrounded(deep, tags, region_of(tags, "core", None, "f"), path="f", language="python")
    with pytest.raises(MaskError, match="lies in no other snippet"):
        surrounded(deep, tags, region_of(tags, "all", None, "f"), path="f", language="python")

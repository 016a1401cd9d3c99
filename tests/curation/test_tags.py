"""Reading, writing and taking out snippet tags."""

import pytest

from recodeh.curation.select import select_between, select_lines, select_statements
from recodeh.curation.tags import parse, splice, strip, tag
from recodeh.data.errors import InputError, TagError


def faults(data: bytes) -> list[tuple[int, str]]:
    return [(fault.line, fault.kind) for fault in parse(data, path="m.py").faults]


def test_three_dialects_are_read() -> None:
    data = (
        b'# <snippet name="a" hint="see &lt;2&gt; &quot;x&quot;">\nx = 1\n# </snippet>\n'
        b'#<paper2code name="b">  \n\nx = 2\n# c\n# </paper2code name="b">\n'
        b'# <ResearchCodeBench hint="c d">\nx = 3\n# </ResearchCodeBench hint="c d">\n'
    )
    tags = parse(data, path="m.py")

    assert not tags.faults
    assert [(r.name, r.hint, r.dialect, r.loc, r.start, r.end) for r in tags.regions] == [
        ("a", 'see <2> "x"', "snippet", 1, 1, 1),
        ("b", "", "paper2code", 1, 2, 4),
        ("c d", "c d", "ResearchCodeBench", 1, 5, 5),
    ]
    assert strip(data) == b"x = 1\n\nx = 2\n# c\nx = 3\n"


def test_nesting_gives_depth_and_parent() -> None:
    data = (
        b'# <snippet name="a">\n# <snippet name="b">\nx = 1\n# </snippet>\n'
        b'# <snippet name="c">\nx = 2\n# </snippet>\n# </snippet>\n'
    )

    assert [(r.name, r.depth, r.parent, r.loc) for r in parse(data).regions] == [
        ("a", 1, None, 2), ("b", 2, "a", 1), ("c", 2, "a", 1),
    ]  # fmt: skip


def test_what_stands_in_a_string_is_no_tag() -> None:
    data = b'def f():\n    """\n    # <snippet name="a">\n    """\n    s = """\n# </snippet>\n"""\n'

    assert parse(data).lines == ()
    assert strip(data) == data


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b'# <snippet name="a">\nx = 1\n', [(1, "unclosed")]),
        (b"x = 1\n# </snippet>\n", [(2, "unopened")]),
        (b'# <paper2code name="a">\nx = 1\n# </paper2code name="b">\n',
         [(1, "unclosed"), (3, "unopened")]),
        (b'# <paper2code name="a">\n# <paper2code name="b">\nx = 1\n'
         b'# </paper2code name="a">\n# </paper2code name="b">\n', [(4, "crossed")]),
        (b'if x:\n    # <snippet name="a">\n    x = 1\n# </snippet>\n', [(4, "indent")]),
        (b'# <snippet name="a">\n# only talk\n# </snippet>\n', [(1, "empty")]),
        (b'x = 1  # <snippet name="a">\n', [(1, "after code")]),
        (b"# <snippet>\nx = 1\n# </snippet>\n", [(1, "malformed"), (3, "unopened")]),
        (b'# <snippet name="a" colour="red">\nx = 1\n', [(1, "malformed")]),
        (b'# <snippet name="a">\nx = 1\n# </snippet>\n# <snippet name="a">\nx = 2\n# </snippet>\n',
         [(4, "duplicate")]),
        (b"# the tag <snippet> is explained here\nx = 1\n", []),
    ],
)  # fmt: skip
def test_faults_are_collected_with_their_lines(data: bytes, found: list[tuple[int, str]]) -> None:
    assert faults(data) == found


def test_a_fault_says_where_and_how_to_mend_it() -> None:
    (fault,) = parse(b'x = 1\n# <snippet name="a">\ny = 2\n', path="pkg/m.py").faults

    assert str(fault) == ("pkg/m.py:2: 'a' is never closed (close the region, or delete this tag)")


def test_equal_names_are_told_apart_by_ordinal() -> None:
    one = b'# <snippet name="a">\nx = 1\n# </snippet>\n'

    assert [region.key for region in parse(one * 2, path="m.py").regions] == [
        ("m.py", "a", 1), ("m.py", "a", 2),
    ]  # fmt: skip


def test_tagging_changes_no_other_byte() -> None:
    before = b"\xef\xbb\xbfdef f():\r\n\tx = 1 \r\n\treturn x"
    after = tag(before, "f", "the core", hint='a "b" <c>')

    assert after == (
        b"\xef\xbb\xbfdef f():\r\n"
        b'\t# <snippet name="the core" hint="a &quot;b&quot; &lt;c&gt;">\r\n'
        b"\tx = 1 \r\n\treturn x\r\n"
        b"\t# </snippet>"
    )
    assert strip(after) == before
    assert parse(after).regions[0].hint == 'a "b" <c>'


def test_a_file_that_begins_with_its_region_keeps_the_mark_in_front() -> None:
    before = b"\xef\xbb\xbfx = 1\n"
    after = splice(before, select_lines(before, 1, 1), "a", dialect="paper2code")

    assert after == (b'\xef\xbb\xbf# <paper2code name="a">\nx = 1\n# </paper2code name="a">\n')
    assert strip(after) == before


SOURCE = b"""\
class A:
    def f(self):
        '''Doc.'''
        a = 1

        # about b
        b = 2
        for i in range(3):
            b += i
        return a

    @property
    def g(self):
        return 1

    @g.setter
    def g(self, x):
        def inner():
            return x
        self.x = inner
"""


def between(data: bytes) -> bytes:
    """The lines between the first pair of tags."""
    region = parse(data).regions[0]
    return b"".join(data.splitlines(keepends=True)[region.open_line : region.close_line - 1])


def test_statements_are_chosen_with_the_comment_above_them() -> None:
    tagged = splice(SOURCE, select_statements(SOURCE, "A.f", 2, 3), "s")

    assert between(tagged) == (
        b"        # about b\n        b = 2\n        for i in range(3):\n            b += i\n"
    )


def test_anchors_choose_from_one_line_to_the_next_match() -> None:
    tagged = splice(SOURCE, select_between(SOURCE, r"b = 2", r"\+= i$"), "s")

    assert between(tagged).startswith(b"        b = 2\n")
    with pytest.raises(InputError, match="2 lines match the start anchor 'def g'"):
        select_between(SOURCE, "def g", "return", path="m.py")
    with pytest.raises(InputError, match="no line from 4 on matches the end anchor"):
        select_between(SOURCE, "a = 1", "nowhere")


def test_a_symbol_defined_twice_must_be_told_apart() -> None:
    with pytest.raises(InputError, match=r"A\.g is defined 2 times: A\.g@1 on line 13, A"):
        tag(SOURCE, "A.g", "s")

    assert between(tag(SOURCE, "A.g@2", "s")).startswith(b"        def inner():\n")
    assert between(tag(SOURCE, "A.g.<locals>.inner", "s")) == b"            return x\n"


def test_a_missing_symbol_and_an_empty_body_are_errors() -> None:
    with pytest.raises(InputError, match=r"m\.py: no definition of B"):
        tag(SOURCE, "B", "s", path="m.py")
    with pytest.raises(InputError, match="f has no statement after its docstring"):
        tag(b'def f():\n    "Only words."\n', "f", "s")


def test_half_a_statement_and_crossing_regions_are_refused() -> None:
    with pytest.raises(TagError, match=r"m\.py:8: the lines do not hold whole statements"):
        splice(SOURCE, select_lines(SOURCE, 8, 8), "s", path="m.py")
    tagged = splice(SOURCE, select_statements(SOURCE, "A.f", 1, 2), "one")
    with pytest.raises(TagError, match="the region would cross 'one', lines 4 to 7"):
        splice(tagged, select_statements(tagged, "A.f", 2, 3), "two")


def test_a_name_that_cannot_stand_in_a_tag_is_refused() -> None:
    with pytest.raises(InputError, match="cannot name a snippet"):
        tag(SOURCE, "A.f", "two\nlines")
    with pytest.raises(InputError, match="has a quote, which paper2code cannot hold"):
        tag(SOURCE, "A.f", 'a"b', dialect="paper2code")
    with pytest.raises(InputError, match="written in latin-1, which lacks"):
        tag(b"def f():\n    return '\xe9'\n", "f", "\u03b2")

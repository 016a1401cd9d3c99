"""An answer beside the reference: the smallest difference is named, whatever the rest is like."""

import ast
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recodeh.eval.models.edits import Edit, apply, edits
from recodeh.eval.researcher.difference import differences
from recodeh.eval.researcher.phrases import (
    Kind,
    Relation,
    analysis_sentence,
    guidance_sentence,
    read_analysis,
    read_guidance,
)
from recodeh.eval.researcher.syntax import Unparsable, parse, render

REFERENCE = '''\
    scores = check(scores)
    n, q = scores.shape
    """The centre moves with the nodes."""
    path = np.vstack((np.zeros(q), np.cumsum(scores, axis=0)))
    total = path[-1].copy()
    centred = (path - nodes[:, None] * total) / np.sqrt(n)
    if n < limit and not loose:
        raise ValueError("too short a path")
    for row in range(1, n):
        if centred[row] > bound:
            count += 1
        else:
            best = merge(best, centred[row])
    return centred
'''


def regions() -> dict[str, str]:
    """The bodies of the methods beside this file."""
    text = Path(__file__).with_name("methods.py").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return {
        node.name: "".join(lines[node.body[0].lineno - 1 : node.end_lineno]) for node in functions
    }


@pytest.mark.parametrize(
    ("right", "wrong", "kind", "line", "guidance"),
    [
        ("path - nodes", "path + nodes", Kind.OPERATOR, 6, "subtraction instead of addition"),
        ("/ np.sqrt", "* np.sqrt", Kind.OPERATOR, 6, "division instead of multiplication"),
        ("count += 1", "count -= 1", Kind.OPERATOR, 11, "addition instead of subtraction"),
        ("n < limit", "n <= limit", Kind.COMPARISON, 7, "less than instead of at most"),
        ("] > bound", "] < bound", Kind.COMPARISON, 10, "greater than instead of less than"),
        ("limit and", "limit or", Kind.BOOLEAN, 7, "a logical and instead of a logical or"),
        ("not loose", "loose", Kind.NEGATION, 7, "the condition `loose` must be negated"),
        ("centred[row] >", "not centred[row] >", Kind.NEGATION, 10, "left without negation"),
        ("n < limit and ", "", Kind.CONDITION_MISSING, 7, "one on `n < limit`"),
        ("count += 1", "count += 2", Kind.CONSTANT, 11, "`1` instead of `2`"),
        ("path[-1]", "path[0]", Kind.INDEX, 5, "`-1` instead of `0`"),
        ("[:, None]", "[None, :]", Kind.INDEX, 6, "Index with"),
        ("axis=0", "axis=1", Kind.KEYWORD, 4, "`0` instead of `1` as the keyword `axis`"),
        (", axis=0", "", Kind.KEYWORD_MISSING, 4, "`0` as the keyword `axis` of the call of"),
        ("zeros(q)", "zeros(q, dtype=int)", Kind.KEYWORD_EXTRA, 4, "Do not pass the keyword"),
        ("cumsum", "cumprod", Kind.FUNCTION, 4, "Call `cumsum` instead of `cumprod`"),
        ("merge(best, centred[row])", "merge(centred[row], best)", Kind.ARGUMENTS, 13, "1 and 2"),
        ("range(1, n)", "range(n)", Kind.ARGUMENT_MISSING, 9, "Pass `1` as argument 1"),
        ("range(1, n)", "range(1, n, 1)", Kind.ARGUMENT_EXTRA, 9, "`1` as argument 3"),
        ("np.sqrt(n)", "n", Kind.CALL_MISSING, 6, "Apply `np.sqrt` to `n`"),
        ("path[-1].copy()", "path[-1]", Kind.CALL_MISSING, 5, "Apply `.copy` to `path[-1]`"),
        ("np.sqrt(n)", "np.maximum(np.sqrt(n), 1)", Kind.CALL_EXTRA, 6, "`np.sqrt(n)` and `1`"),
        ("check(scores)", "check(abs(scores))", Kind.CALL_EXTRA, 1, "Do not apply `abs`"),
        (" * total", "", Kind.TERM_MISSING, 6, "By multiplication, combine"),
        ("= (path", "= (1 + path", Kind.TERM_EXTRA, 6, "Leave `1` out of the addition"),
        ("nodes[:", "-nodes[:", Kind.SIGN, 6, "leave out the minus sign"),
        ("return centred", "return total", Kind.NAME, 14, "`centred` instead of `total`"),
        ("scores.shape", "scores.size", Kind.ATTRIBUTE, 2, "`shape` instead of `size`"),
        ("total = path", "centre = path", Kind.TARGET, 5, "Assign to `total`"),
        ("count += 1", "count = count + 1", Kind.IN_PLACE, 11, "change `count` in place"),
        ("    return centred\n", "", Kind.RETURN_MISSING, 9, "returns `centred`"),
        ("            count += 1", "            pass", Kind.MISSING, 10, "updates `count`"),
        ("    count += 1\n", "    count += 1\n            n = 0\n", Kind.EXTRA, 12, "Leave that"),
        ("total = path[-1].copy()", "del path", Kind.STATEMENT, 5, "that assigns `total`"),
    ],
)
def test_one_fault_is_one_difference(
    right: str, wrong: str, kind: Kind, line: int, guidance: str
) -> None:
    assert REFERENCE.count(right) == 1
    (difference,) = differences(REFERENCE.replace(right, wrong), REFERENCE)
    assert (difference.change.kind, difference.place.line) == (kind, line)
    assert guidance in guidance_sentence(difference.change)
    assert read_guidance(kind, guidance_sentence(difference.change)) == difference.change


def test_swapped_sides_are_one_difference() -> None:
    (difference,) = differences("return base ** rate", "return rate ** base")
    assert difference.change.kind is Kind.OPERANDS


def test_a_moved_statement_is_one_difference() -> None:
    lines = REFERENCE.splitlines(keepends=True)
    moved = "".join([*lines[:4], lines[5], lines[4], *lines[6:]])
    (difference,) = differences(moved, REFERENCE)
    assert difference.change.kind is Kind.ORDER
    assert (
        difference.correction.splitlines()[-1] == "centred = (path - nodes[:, None] * total)"
        " / np.sqrt(n)"
    )


def test_the_correction_is_the_statement_and_of_a_compound_one_its_first_line() -> None:
    (sum_of,) = differences(REFERENCE.replace("- nodes", "+ nodes"), REFERENCE)
    (branch,) = differences(REFERENCE.replace("not loose", "loose"), REFERENCE)
    assert sum_of.correction == "centred = (path - nodes[:, None] * total) / np.sqrt(n)"
    assert branch.correction == "if n < limit and (not loose):"


@pytest.mark.parametrize(
    ("right", "same"),
    [
        ("total", "t"),
        ("n < limit", "limit > n"),
        ("nodes[:, None] * total", "total * nodes[:, None]"),
        ('    """The centre moves with the nodes."""\n', "    # in place of the words\n"),
        ("    for row", "    import math\n    for row"),
        ("            count += 1", "            pass\n            count += 1"),
        ("np.cumsum(scores, axis=0)", "scores.cumsum(axis=0)"),
        ("total = path[-1]", "total: object = path[-1]"),
        ("centred", "result"),
    ],
)
def test_another_way_to_write_the_same_is_no_difference(right: str, same: str) -> None:
    assert right in REFERENCE
    assert differences(REFERENCE.replace(right, same), REFERENCE) == ()


def test_a_fault_is_told_in_the_names_of_the_answer() -> None:
    answer = REFERENCE.replace("total", "t").replace("centred", "out").replace("- nodes", "+ nodes")
    (difference,) = differences(answer, REFERENCE)
    assert difference.correction == "out = (path - nodes[:, None] * t) / np.sqrt(n)"
    assert difference.place.words == "statement that assigns `out`"


def test_a_local_name_is_matched_by_what_it_holds_and_not_by_where_it_stands() -> None:
    reference = "share = part / (np.max(part) + tiny)\nreturn share * size\n"
    answer = "d = len(size)\nx = part / (np.max(part) - tiny)\nreturn x * size\n"
    found = differences(answer, reference)
    told = [(difference.change.kind, difference.place.line) for difference in found]
    assert told == [(Kind.EXTRA, 1), (Kind.OPERATOR, 2)]
    assert [difference.aside for difference in found] == [True, False]


def test_a_statement_that_differs_all_over_is_one_difference() -> None:
    reference = "x = left.load(path, mode)\ny = x + 1\nreturn y\n"
    answer = "x = right.save(file, None)\ny = x + 1\nreturn y\n"
    (difference,) = differences(answer, reference)
    assert difference.change.kind is Kind.STATEMENT
    assert difference.correction == "x = left.load(path, mode)"


def test_several_faults_are_told_one_by_one_in_order() -> None:
    answer = (
        REFERENCE.replace("axis=0", "axis=1")
        .replace("- nodes", "+ nodes")
        .replace("np.sqrt(n)", "n")
        .replace("count += 1", "count += 2")
    )
    kinds = [difference.change.kind for difference in differences(answer, REFERENCE)]
    assert kinds == [Kind.KEYWORD, Kind.OPERATOR, Kind.CALL_MISSING, Kind.CONSTANT]


@pytest.mark.parametrize("answer", ["    return 0\n", "", "    # later\n", "def f(x):\n    ...\n"])
def test_an_answer_of_another_kind_is_one_whole_difference(answer: str) -> None:
    (difference,) = differences(answer, REFERENCE)
    assert difference.change.kind is Kind.BODY
    assert difference.place.relation is Relation.WHOLE
    assert differences(difference.correction, REFERENCE) == ()


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ("    x = (1\n", 1),
        ("    x = 1\n  y = 2\n", 2),
        ("x = 1\nelse:\n", 2),
        ("    a\n    b c", 2),
    ],
)
def test_what_is_not_python_is_refused_with_its_line(answer: str, line: int) -> None:
    with pytest.raises(Unparsable) as caught:
        differences(answer, REFERENCE)
    assert caught.value.line == line


def test_an_else_in_the_first_column_does_not_join_our_own_wrapping() -> None:
    with pytest.raises(Unparsable):
        parse("    x = 1\nelse:\n    y = 2\n")


@pytest.mark.parametrize("depth", [150, 5_000])
def test_deep_nesting_is_refused_or_compared_but_does_not_crash(depth: int) -> None:
    for code in ["(" * depth + "1" + ")" * depth, "x" + "+1" * depth, "not " * depth + "x"]:
        try:
            found = differences(f"return {code}", REFERENCE)
        except Unparsable:
            continue
        assert found


@given(st.text())
@settings(max_examples=200, deadline=None)
def test_any_text_is_compared_or_refused(text: str) -> None:
    try:
        found = differences(text, REFERENCE)
    except Unparsable:
        return
    assert found


@pytest.mark.parametrize("name", regions())
def test_a_region_does_not_differ_from_itself_nor_from_its_plain_form(name: str) -> None:
    code = regions()[name]
    assert differences(code, code) == ()
    assert differences(render(parse(code)), code) == ()


@pytest.mark.parametrize("name", regions())
def test_every_small_edit_is_found_where_it_is_and_told_by_phrases_that_read_back(
    name: str,
) -> None:
    code = render(parse(regions()[name]))
    for edit in edits(code):
        (difference,) = differences(apply(code, [edit]), code)
        assert difference.place.line == edit.line
        sentence = analysis_sentence(difference.place, difference.change.kind)
        assert read_analysis(sentence) == (difference.place, difference.change.kind)
        told = guidance_sentence(difference.change)
        assert read_guidance(difference.change.kind, told) == difference.change


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_two_edits_in_two_statements_are_two_differences(data: st.DataObject) -> None:
    code = render(parse(regions()[data.draw(st.sampled_from(sorted(regions())))]))
    first = data.draw(st.sampled_from(edits(code)))
    others = [edit for edit in edits(code) if edit.line != first.line]
    second = data.draw(st.sampled_from(others or [first]))
    alone = [fault for edit in {first, second} for fault in _found(code, [edit])]
    assert _found(code, [first, second]) == sorted(alone)


def _found(code: str, chosen: list[Edit]) -> list[tuple[int, Kind]]:
    found = differences(apply(code, chosen), code)
    return sorted((difference.place.line, difference.change.kind) for difference in found)

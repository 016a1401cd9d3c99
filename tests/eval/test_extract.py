"""Replies as models write them, before, and the region's text, after."""

import ast
from textwrap import indent

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.eval.conftest import SCALE, Made, task_from

from recodeh.data.errors import MaskError
from recodeh.data.regions import fill
from recodeh.eval.extract import extract
from recodeh.eval.indent import reindent

BODY = """\
total = sum(abs(value) ** self.power for value in values)
if total <= floor:
    # nothing to scale
    return values
return [value / total for value in values]
"""
WANTED = indent(BODY, " " * 8)
HEAD = "def scale(self, values: list[float], floor: float = 0.0) -> list[float]:\n"
METHOD = HEAD + '    """The values over their norm."""\n' + indent(BODY, " " * 4)
MADE = task_from(SCALE, name="scale", symbol="Scaler.scale")
WHOLE = fill(MADE.task.masked_file, MADE.task.snippet, WANTED)


def fenced(code: str, label: str = "python", mark: str = "```") -> str:
    return f"{mark}{label}\n{code.rstrip()}\n{mark}\n"


STRICT = {
    "as asked": fenced(WANTED),
    "prose around it": f"Here it is:\n\n{fenced(WANTED)}\nIt uses `sum`.\n",
    "label py": fenced(WANTED, "py"),
    "label Python": fenced(WANTED, "Python"),
    "label with attributes": fenced(WANTED, "python title=core.py"),
    "tildes": fenced(WANTED, mark="~~~"),
    "four backticks": fenced(WANTED, mark="````"),
    "CRLF": fenced(WANTED).replace("\n", "\r\n"),
    "other languages beside it": f"{fenced('pip install x', 'bash')}{fenced(WANTED)}",
    "in a list item": indent(fenced(WANTED), "   "),
    "after thinking aloud": f"<think>\n{fenced('return 1')}</think>\n{fenced(WANTED)}",
}
REPAIRED = {
    "no label": (fenced(WANTED, ""), "took a fence without a label"),
    "unclosed": (f"```python\n{WANTED}", "closed the fence"),
    "closed on the last line of code": (f"```python\n{WANTED.rstrip()}```", "closed the fence"),
    "no fence": (WANTED, "no fence"),
    "fence after words": (f"The code: ```python\n{WANTED}```", None),
    "dedented": (fenced(BODY), "moved to the placeholder's indentation"),
    "indented too far": (fenced(indent(BODY, " " * 12)), "moved to the placeholder's indentation"),
    "first line stripped": (
        fenced(WANTED.lstrip()),
        "moved the first line to the placeholder's indentation",
    ),
    "method": (fenced(METHOD), "cut out of the repeated definition"),
    "method, indented": (fenced(indent(METHOD, "    ")), "cut out of the repeated definition"),
    "method in its class": (
        fenced("class Scaler:\n" + indent(METHOD, "    ")),
        "cut out of the repeated definition",
    ),
    "method without docstring": (
        fenced(HEAD + indent(BODY, "    ")),
        "cut out of the repeated definition",
    ),
    "whole file": (fenced(WHOLE), "cut out of the repeated definition"),
    "known import on top": (
        fenced(f"import math\n\n{METHOD}"),
        "cut out of the repeated definition",
    ),
    "used below": (
        fenced(f"{METHOD}\n\nprint(Scaler(2).scale([1.0]))\n"),
        "cut out of the repeated definition",
    ),
    "example in a second block": (
        fenced(WANTED) + fenced("Scaler(2.0).scale([1.0])\n"),
        "chose one of several blocks",
    ),
    "the same block twice": (fenced(WANTED) * 2, "chose one of several blocks"),
    "unlabelled beside labelled": (
        f"{fenced('x = 1', '')}{fenced(WANTED)}",
        "chose one of several blocks",
    ),
    "after a block of Python that was not closed": (
        f"```python\nfirst idea\n\nBetter:\n\n{fenced(WANTED)}",
        "chose one of several blocks",
    ),
    "after a shell block whose end is glued": (
        f"```bash\npip install x```\n{fenced(WANTED)}",
        None,
    ),
    "Markdown about Markdown": (f"```markdown\n# Answer\n{fenced(WANTED)}```\n", None),
}
REFUSED = {
    "nothing": ("", "no fenced block"),
    "prose": ("I am sorry, I cannot do that.", "no fenced block"),
    "one word that parses": ("Sorry", "no fenced block"),
    "another language": (fenced("return 1;", "cpp"), "no fenced block"),
    "empty block": ("```python\n```", "no statement"),
    "a comment only": (fenced("# your code here\n"), "no statement"),
    "syntax error": (fenced("x = (1\nreturn x\n"), "was never closed"),
    "two answers": (fenced(WANTED) + fenced("        return values\n"), "2 different blocks"),
    "the method twice": (fenced(f"{METHOD}\n{METHOD}"), "defines scale 2 times"),
    "other arguments": (fenced(METHOD.replace("floor", "limit")), "gives scale other arguments"),
    "a class by the method's name": (fenced("class scale:\n    x = 1\n"), "a class in one"),
    "the masked file itself": (
        fenced(MADE.task.masked_file.replace("        raise NotImplementedError\n", "")),
        "leaves the region empty",
    ),
}


@pytest.mark.parametrize("name", STRICT)
def test_a_reply_as_asked_is_taken_as_it_is(name: str, made: Made) -> None:
    found = extract(STRICT[name], made.task)
    assert (found.code, found.how, found.reason) == (WANTED, "strict", "")


@pytest.mark.parametrize("name", REPAIRED)
def test_a_reply_that_is_not_as_asked_is_repaired_and_says_so(name: str, made: Made) -> None:
    reply, repair = REPAIRED[name]
    found = extract(reply, made.task)
    assert found.code == WANTED, found.reason
    assert repair is None or repair in found.how


@pytest.mark.parametrize("name", REFUSED)
def test_a_reply_with_no_reading_or_two_is_refused(name: str, made: Made) -> None:
    reply, reason = REFUSED[name]
    found = extract(reply, made.task)
    assert (found.code, found.how) == (None, "none")
    assert reason in found.reason


def test_new_imports_and_helpers_go_into_the_region(made: Made) -> None:
    helper = "def _power(value):\n    return value * value\n"
    found = extract(fenced(f"import math\nimport cmath\n\n{helper}\n{METHOD}"), made.task)
    assert found.code == (
        "        import cmath\n"
        "        def _power(value):\n            return value * value\n" + WANTED
    )
    assert "moved imports and helpers into the region" in found.how


def test_a_function_on_one_line_and_a_comment_at_the_margin(made: Made) -> None:
    one_line = extract(fenced(f"{HEAD.rstrip()} return values\n"), made.task)
    assert one_line.code == "        return values\n"
    comment = extract(fenced(f"{HEAD}# first the sum\n    return values\n"), made.task)
    assert comment.code == "        # first the sum\n        return values\n"


def test_a_changed_line_outside_the_region_is_not_taken_over(made: Made) -> None:
    found = extract(fenced(WHOLE.replace("/ len(values)", "// len(values)")), made.task)
    assert found.code == WANTED


def test_a_docstring_with_a_fence_inside_does_not_end_the_block(made: Made) -> None:
    code = indent('note = """\n```\nx = 1\n```\n"""\nreturn note\n', " " * 8)
    code = code.replace(" " * 8 + "```", "```")
    found = extract(fenced(code), made.task)
    assert found.code == code
    assert "read past a fence inside the block" in found.how


def test_text_inside_strings_keeps_its_white_space(made: Made) -> None:
    body = 'text = """\n  two\nnone\n"""\nreturn f"""\n {text}\n"""\n'
    found = extract(fenced(body), made.task)
    assert found.code is not None
    left, right = ast.parse(body), ast.parse(reindent(found.code, ""))
    assert found.code.startswith('        text = """\n  two\nnone\n"""\n        return')
    assert [ast.dump(node) for node in left.body] == [ast.dump(node) for node in right.body]


def test_the_file_s_own_line_endings_are_kept(made: Made) -> None:
    task = made.task.model_copy(update={"masked_file": made.task.masked_file.replace("\n", "\r\n")})
    assert extract(fenced(WANTED), task).code == WANTED.replace("\n", "\r\n")


LOOP = """
    def path(points, power):
        steps = []
        for point in points:
            norm = abs(point)
    ####
            steps.append(norm ** power)
            steps.append(point)
    ####
        return steps
"""


def test_a_region_inside_a_loop_is_cut_out_of_the_whole_function() -> None:
    made = task_from(LOOP, name="step", symbol="path")
    region = "        steps.append(point)\n        steps.append(norm)\n"
    answer = fill(made.task.masked_file, made.task.snippet, region)
    found = extract(fenced(answer), made.task)
    assert found.code == region
    kept = extract(fenced(answer.replace("steps = []", "steps = [0]")), made.task)
    assert "not all lines around the placeholder" in kept.reason


TOP = """
    import math

    ####
    def root(value):
        return math.sqrt(value)
    ####

    def mean(values):
        return sum(values) / len(values)
"""


@pytest.mark.parametrize(
    "answer",
    [
        "def root(value):\n    return value ** 0.5\n",
        "import math\n\ndef root(value):\n    return value ** 0.5\n\ndef mean(values):\n    ...\n",
    ],
)
def test_a_whole_function_at_the_top_of_a_file(answer: str) -> None:
    made = task_from(TOP, name="root", symbol="root")
    found = extract(fenced(answer), made.task)
    assert found.code == "def root(value):\n    return value ** 0.5\n"


IN_CLASS = """
    class Scaler:
        power = 2

    ####
        def scale(self, value):
            return value ** self.power
    ####

        def twice(self, value):
            return 2 * value
"""


@pytest.mark.parametrize("shell", ["{}", "class Scaler:\n    power = 2\n\n{}"])
def test_a_whole_method_with_or_without_its_class(shell: str) -> None:
    made = task_from(IN_CLASS, name="scale", symbol="Scaler.scale")
    method = "    def scale(self, value):\n        return value\n"
    assert extract(fenced(shell.format(method)), made.task).code == method


def test_an_import_beside_a_method_is_refused_unless_the_file_has_it() -> None:
    made = task_from("    import math\n" + IN_CLASS, name="scale", symbol="Scaler.scale")
    method = "def scale(self, value):\n    return value\n"
    taken = extract(fenced(f"import math\n\n{method}"), made.task)
    assert taken.code == indent(method, "    ")
    assert "inside the method" in extract(fenced(f"import cmath\n\n{method}"), made.task).reason


NAMES = st.sampled_from(["a", "b", "c"])
LINES = st.recursive(
    st.one_of(
        st.builds("{} = {}\n".format, NAMES, st.integers(0, 9)),
        st.builds("{} = ({},\n{})\n".format, NAMES, NAMES, NAMES),
        st.builds('{} = """{}\n  {}\n"""\n'.format, NAMES, NAMES, NAMES),
        st.builds("# {}\n".format, NAMES),
    ),
    lambda inner: st.builds(
        lambda head, body: f"{head}:\n{indent('pass' + chr(10) + body, '  ')}",
        st.sampled_from(["if a", "for a in b", "while c"]),
        st.lists(inner, max_size=3).map("".join),
    ),
    max_leaves=6,
)


@given(st.lists(LINES, min_size=1).map("".join), st.sampled_from(["", "\t", "    ", " " * 11]))
def test_moving_code_never_changes_what_it_means(code: str, space: str) -> None:
    moved = reindent("pass\n" + code, space)
    wrapped = f"if a:\n{moved}" if space else moved
    body = ast.parse(wrapped).body
    inner = body[0].body if space and isinstance(body[0], ast.If) else body
    assert [ast.dump(node) for node in inner] == [
        ast.dump(node) for node in ast.parse("pass\n" + code).body
    ]
    assert reindent(moved, "") == reindent("pass\n" + code, "")


def test_a_line_left_of_the_block_cannot_be_moved() -> None:
    with pytest.raises(MaskError, match="further left"):
        reindent("    a = 1\nb = 2\n", "        ")


@given(st.text())
def test_no_reply_makes_extraction_raise_or_return_what_does_not_parse(reply: str) -> None:
    for text in (reply, f"```python\n{reply}\n```"):
        found = extract(text, MADE.task)
        if found.code is None:
            assert found.reason
        else:
            ast.parse(fill(MADE.task.masked_file, MADE.task.snippet, found.code))

"""Actions in a reply, before, and what is understood, after."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recodeh.eval.actions import COMMANDS, WITH_BODY, Action, Fault, parse_action

CODE = """\
try:
    total = 1
except ValueError:
    total = 2
else:
    '''
    Args:
        action: not one
    '''
finally:
    pass
"""


def acted(inner: str) -> str:
    return f"<act>\n{inner}\n</act>"


READ = {
    "on its own lines": (acted("read a/b.py 3-5"), Action("read", "a/b.py 3-5")),
    "on one line": ("Look.\n<act>submit</act>", Action("submit")),
    "after prose about the next action": (
        f"My next action: write the action.\naction: submit\n\n{acted('search sub_action')}",
        Action("search", "sub_action"),
    ),
    "code with `try:` at the margin": (acted(f"write\n{CODE.rstrip()}"), Action("write", "", CODE)),
    "a body in a fence": (acted(f"write\n```python\n{CODE}```"), Action("write", "", CODE)),
    "a fence inside the body": (
        acted('run\nprint("""\n```\n""")'),
        Action("run", "", 'print("""\n```\n""")\n'),
    ),
    "tags in the middle of a line": (
        f"I close with </act> and open with <act>.\n{acted('diff')}",
        Action("diff"),
    ),
    "a tag in a string of the body": (
        acted("write\nx = '<act>list</act> is a tag'"),
        Action("write", "", "x = '<act>list</act> is a tag'\n"),
    ),
    "two actions": (f"{acted('list')}\nResult: a.py\n{acted('submit')}", Action("list", ignored=1)),
    "not closed": ("<act>\nwrite\nx = 1", Action("write", "", "x = 1\n")),
    "CRLF": (acted("read a.py").replace("\n", "\r\n"), Action("read", "a.py")),
    "an indented tag": ("  <act>\n  list src\n  </act>", Action("list", "src")),
    "after thinking aloud": (f"<think>{acted('submit')}</think>{acted('list')}", Action("list")),
}


@pytest.mark.parametrize("name", READ)
def test_an_action_is_read(name: str) -> None:
    reply, action = READ[name]
    assert parse_action(reply) == action


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "there is no action"),
        ("The action: submit", "there is no action"),
        ("```python\nx = 1\n```", "there is no action"),
        (acted("REPLACE\nx = 1"), "there is no command 'REPLACE'"),
        (acted(""), "there is no command ''"),
        (acted("write"), "write needs its text"),
        (acted("run\n   \n"), "run needs its text"),
    ],
)
def test_what_is_no_action_says_why(reply: str, reason: str) -> None:
    found = parse_action(reply)
    assert isinstance(found, Fault)
    assert reason in found.reason


LINES = st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"])).map(
    lambda text: text.replace("act>", "")
)


@given(LINES.filter(lambda text: text.strip() and not text.lstrip().startswith(("```", "~~~"))))
def test_a_body_comes_out_as_it_went_in(body: str) -> None:
    found = parse_action(acted(f"write\n{body}"))
    assert isinstance(found, Action)
    assert found.body == body + "\n"


@given(st.text())
def test_no_reply_makes_the_parser_raise(reply: str) -> None:
    for text in (reply, acted(reply), f"<act>{reply}"):
        found = parse_action(text)
        if isinstance(found, Action):
            assert found.name in COMMANDS
            assert found.body or found.name not in WITH_BODY
        else:
            assert found.reason

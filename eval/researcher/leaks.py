"""Keeps lines of the reference out of what levels 1 to 3 say, and counts what was withheld.

A field leaks when it holds a run of twelve or more tokens of the reference, or a whole statement
of it of at least three tokens; spaces, line breaks, comments, backticks and the sort of quotation
marks do not count.
"""

import ast
import re
from collections.abc import Iterator

from recodeh.data.records import Feedback, FeedbackItem
from recodeh.eval.researcher.difference import header
from recodeh.eval.researcher.syntax import Unparsable, parse, statements

RUN, LEAST = 12, 3
WITHHELD = "(Withheld: this would show a line of the solution.)"
SHOWN_IN_WORDS = ("description", "analysis", "guidance")
_TOKEN = re.compile(
    r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\d+(?:\.\d+)?\w*|\w+|\*\*|//|[-+*/%@<>=!&|^:]=|->|\S"""
)
_QUOTES = re.compile("[\"']")
_COMMENT = re.compile(r"(?m)^\s*#.*$")


def checked(feedback: Feedback, reference: str) -> Feedback:
    """The feedback with every field withheld that would show a line of the reference."""
    corrections = [item.correction for item in feedback.items]
    secret = _Secret([reference, *corrections])
    items = tuple(_checked(item, secret) for item in feedback.items)
    return feedback.model_copy(update={"items": items})


def withheld(feedback: Feedback) -> int:
    """How many fields were withheld."""
    texts = (getattr(item, field) for item in feedback.items for field in SHOWN_IN_WORDS)
    return sum(text == WITHHELD for text in texts)


def leaks(text: str, reference: str) -> bool:
    """Whether `text` shows a line of the reference."""
    return _Secret([reference]).is_in(text)


def tokens(text: str) -> tuple[str, ...]:
    """The tokens of code, or of words that may quote some."""
    plain = _COMMENT.sub("", text).replace("`", " ")
    return tuple(_unquoted(token) for token in _TOKEN.findall(plain))


class _Secret:
    """What may not be shown: all runs of twelve tokens, and all statements."""

    def __init__(self, codes: list[str]) -> None:
        self._runs: set[tuple[str, ...]] = set()
        self._wholes: set[tuple[str, ...]] = set()
        for code in codes:
            for statement in _statements(code):
                if len(statement) >= LEAST:
                    self._wholes.add(statement)
            self._runs.update(_windows(tokens(code), RUN))

    def is_in(self, text: str) -> bool:
        # Words may stand in quotation marks that are no string's.
        return any(self._is_among(tokens(form)) for form in (text, _QUOTES.sub(" ", text)))

    def _is_among(self, shown: tuple[str, ...]) -> bool:
        if any(run in self._runs for run in _windows(shown, RUN)):
            return True
        lengths = {len(whole) for whole in self._wholes}
        return any(part in self._wholes for size in lengths for part in _windows(shown, size))


def _checked(item: FeedbackItem, secret: _Secret) -> FeedbackItem:
    leaking = [field for field in SHOWN_IN_WORDS if secret.is_in(getattr(item, field))]
    return item.model_copy(update=dict.fromkeys(leaking, WITHHELD))


def _statements(code: str) -> Iterator[tuple[str, ...]]:
    """Every statement, as it is written and in one plain style; of compound ones the first line."""
    try:
        body = parse(code).body
        plain = [header(node) for node in statements(body)]
    except (Unparsable, RecursionError):
        # A text that is no Python still has lines.
        yield from (tokens(line) for line in code.splitlines())
        return
    written = (_source(code, node) for node in statements(body))
    yield from (tokens(text) for text in (*plain, *written) if text is not None)


def _source(code: str, node: ast.stmt) -> str | None:
    simple = not isinstance(getattr(node, "body", None), list)
    lines = code.split("\n")[node.lineno - 1 : node.end_lineno]
    return "\n".join(lines) if simple else None


def _windows(sequence: tuple[str, ...], size: int) -> Iterator[tuple[str, ...]]:
    return (sequence[at : at + size] for at in range(len(sequence) - size + 1))


def _unquoted(token: str) -> str:
    return f'"{token[1:-1]}"' if token[0] in "'\"" and len(token) > 1 else token

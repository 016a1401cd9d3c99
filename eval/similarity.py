"""How alike a submission and the reference are as texts, comments aside: between 0 and 1.

CodeBLEU (Ren et al. 2020, arXiv 2009.10297) averages four parts. Two of them are here: BLEU over
the tokens, by sacreBLEU, and the share of the reference's syntax that the submission has. Its own
package pins a tree-sitter of 2024 that this project's grammars do not load, its data flow is
undefined for many short regions, and its keyword weights add little to the tokens. Likeness is no
verdict: a right answer may look like nothing else, and a wrong one differ in one character.
"""

import ast
import importlib
import importlib.util
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from textwrap import dedent
from typing import Any

from recodeh.data.errors import InputError
from recodeh.data.syntax import parse_python

_UNSEEN = frozenset(
    {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
)
_WORD = re.compile(r"\w+|[^\w\s]")
_COMMENT = re.compile(r"(#|//|%).*")


@dataclass(frozen=True)
class Similarity:
    """How alike two regions are."""

    tokens: float
    """BLEU-4 of the tokens."""
    syntax: float | None
    """Share of the reference's syntax subtrees; None for another language than Python."""

    @property
    def mean(self) -> float:
        """The mean of the parts that there are."""
        return self.tokens if self.syntax is None else fmean((self.tokens, self.syntax))


def similarity(submission: str | None, reference: str, language: str = "python") -> Similarity:
    """Compare a region's text with the true one; no code is like nothing.

    Raises InputError when sacreBLEU is not installed.
    """
    python, code = language == "python", submission or ""
    said = " ".join(code_tokens(code, language))
    wanted = " ".join(code_tokens(reference, language))
    if said == wanted:
        return Similarity(1.0, 1.0 if python else None)
    tokens = _bleu().sentence_score(said, [wanted]).score / 100 if said else 0.0
    return Similarity(tokens, _shared(code, reference) if python else None)


def code_tokens(code: str, language: str = "python") -> list[str]:
    """The tokens without comments and layout; where Python does not tokenize, its words."""
    if language != "python":
        return _words(code)
    try:
        found = tokenize.generate_tokens(io.StringIO(dedent(code)).readline)
        return [_joined(one.string) for one in found if one.type not in _UNSEEN]
    except (tokenize.TokenError, SyntaxError):
        return _words(code)


def _words(code: str) -> list[str]:
    bare = (_COMMENT.sub("", line) for line in code.splitlines())
    return [word for line in bare for word in _WORD.findall(line)]


def _joined(token: str) -> str:
    """A token without blanks, since sacreBLEU divides at them."""
    return "␣".join(token.split()) or "␣"


def _shared(code: str, reference: str) -> float:
    wanted, found = Counter(_subtrees(reference)), Counter(_subtrees(code))
    total = wanted.total()
    return (wanted & found).total() / total if total else float(not found)


def _subtrees(code: str) -> Iterator[str]:
    """The shape of every node with something below it, names and constants left out."""
    try:
        tree = parse_python(f"def region():\n    if True:\n{_indented(code)}")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # what does not parse shares no syntax; the last two come from hostile nesting
    body = tree.body[0]
    assert isinstance(body, ast.FunctionDef)
    for statement in body.body[0].body if isinstance(body.body[0], ast.If) else ():
        for node in ast.walk(statement):
            if below := list(ast.iter_child_nodes(node)):
                yield f"{_kind(node)}({' '.join(map(_kind, below))})"


def _kind(node: ast.AST) -> str:
    return type(node).__name__


def _indented(code: str) -> str:
    """The region as the body of a block, whatever its indentation was."""
    return "".join(f"        {line}\n" for line in dedent(code).splitlines())


@cache
def _bleu() -> Any:
    if importlib.util.find_spec("sacrebleu") is None:
        raise InputError(
            "sacreBLEU is not installed",
            mend="install the extra: pip install 'recodeh[similarity]'",
        )
    metrics: Any = importlib.import_module("sacrebleu.metrics")
    return metrics.BLEU(tokenize="none", effective_order=True, force=True)

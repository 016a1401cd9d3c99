"""From a model's reply to the text of the region, or to the reason why there is none.

How a reply was read is always said: `strict` means one fenced Python block that stood as asked;
everything else is `repaired: …`, and what has two readings is refused.
"""

import ast
from dataclasses import dataclass, field
from typing import Final

from recodeh.data.errors import MaskError
from recodeh.data.records import Task
from recodeh.data.regions import newline_of
from recodeh.eval.fences import Block, block_at, holds_python, plain
from recodeh.eval.fit import Fitted, fit
from recodeh.eval.indent import reindent
from recodeh.eval.place import Place, parse, place_of

LONGEST: Final = 200_000
"""Characters of an answer that is read: a region has some thousands."""
MOST_FENCES: Final = 200


@dataclass(frozen=True, slots=True)
class Extracted:
    """A submission: the region's text with its indentation and a final newline, or a reason."""

    code: str | None
    how: str
    """`strict`, `repaired: …` with what was done, or `none`."""
    reason: str = ""
    """Why there is no code."""


@dataclass(frozen=True)
class _Candidate:
    fitted: Fitted
    labelled: bool
    repairs: tuple[str, ...]
    """What was unusual about the block itself."""


@dataclass
class _Search:
    """What a walk over the reply found, and what it met on the way."""

    candidates: list[_Candidate] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    read_to: int = 0
    """The line after the last block."""


def extract(reply: str, task: Task) -> Extracted:
    """The code of `reply`, ready to take the placeholder's place in the task's file."""
    try:
        place = place_of(task.masked_file, task.snippet)
    except MaskError as error:
        return Extracted(None, "none", f"the task's own file does not parse: {error.what}")
    text = plain(reply)
    if reason := _endless(text):
        return Extracted(None, "none", reason)
    search = _search(text, place)
    if not search.candidates and not search.problems:
        _try_unfenced(text, place, search)
    try:
        chosen = _choose(search, place)
    except MaskError as error:
        return Extracted(None, "none", error.what)
    how = _how(chosen, len(search.candidates) + len(search.problems))
    return Extracted(_with_newlines(chosen.fitted.code, task), how)


def _endless(text: str) -> str:
    """Why nobody should look for code in a text, if so: a search through it might take hours."""
    if len(text) > LONGEST:
        return f"the answer has {len(text)} characters; no more than {LONGEST} are read"
    fences = text.count("```") + text.count("~~~")
    if fences > MOST_FENCES:
        return f"the answer has {fences} fences; no more than {MOST_FENCES} are read"
    return ""


def _search(text: str, place: Place) -> _Search:
    """Fit every fenced block that may be Python, with the first end that makes it fit."""
    search, lines, at = _Search(), text.split("\n"), 0
    while at < len(lines):
        block = block_at(lines, at)
        if block is None or (not block.python and holds_python(block, lines)):
            at += 1
        elif _try_block(block, place, search) or not holds_python(block, lines):
            at = search.read_to
        else:
            at += 1
    return search


def _try_block(block: Block, place: Place, search: _Search) -> bool:
    """Try the block's contents, the likeliest end first, until one fits."""
    search.read_to = block.ends[0]
    if not (block.python or block.label == ""):
        return False
    problems = []
    for content, end in zip(block.contents, block.ends, strict=True):
        try:
            candidate = _Candidate(fit(content, place), block.python, _oddities(block, end))
            search.candidates.append(candidate)
        except MaskError as error:
            problems.append(_said(error))
            continue
        search.read_to = end
        return True
    search.problems.append(problems[0])
    return False


def _try_unfenced(text: str, place: Place, search: _Search) -> None:
    """A reply without any fence counts when it is code and cannot be prose."""
    try:
        fitted = fit(text, place)
    except MaskError:
        return
    if _is_code(fitted.code):
        search.candidates.append(_Candidate(fitted, False, ("no fence",)))


def _choose(search: _Search, place: Place) -> _Candidate:
    """The one candidate; blocks that are less sure of themselves step back first.

    Raises MaskError when none is left, or two that differ.
    """
    found = search.candidates
    if len(found) + len(search.problems) > 1:
        found = [one for one in found if not _is_example(one, place)]
    found = [one for one in found if one.fitted.defines] or found
    found = [one for one in found if one.labelled] or found
    codes = {one.fitted.code for one in found}
    if len(codes) > 1:
        raise MaskError(f"{len(codes)} different blocks in the answer could be the region")
    if not codes:
        raise MaskError(search.problems[0] if search.problems else "no fenced block in the answer")
    return found[-1]


def _is_example(candidate: _Candidate, place: Place) -> bool:
    """Whether a block calls the target instead of being it; only asked where there are others."""
    if candidate.fitted.defines or not place.names:
        return False
    names = {node.id for node in ast.walk(_alone(candidate)) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(_alone(candidate)) if isinstance(node, ast.Attribute)}
    return place.names[-1] in names


def _alone(candidate: _Candidate) -> ast.Module:
    return parse(reindent(candidate.fitted.code, ""))


def _is_code(code: str) -> bool:
    """Whether a text that parses is more than a word or a sentence that happens to."""
    return any(
        not isinstance(node, ast.Expr) or isinstance(node.value, ast.Call | ast.Yield | ast.Await)
        for node in parse(reindent(code, "")).body
    )


def _oddities(block: Block, end: int) -> tuple[str, ...]:
    told = {
        "closed the fence": not block.closed,
        "took a fence without a label": block.label == "",
        "read past a fence inside the block": end != block.ends[0],
    }
    return tuple(repair for repair, done in told.items() if done)


def _how(candidate: _Candidate, blocks: int) -> str:
    chosen = ("chose one of several blocks",) if blocks > 1 else ()
    repairs = (*chosen, *candidate.repairs, *candidate.fitted.repairs)
    return f"repaired: {'; '.join(repairs)}" if repairs else "strict"


def _said(error: MaskError) -> str:
    return f"{error.where}: {error.what}" if error.where else error.what


def _with_newlines(code: str, task: Task) -> str:
    return code.replace("\n", newline_of(task.masked_file))

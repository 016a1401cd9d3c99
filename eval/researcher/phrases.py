"""The phrases of the deterministic researcher: what they mean, how they are written, how they read.

One table gives each kind of difference its family (L1), its fault (L2) and its instruction (L3).
`family_sentence`, `analysis_sentence` and `guidance_sentence` write; `read_family`,
`read_analysis` and `read_guidance` are their inverses, so that a program can follow what a person
reads. Anything else reads as None.
"""

import re
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from typing import NamedTuple


class Family(StrEnum):
    """What goes wrong, as far as level 1 tells; the value is its phrase."""

    ARITHMETIC = "an arithmetic operation"
    SIGN = "a sign"
    CONDITION = "a condition"
    CALL = "a call"
    OPTION = "an option of a call"
    CONSTANT = "a constant"
    INDEX = "an index"
    NAME = "the choice of a variable"
    STEPS = "the sequence of steps"


class Kind(StrEnum):
    """What differs, as level 2 tells."""

    OPERATOR = "operator"
    OPERANDS = "operands"
    SIGN = "sign"
    TERM_MISSING = "term missing"
    TERM_EXTRA = "term extra"
    EXPRESSION = "expression"
    COMPARISON = "comparison"
    BOOLEAN = "boolean"
    NEGATION = "negation"
    CONDITION_MISSING = "condition missing"
    CONDITION_EXTRA = "condition extra"
    FUNCTION = "function"
    ARGUMENTS = "arguments"
    ARGUMENT_MISSING = "argument missing"
    ARGUMENT_EXTRA = "argument extra"
    KEYWORD = "keyword"
    KEYWORD_MISSING = "keyword missing"
    KEYWORD_EXTRA = "keyword extra"
    CALL_MISSING = "call missing"
    CALL_EXTRA = "call extra"
    CONSTANT = "constant"
    INDEX = "index"
    NAME = "name"
    ATTRIBUTE = "attribute"
    TARGET = "target"
    IN_PLACE = "in place"
    MISSING = "statement missing"
    RETURN_MISSING = "return missing"
    EXTRA = "statement extra"
    ORDER = "order"
    STATEMENT = "statement"
    BODY = "body"


@dataclass(frozen=True)
class Change:
    """A difference in words, each ready to stand in a sentence; a kind uses only some of them."""

    kind: Kind
    found: str = ""
    wanted: str = ""
    of: str = ""
    by: str = ""


class Relation(StrEnum):
    """How a place lies to the line that it names."""

    AT = "in"
    AFTER = "after"
    INSIDE = "inside"
    TOP = "top"
    WHOLE = "whole"


@dataclass(frozen=True)
class Place:
    """Where a difference is: a statement of the answer, or a gap beside or inside one."""

    relation: Relation
    line: int = 0
    """First line of the statement in the answer, from 1."""
    words: str = ""
    """The statement in words, e.g. `statement that assigns total`."""
    block: str = ""
    """For a gap inside: which part of the statement."""


class Form(NamedTuple):
    """How a kind is spoken of at each level."""

    family: Family
    fault: str
    guidance: str


FORMS: dict[Kind, Form] = {
    Kind.OPERATOR: Form(
        Family.ARITHMETIC, "an operator is wrong", "Use {wanted} instead of {found} there."
    ),
    Kind.OPERANDS: Form(
        Family.ARITHMETIC,
        "the two sides of an operation are swapped",
        "Swap the two sides of the {of} there.",
    ),
    Kind.SIGN: Form(Family.SIGN, "a sign is wrong", "There, {wanted} in front of {of}."),
    Kind.TERM_MISSING: Form(
        Family.ARITHMETIC, "a term is missing", "By {by}, combine {of} there with {wanted}."
    ),
    Kind.TERM_EXTRA: Form(
        Family.ARITHMETIC, "a term is too many", "Leave {found} out of the {by} there."
    ),
    Kind.EXPRESSION: Form(
        Family.ARITHMETIC, "an expression has another form", "Use {wanted} instead of {found}."
    ),
    Kind.COMPARISON: Form(
        Family.CONDITION, "a comparison is wrong", "Test for {wanted} instead of {found} there."
    ),
    Kind.BOOLEAN: Form(
        Family.CONDITION,
        "conditions are joined wrongly",
        "Join the conditions by {wanted} instead of {found} there.",
    ),
    Kind.NEGATION: Form(
        Family.CONDITION,
        "a condition is turned round",
        "There, the condition {of} must be {wanted}.",
    ),
    Kind.CONDITION_MISSING: Form(
        Family.CONDITION, "a condition is missing", "Add to the conditions there {wanted}."
    ),
    Kind.CONDITION_EXTRA: Form(
        Family.CONDITION, "a condition is too many", "Leave out of the conditions there {found}."
    ),
    Kind.FUNCTION: Form(
        Family.CALL, "a wrong function is called", "Call {wanted} instead of {found} there."
    ),
    Kind.ARGUMENTS: Form(
        Family.CALL,
        "arguments of a call are in a wrong order",
        "Swap the arguments {wanted} of the call of {of} there.",
    ),
    Kind.ARGUMENT_MISSING: Form(
        Family.CALL,
        "an argument of a call is missing",
        "Pass {wanted} as argument {by} of the call of {of} there.",
    ),
    Kind.ARGUMENT_EXTRA: Form(
        Family.CALL,
        "an argument of a call is too many",
        "Do not pass {found} as argument {by} of the call of {of} there.",
    ),
    Kind.KEYWORD: Form(
        Family.OPTION,
        "a keyword argument has a wrong value",
        "Pass {wanted} instead of {found} as the keyword {by} there.",
    ),
    Kind.KEYWORD_MISSING: Form(
        Family.OPTION,
        "a keyword argument is missing",
        "Pass {wanted} as the keyword {by} of the call of {of} there.",
    ),
    Kind.KEYWORD_EXTRA: Form(
        Family.OPTION,
        "a keyword argument is too many",
        "Do not pass the keyword {by} to the call of {of} there.",
    ),
    Kind.CALL_MISSING: Form(Family.CALL, "a call is missing", "Apply {wanted} to {of} there."),
    Kind.CALL_EXTRA: Form(Family.CALL, "a call is too many", "Do not apply {found} to {of} there."),
    Kind.CONSTANT: Form(
        Family.CONSTANT, "a constant is wrong", "Use {wanted} instead of {found} there."
    ),
    Kind.INDEX: Form(
        Family.INDEX,
        "an index or a slice is wrong",
        "Index with {wanted} instead of {found} there.",
    ),
    Kind.NAME: Form(
        Family.NAME, "a wrong variable is used", "Use {wanted} instead of {found} there."
    ),
    Kind.ATTRIBUTE: Form(
        Family.NAME,
        "a wrong attribute is used",
        "Use the attribute {wanted} instead of {found} there.",
    ),
    Kind.TARGET: Form(
        Family.NAME,
        "the result goes to a wrong place",
        "Assign to {wanted} instead of {found} there.",
    ),
    Kind.IN_PLACE: Form(
        Family.STEPS, "a new value and a change in place are confused", "There, {wanted}."
    ),
    Kind.MISSING: Form(
        Family.STEPS, "a statement is missing", "Add there a statement that {wanted}."
    ),
    Kind.RETURN_MISSING: Form(
        Family.STEPS, "a result is not returned", "Add there a statement that {wanted}."
    ),
    Kind.EXTRA: Form(Family.STEPS, "a statement is too many", "Leave that statement out."),
    Kind.ORDER: Form(
        Family.STEPS, "a statement stands in the wrong order", "Move that statement {wanted}."
    ),
    Kind.STATEMENT: Form(
        Family.STEPS,
        "another statement is needed",
        "Write instead a statement that {wanted}.",
    ),
    Kind.BODY: Form(
        Family.STEPS,
        "the steps are not those of the method",
        "Go through these steps: {wanted}.",
    ),
}

_FAULTS = {form.fault: kind for kind, form in FORMS.items()}
_WRONG = "What goes wrong is {}."
_LINE = r"(?P<words>.+?) \(line (?P<line>\d+) of the answer\)"
_PLACES = (
    (Relation.AT, "In the {words} (line {line} of the answer)", rf"In the {_LINE}"),
    (Relation.AFTER, "After the {words} (line {line} of the answer)", rf"After the {_LINE}"),
    (
        Relation.INSIDE,
        "At the start of the {block} of the {words} (line {line} of the answer)",
        rf"At the start of the (?P<block>[a-z]+(?: part| \d+)?) of the {_LINE}",
    ),
    (Relation.TOP, "At the start of the answer", "At the start of the answer"),
    (Relation.WHOLE, "In the answer as a whole", "In the answer as a whole"),
)
_WRITE = {relation: template for relation, template, _ in _PLACES}
_FAULT = "(?P<fault>" + "|".join(map(re.escape, _FAULTS)) + ")"
_READ = tuple((relation, re.compile(rf"{pattern}, {_FAULT}\.")) for relation, _, pattern in _PLACES)


def family_sentence(family: Family) -> str:
    """L1: what goes wrong."""
    return _WRONG.format(family.value)


def analysis_sentence(place: Place, kind: Kind) -> str:
    """L2: where, and what kind of difference."""
    where = _WRITE[place.relation].format(words=place.words, line=place.line, block=place.block)
    return f"{where}, {FORMS[kind].fault}."


def guidance_sentence(change: Change) -> str:
    """L3: what to do, in words."""
    return FORMS[change.kind].guidance.format(
        found=change.found, wanted=change.wanted, of=change.of, by=change.by
    )


def read_family(text: str) -> Family | None:
    """The family that a sentence in `text` names."""
    for family in Family:
        if family_sentence(family) in text:
            return family
    return None


def read_analysis(text: str) -> tuple[Place, Kind] | None:
    """The place and the kind that a text beginning with an analysis names."""
    for relation, pattern in _READ:
        if match := pattern.match(text):
            found = match.groupdict()
            place = Place(
                relation,
                int(found.get("line") or 0),
                found.get("words") or "",
                found.get("block") or "",
            )
            return place, _FAULTS[found["fault"]]
    return None


def read_guidance(kind: Kind, text: str) -> Change | None:
    """The change that an instruction for a difference of `kind` asks for."""
    match = _guidance_pattern(kind).fullmatch(text.strip())
    return Change(kind, **match.groupdict()) if match else None


@cache
def _guidance_pattern(kind: Kind) -> re.Pattern[str]:
    """The template with a group per slot: a quotation in backticks, or words without any."""
    text = re.escape(FORMS[kind].guidance)
    for slot in (field.name for field in fields(Change) if field.name != "kind"):
        text = text.replace(re.escape("{" + slot + "}"), rf"(?P<{slot}>`[^`]*`|(?:[^`]|`[^`]*`)+?)")
    return re.compile(text)

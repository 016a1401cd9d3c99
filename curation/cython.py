"""Cython to something that a parser of Python reads, with every byte offset kept.

Declarations of functions and classes become Python's, types and other declarations become blanks
or comments. What is lost is what no function's row needs.
"""

import re
from typing import Final

# `cdef inline double f(double x) nogil:` to `def                 f(        ) :`; so far as names,
# spans and calls are concerned that is the same.
_FUNCTION: Final = re.compile(
    rb"^(?P<indent>[ \t]*)(?P<kind>cpdef|cdef|def)\b"
    rb"(?P<type>[^\n()=#:'\"]*(?:\[[^\n\]]*\][^\n()=#:'\"]*)*?)(?P<name>\b[A-Za-z_]\w*)[ \t]*\(",
    re.MULTILINE,
)
_CLASS: Final = re.compile(rb"^([ \t]*)(cdef|cpdef)([ \t]+)(class)\b", re.MULTILINE)
_BLOCK: Final = re.compile(
    rb"^(?P<indent>[ \t]*)(?:(?:cdef|cpdef|ctypedef)[ \t]+(?:public[ \t]+|packed[ \t]+)*"
    rb"(?:extern\b|struct\b|union\b|enum\b|fused\b)|cdef[ \t]*(?:public|nogil)?[ \t]*:)[^\n]*"
    rb"(?:\n(?:[ \t]*(?=\n)|(?P=indent)[ \t]+[^\n]*))*",
    re.MULTILINE,
)
_DECLARED: Final = re.compile(
    rb"^([ \t]*)(cdef|ctypedef|cpdef|DEF|include)([ \t])(?![ \t]*class\b)([^\n]*)", re.MULTILINE
)
_CONDITION: Final = re.compile(rb"^([ \t]*)(IF|ELIF|ELSE)\b", re.MULTILINE)
_CIMPORT: Final = re.compile(rb"\bcimport\b")
_CAST: Final = re.compile(
    rb"<[ \t]*[A-Za-z_][\w. \t]*(?:\[[\w:, \t]*\])?[ \t*&]*\??>(?=[ \t]*[\w(&])"
)
_ADDRESS: Final = re.compile(rb"(?<=[(,=\[])([ \t]*)&(?=[ \t]*\w)")
_STRING: Final = re.compile(
    rb"\"{3}.*?\"{3}|'{3}.*?'{3}|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|#[^\n]*", re.DOTALL
)
_LETTER: Final = re.compile(rb"[^\n]")


def pythonised(data: bytes) -> bytes:
    """The rewritten copy, of the same length and with the same lines."""
    hidden = _STRING.sub(lambda match: _LETTER.sub(b"_", match[0]), data)
    plain = bytearray(_BLOCK.sub(lambda match: _LETTER.sub(b" ", match[0]), hidden))
    for match in _FUNCTION.finditer(bytes(plain)):
        _define(plain, match)
    text = _CLASS.sub(lambda m: m[1] + b"class" + b" " * (len(m[2] + m[3])), bytes(plain))
    text = _DECLARED.sub(_declaration, text)
    text = _CONDITION.sub(lambda match: match[1] + match[2].lower(), text)
    text = _CIMPORT.sub(b" import", text)
    text = _CAST.sub(lambda match: b" " * len(match[0]), text)
    return _shown(_ADDRESS.sub(rb"\1 ", text), hidden, data)


def _define(plain: bytearray, match: "re.Match[bytes]") -> None:
    """Make one header Python's: `def`, the name, parameters without types, a colon."""
    opened = match.end() - 1
    closed = _closing(plain, opened)
    colon = plain.find(b":", closed)
    ends = plain.find(b"\n", closed)
    if closed < 0 or colon < 0 or (0 <= ends < colon):
        return  # a declaration without a body
    if match["kind"] == b"def" and not _typed(bytes(plain[opened:closed])):
        return  # it is Python's already
    start = match.end("indent")
    head = b"def" + b" " * (match.start("name") - start - 3)
    plain[start : match.start("name")] = head
    plain[opened + 1 : closed] = _LETTER.sub(b" ", bytes(plain[opened + 1 : closed]))
    plain[closed + 1 : colon] = b" " * (colon - closed - 1)


def _typed(parameters: bytes) -> bool:
    """Whether any parameter has a type of Cython before its name."""
    return re.search(rb"\w[\w.\]*]*[ \t*&]+\w", parameters) is not None


def _closing(data: bytearray, opened: int) -> int:
    """Where the bracket that opens at an offset is closed; -1 where it is not."""
    depth = 0
    for offset in range(opened, len(data)):
        depth += (data[offset] in b"([{") - (data[offset] in b")]}")
        if not depth:
            return offset
    return -1


def _declaration(match: "re.Match[bytes]") -> bytes:
    """A declaration as a statement that does nothing, or as the assignment that it also is."""
    given = re.search(rb"(\b\w+)([ \t]*=(?!=))", match[4])
    if match[2] == b"cdef" and given and b"," not in match[4][: given.start()]:
        return match[1] + _shifted(match, given.start())
    filler = b"0" if match[2] == b"DEF" else b"pass"
    return match[1] + filler.ljust(len(match[2])) + b"#" + match[4]


def _shifted(match: "re.Match[bytes]", start: int) -> bytes:
    """`cdef int n = f(x)` as `_________n = f(x)`: an assignment to an odd name."""
    before = len(match[2]) + 1 + start
    return b"_" * before + match[4][start:]


def _shown(text: bytes, hidden: bytes, data: bytes) -> bytes:
    """The rewritten copy with its strings and comments back where they still stand."""
    out = bytearray(text)
    for match in _STRING.finditer(data):
        begin, end = match.span()
        if text[begin:end] == hidden[begin:end] and b"#" not in text[_line(text, begin) : begin]:
            out[begin:end] = data[begin:end]
    return bytes(out)


def _line(text: bytes, offset: int) -> int:
    return text.rfind(b"\n", 0, offset) + 1

"""Bytes of a source file to text and back without loss, and to bytes that a parser can read."""

import codecs
import re
from typing import Final

_ASCII: Final = bytes(range(128))
# Where Python itself looks (PEP 263): a comment in one of the first two lines.
_COOKIE: Final = re.compile(
    rb"\A(?:\xef\xbb\xbf)?(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))?"
    rb"[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)"
)
_LONE_CR: Final = re.compile(rb"\r(?!\n)")


def codec_of(data: bytes) -> str:
    """The codec in which `data` decodes and encodes back to the same bytes.

    The declared one where it does, else UTF-8, else Latin-1, which takes any bytes. A byte order
    mark stays in the text as a character.
    """
    match = _COOKIE.match(data)
    declared = [_known(match.group(1).decode())] if match else []
    return next(name for name in (*declared, "utf-8", "latin-1") if name and _exact(data, name))


def decode(data: bytes) -> str:
    """The text of `data` in its own codec."""
    return data.decode(codec_of(data))


def parseable(data: bytes) -> bytes:
    """Bytes of the same length that a parser reading UTF-8 understands.

    Lone carriage returns become line feeds, and in a file that is not UTF-8 every other character
    becomes letters, so that each byte offset means the same place in both.
    """
    codec = codec_of(data)
    if codec != "utf-8":
        text = data.decode(codec)
        data = b"".join(
            char.encode() if char.isascii() else b"x" * len(char.encode(codec)) for char in text
        )
    return _LONE_CR.sub(b"\n", data)


def _known(declared: str) -> str | None:
    """The codec Python would take for a cookie, if it writes ASCII as ASCII."""
    name = declared.lower().replace("_", "-")
    if name == "utf-8" or name.startswith("utf-8-"):
        return "utf-8"
    if name in ("latin-1", "iso-8859-1", "iso-latin-1"):
        return "latin-1"
    try:
        found = codecs.lookup(name).name
        return found if _ASCII.decode(found).encode("ascii") == _ASCII else None
    except (LookupError, ValueError, TypeError):  # unknown, not of text, or not a superset of ASCII
        return None


def _exact(data: bytes, codec: str) -> bool:
    try:
        return data.decode(codec).encode(codec) == data
    except UnicodeError:
        return False

"""Text and identifiers to the words by which a function and a passage can be compared."""

import re
from collections import Counter
from typing import Final

_WORD: Final = re.compile(r"[A-Za-z]+|\d+")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ENDINGS: Final = ("ations", "ation", "ings", "ing", "ies", "ed", "es", "s")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STOP: Final = _names(
    "a an and are as at be by for from has have if in into is it its of on or our such that the "
    "their then there these this to we where which with can may not no each other also i e g self "
    "none true false return returns def class args kwargs param params parameter arg array int "
    "float str bool list tuple dict optional default value values given let between over left "
    "right mathbf mathrm mathcal text begin end label cite ref eq fig frac hat bar tilde cdot "
    "using use used new one two shape type input output inputs outputs"
)


def words(text: str) -> Counter[str]:
    """The stems of a text's words, identifiers split at case changes and underscores."""
    spaced = _CAMEL.sub(" ", text).lower()
    stems = (_stem(word) for word in _WORD.findall(spaced) if word not in _STOP)
    return Counter(stem for stem in stems if len(stem) > 1)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word

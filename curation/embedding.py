"""Texts to vectors by a model of the user's choice, in place of BM25; nothing of it is required."""

from collections.abc import Sequence
from typing import Protocol

from recodeh.data.errors import InputError

_MEND = "pip install sentence-transformers, and give a model that is on this machine or a hub"


class Embedder(Protocol):
    """Turns texts into vectors of one length, in order; the same text always gives the same."""

    def __call__(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """One vector per text."""


def sentence_transformer(name: str) -> Embedder:
    """The model of a name or folder; raises InputError where it or its library is missing."""
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        what = "the library sentence-transformers is not installed"
        raise InputError(what, where=f"--embedding {name}", mend=_MEND) from error
    try:
        model = SentenceTransformer(name, device="cpu")
    except (OSError, ValueError) as error:
        raise InputError(
            f"no such model: {error}", where=f"--embedding {name}", mend=_MEND
        ) from error
    return lambda texts: model.encode(list(texts)).tolist()


def likenesses(
    queries: Sequence[str], texts: Sequence[str], embed: Embedder
) -> list[list[tuple[float, int]]]:
    """For each query the texts by cosine, best first; what points away is left out."""
    if not queries or not texts:
        return [[] for _ in queries]
    known, asked = [[_unit(v) for v in embed(part)] for part in (texts, queries)]
    scored = (
        [(sum(a * b for a, b in zip(q, v, strict=True)), n) for n, v in enumerate(known)]
        for q in asked
    )
    return [sorted((p for p in row if p[0] > 0), key=lambda p: (-p[0], p[1])) for row in scored]


def _unit(vector: Sequence[float]) -> list[float]:
    length = sum(x * x for x in vector) ** 0.5 or 1.0
    return [float(x) / length for x in vector]

"""BM25: how well each of a fixed set of texts answers a query (Robertson and Zaragoza, 2009)."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

_K1: Final = 1.2
_B: Final = 0.75


class Index:
    """An inverted index over bags of words."""

    def __init__(self, texts: Sequence[Counter[str]]) -> None:
        self._size = len(texts)
        lengths = [text.total() for text in texts]
        mean = sum(lengths) / max(1, self._size) or 1.0
        self._norms = [_K1 * (1 - _B + _B * length / mean) for length in lengths]
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, text in enumerate(texts):
            for word, count in text.items():
                self._postings[word].append((number, count))

    def rarity(self, word: str) -> float:
        """The inverse document frequency of a word; of one that no text has, 0."""
        found = len(self._postings.get(word, ()))
        return math.log(1 + (self._size - found + 0.5) / (found + 0.5)) if found else 0.0

    def scores(self, query: Counter[str]) -> list[tuple[float, int]]:
        """Score and number of every text that shares a word with the query, best first."""
        totals: dict[int, float] = defaultdict(float)
        for word, weight in query.items():
            rarity = self.rarity(word)
            for number, count in self._postings.get(word, ()):
                gain = count * (_K1 + 1) / (count + self._norms[number])
                totals[number] += rarity * gain * (1 + math.log(weight))
        return sorted(
            ((score, number) for number, score in totals.items()), key=lambda p: (-p[0], p[1])
        )

"""A model of vectors in place of BM25."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from recodeh.curation.embedding import sentence_transformer
from recodeh.curation.inventory import inventory
from recodeh.curation.library_names import common_names
from recodeh.curation.ranking import rank
from recodeh.data.errors import InputError

BODY = "    a = x + 1\n    b = a * a\n    return b\n"
PAPER = (
    "# Hull\n\nWe draw the boundary of a set that is given by its points in the plane.\n\n"
    "# Gauge\n\nWe measure the size of a body along each of the directions that there are.\n"
)


def letters(texts: Sequence[str]) -> list[list[float]]:
    """How often a text says `hull`, `boundary`, `gauge`, and `size`, two and two alike."""
    return [
        [float(text.count("hull") + text.count("boundary")),
         float(text.count("gauge") + text.count("size"))]
        for text in texts
    ]  # fmt: skip


def test_the_vectors_say_which_passage_speaks_of_a_function(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(f"def hull(x):\n{BODY}\n\ndef gauge(x):\n{BODY}")
    found = rank(inventory(tmp_path), PAPER, root=tmp_path, embed=letters).candidates
    passages = {item.function.symbol: item.passages[0].section for item in found}

    assert passages == {"hull": "Hull", "gauge": "Gauge"}
    assert {item.parts["link"] for item in found} == {1.0}


def test_without_the_library_one_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(InputError, match="pip install sentence-transformers"):
        sentence_transformer("any")


def test_a_name_that_common_libraries_have_is_not_new(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(f"def median(x):\n{BODY}\n\ndef increment_gauge(x):\n{BODY}")
    found = {
        item.function.symbol: item
        for item in rank(
            inventory(tmp_path), PAPER.replace("size", "median increment gauge"), root=tmp_path
        ).candidates
    }

    assert "median" in common_names()
    assert found["median"].parts["novelty"] == 0
    assert "has the name of a function of a common library" in found["median"].reasons
    assert found["increment_gauge"].parts["novelty"] > 0

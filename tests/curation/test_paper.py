"""Papers in LaTeX, Markdown and plain text to passages."""

from pathlib import Path

import pytest

from recodeh.curation.paper import Passage, passages, read_paper
from recodeh.data.errors import InputError


def test_latex_comes_with_its_inputs_without_comments_each_file_once(tmp_path: Path) -> None:
    (tmp_path / "sec").mkdir()
    (tmp_path / "secret.tex").write_text("outside of the paper, never read by anybody")
    root = tmp_path / "sec"
    (root / "main.tex").write_text(
        "\\documentclass{article}\n\\begin{document}\n% \\input{hidden}\n"
        "\\input{parts/method}\\include{parts/method}\\input{../secret}\n\\end{document}\n"
    )
    (root / "parts").mkdir()
    (root / "parts" / "method.tex").write_text(
        "\\section[short]{The \\emph{drift} rule}\n"
        "The drift is removed from every increment, as we show.\n\n"
        "\\begin{align*}\n d_t &= x_t - x_{t-1} - \\mu \\\\ \\end{align*}\n"
        "\\begin{algorithm}\nfor every step do remove the drift\n\\end{algorithm}\n"
    )
    text = read_paper(root / "main.tex")

    assert "never read" not in text
    assert "hidden" not in text
    assert text.count("The drift is removed") == 1
    assert passages(text)[-3:] == [
        Passage("The \\emph{drift} rule", "text",
                "The drift is removed from every increment, as we show."),
        Passage("The \\emph{drift} rule", "equation", "d_t &= x_t - x_{t-1} - \\mu \\\\"),
        Passage("The \\emph{drift} rule", "algorithm", "for every step do remove the drift"),
    ]  # fmt: skip


def test_markdown_and_extracted_text_have_sections_too() -> None:
    markdown = (
        "# One\n\nA paragraph about the first thing.\n\n## Two ##\n\n$$ y = a x + b + c_0 $$\n"
    )
    extracted = (
        "Abstract\nWe study how walks wander about.\n\n3.2 Update rule\nThe weights decay.\n"
    )

    assert [(part.section, part.kind) for part in passages(markdown)] == [
        ("One", "text"), ("Two", "equation"),
    ]  # fmt: skip
    assert [part.section for part in passages(extracted)] == ["Abstract"]
    assert passages(extracted + "x" * 30)[-1].section == "Update rule"


def test_a_missing_paper_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_paper(tmp_path / "paper.tex")

"""The page as text: what it says, and that nothing in it can run or reach outside."""

import base64
import hashlib
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from recodeh_cli import run

from recodeh.cards.report import report

Synthetic = Callable[..., Path]
HOSTILE = '</script><script>boom()</script><img src=x onerror="boom()"><!-- \u2028 & "'


def embedded(page: str) -> Any:
    """The data that the page's script reads."""
    return json.loads(page.split('id="data">')[1].split("</script>")[0])


class Elements(HTMLParser):
    """The elements of a page with their attributes, as a browser would see them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_page_gives_table_curves_grid_and_settings(synthetic: Synthetic) -> None:
    page = report([synthetic()])
    assert "<h1>synthetic-tasks 0.0.0</h1>" in page
    assert "2 models on 18 tasks from 6 papers, at most 6 turns each" in page
    assert page.count('<svg class="curves"') == 2
    assert page.count('<svg class="whisker') == 10
    assert len(re.findall(r'class="cell (solved|failed|infra)" href="#episode=', page)) == 180
    for label, value in (("wall", "bubblewrap"), ("temperature", "0.2"), ("recodeh", "0.1.0")):
        assert f"<dt>{label}</dt><dd><span>{value}</span></dd>" in page


def test_the_same_runs_give_the_same_page(synthetic: Synthetic) -> None:
    folder = synthetic(papers=2)
    assert report([folder]) == report([folder])


def test_the_page_reaches_for_nothing_outside(synthetic: Synthetic) -> None:
    page = report([synthetic(papers=2)])
    for tag, attributes in Elements(page).found:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
    assert not re.search(r"@import|url\(", page)


def test_only_the_pages_own_script_and_style_may_run(synthetic: Synthetic) -> None:
    page = report([synthetic(papers=1)])
    policy = page.split('Content-Security-Policy" content="')[1].split('"')[0].replace("&#39;", "'")
    assert policy.startswith("default-src 'none';")
    for part, text in (
        ("script-src", page.split("<script>")[1].split("</script>")[0]),
        ("style-src", page.split("<style>")[1].split("</style>")[0]),
    ):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{part} 'sha256-{digest}'" in policy


def test_hostile_text_opens_no_element_and_is_kept_as_it_was(synthetic: Synthetic) -> None:
    calm = Elements(report([synthetic("calm", papers=1, models=["m"])])).found
    page = report([synthetic("hostile", papers=1, models=[f"m{HOSTILE}"], said=HOSTILE)])
    tags = [tag for tag, _ in Elements(page).found]
    assert tags == [tag for tag, _ in calm]
    data = embedded(page)
    assert sum(text.endswith(HOSTILE) for text in data["texts"]) > 4
    assert data["episodes"][0]["model"] == f"m{HOSTILE}"


def test_each_text_is_embedded_once(synthetic: Synthetic) -> None:
    data = embedded(report([synthetic()]))
    assert len(set(data["texts"])) == len(data["texts"])
    system = data["texts"].index("You write one missing region of a paper's code.")
    first = [episode["turns"][0]["calls"][0]["messages"][0] for episode in data["episodes"]]
    assert first == [["system", system]] * len(first)


def test_a_copy_of_a_run_changes_no_number(synthetic: Synthetic) -> None:
    first, second = synthetic("run", papers=2), synthetic("copy", papers=2)
    one, two = report([first]), report([first, second])
    assert table_of(one) == table_of(two)
    assert len(embedded(one)["episodes"]) == len(embedded(two)["episodes"])


def table_of(page: str) -> str:
    return page.split('<table class="results">')[1].split("</table>")[0]


def test_without_episodes_the_page_stays_small(synthetic: Synthetic) -> None:
    folder = synthetic(papers=3)
    page = report([folder], episodes=False)
    assert len(page) < len(report([folder])) / 3
    assert table_of(page) == table_of(report([folder]))
    assert 'id="episodes"' not in page


def test_the_command_writes_the_page(
    synthetic: Synthetic, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = synthetic(papers=1), tmp_path / "new" / "page.html"
    assert run(["report", str(folder), "-o", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "page": str(out),
        "runs": [str(folder)],
        "bytes": out.stat().st_size,
    }


def test_the_command_refuses_what_is_no_run_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["report", str(tmp_path), "-o", str(tmp_path / "page.html")]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "run.json is missing" in line
    assert not (tmp_path / "page.html").exists()

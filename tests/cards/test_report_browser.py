"""The page in a real browser, opened from disk: it shows episodes, and hostile text stays text."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recodeh.cards.report import report

BROWSER, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
)
HOSTILE = '</script><script>window.ran = 1</script><img src=x onerror="window.ran = 2">'
Synthetic = Callable[..., Path]

pytestmark = pytest.mark.skipif(
    not Path(BROWSER).exists() or not Path(DRIVER).exists(),
    reason="chromium and chromedriver are not installed",
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    profile = tmp_path_factory.mktemp("profile")
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()
    shutil.rmtree(profile, ignore_errors=True)


def open_page(browser: Any, folder: Path, after: str = "") -> None:
    """Write the page of a run and open it from disk; the console must stay silent."""
    page = folder.parent / "page.html"
    page.write_text(report([folder]), encoding="utf-8")
    browser.get("about:blank")
    browser.get(f"{page.as_uri()}{after}")
    assert browser.get_log("browser") == []


def texts(browser: Any, selector: str) -> list[str]:
    from selenium.webdriver.common.by import By

    return [
        one.get_property("textContent") for one in browser.find_elements(By.CSS_SELECTOR, selector)
    ]


def choose(browser: Any, select: str, value: str) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.select import Select

    Select(browser.find_element(By.ID, select)).select_by_value(value)


def press(browser: Any, selector: str) -> None:
    from selenium.webdriver.common.by import By

    browser.find_element(By.CSS_SELECTOR, selector).click()


def test_an_episode_is_chosen_and_its_changes_are_shown(browser: Any, synthetic: Synthetic) -> None:
    open_page(browser, synthetic())
    choose(browser, "pick-model", "example/small-model")
    choose(browser, "pick-task", "ridgepath/influence_path#body")
    levels = texts(browser, "#pick-level button")
    assert levels == ["L0", "L1", "L2", "L3", "L4"]
    press(browser, "#pick-level button:nth-child(3)")
    assert texts(browser, "#reader h3") == ["ridgepath/influence_path#body"]
    assert "L2" in texts(browser, "#reader .episode .sub")[0]
    assert "#episode=" in browser.current_url
    assert texts(browser, "#turn-2 .diff .removed .code") == [
        "    for step in range(count):",
        "    return weights",
    ]
    assert texts(browser, "#turn-2 .diff .added .code") == [
        "    for step in range(1, count):",
        "    return weights / scale",
    ]
    assert browser.get_log("browser") == []


def test_what_the_changes_leave_and_add_is_the_code(browser: Any, synthetic: Synthetic) -> None:
    open_page(browser, synthetic())
    choose(browser, "pick-model", "example/small-model")
    choose(browser, "pick-task", "mossfield/influence_path#body")
    press(browser, "#pick-level button:nth-child(3)")
    turns = len(texts(browser, "#reader .turn"))
    assert turns > 3
    while texts(browser, ".gap button"):
        press(browser, ".gap button")
    codes = [texts(browser, f"#turn-{turn} .whole .code") for turn in range(1, turns + 1)]
    changed = [turn for turn in range(2, turns + 1) if codes[turn - 1] != codes[turn - 2]]
    assert changed
    for turn in changed:
        rows = f"#turn-{turn} .diff tr"
        assert texts(browser, f"{rows}:not(.added) .code") == codes[turn - 2]
        assert texts(browser, f"{rows}:not(.removed) .code") == codes[turn - 1]


def test_every_turn_shows_prompt_code_tests_and_feedback(
    browser: Any, synthetic: Synthetic
) -> None:
    open_page(browser, synthetic(papers=2))
    turns = len(texts(browser, "#reader .turn"))
    assert turns > 1
    assert len(texts(browser, "#reader .turn .source.whole")) >= turns
    assert len(texts(browser, "#reader .turn .feedback")) == turns - 1
    assert texts(browser, ".turn:last-child h4 .verdict") == ["8/8 tests passed"]
    roles = texts(browser, "#turn-1 .role")
    assert [role.split()[0].removesuffix("900") for role in roles] == [
        "system",
        "user",
        "reply900"[:5],
    ]
    assert texts(browser, ".matrix tbody th")[0] == "test_shape"


def test_a_cell_of_the_grid_opens_its_episode(browser: Any, synthetic: Synthetic) -> None:
    open_page(browser, synthetic(papers=2))
    press(browser, ".grid:not([hidden]) a.cell.failed")
    assert texts(browser, "#reader .verdict.failed")
    assert browser.current_url.split("#")[1].startswith("episode=")


def test_a_link_opens_an_episode_at_its_turn(browser: Any, synthetic: Synthetic) -> None:
    folder = synthetic(papers=2)
    open_page(browser, folder)
    press(browser, ".matrix thead a[href$='turn=2']")
    link = browser.current_url.split("#")[1]
    name = texts(browser, "#reader h3")
    open_page(browser, folder, f"#{link}")
    assert texts(browser, "#reader h3") == name
    browser.set_script_timeout(10)
    top = browser.execute_async_script(
        "const done = arguments[0], at = () =>"
        " document.getElementById('turn-2').getBoundingClientRect().top;"
        "const look = (left) => at() < 400 || !left ? done(at()) : setTimeout(look, 50, left - 1);"
        "look(100)"
    )
    assert top < 400


def test_hostile_text_is_shown_and_never_run(browser: Any, synthetic: Synthetic) -> None:
    open_page(browser, synthetic(papers=1, models=[f"m{HOSTILE}"], said=HOSTILE))
    for summary in range(len(texts(browser, "summary"))):
        browser.execute_script(f"document.querySelectorAll('details')[{summary}].open = true")
    assert browser.execute_script("return window.ran") is None
    assert browser.execute_script("return document.images.length") == 0
    assert any(HOSTILE in text for text in texts(browser, ".source .code"))
    assert any(HOSTILE in text for text in texts(browser, ".feedback .prose"))
    assert any(HOSTILE in text for text in texts(browser, ".message pre"))
    assert browser.get_log("browser") == []


def test_the_page_fits_a_telephone(browser: Any, synthetic: Synthetic) -> None:
    folder = synthetic(papers=2)
    size = {"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        open_page(browser, folder)
        assert browser.execute_script("return document.documentElement.scrollWidth") == 400
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_without_script_table_and_curves_are_there(browser: Any, synthetic: Synthetic) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        open_page(browser, synthetic(papers=2))
        assert len(texts(browser, ".results tbody tr")) == 12
        assert len(texts(browser, ".curves .line")) == 10
        assert len(texts(browser, ".grid")) == 2
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

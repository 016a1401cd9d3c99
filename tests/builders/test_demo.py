"""The whole chain as a user runs it, where no registry is reached: the example paper stands in."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

UNREACHED = "http://127.0.0.1:9/simple"
TURNS = "4"


def environment(cache: Path) -> dict[str, str]:
    index = {"UV_DEFAULT_INDEX": UNREACHED, "UV_INDEX_URL": UNREACHED, "PIP_INDEX_URL": UNREACHED}
    return {**os.environ, **index, "RECODEH_CACHE": str(cache)}


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "recodeh_cli", *map(str, arguments)]


def recodeh(cache: Path, *arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(*arguments), env=environment(cache), capture_output=True, text=True, timeout=600
    )


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture(scope="module")
def played(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo that was killed in its episodes and run again."""
    out = tmp_path_factory.mktemp("demo") / "out"
    killed = subprocess.Popen(
        command("demo", "-o", out, "--turns", TURNS),
        env=environment(cache),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    events = out / "run" / "events.jsonl"
    for _ in range(3000):
        if events.exists() and events.read_bytes().count(b'"event":"tested"') >= 12:
            break
        assert killed.poll() is None, "the demo ended before it could be killed"
        time.sleep(0.1)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    before = events.read_bytes()
    done = recodeh(cache, "demo", "-o", out, "--turns", TURNS)
    assert done.returncode == 0, done.stderr
    (out / "printed.txt").write_text(done.stdout)
    assert events.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    return out


def test_the_demo_says_that_no_registry_was_reached(played: Path) -> None:
    printed = (played / "printed.txt").read_text()
    assert "registry cannot be reached" in printed
    assert "which is no real paper" in printed


def test_every_stage_prints_its_summary(played: Path) -> None:
    printed = (played / "printed.txt").read_text()
    for stage in ("fetch", "mine", "environment", "mask and instruct", "verify", "write", "play"):
        assert f"\n{stage} " in printed


def test_the_reference_solves_everything_and_the_stub_nothing(played: Path) -> None:
    results = rows(played / "run" / "results.jsonl")
    assert len(results) == 3 * 4 * 5
    solved = {
        model: {row["solved_at"] for row in results if row["model"] == f"builtin/{model}"}
        for model in ("reference", "stub", "retrieval")
    }
    assert solved == {"reference": {1}, "stub": {None}, "retrieval": {None}}


def test_the_mutant_gains_with_every_level(played: Path) -> None:
    results = [
        row for row in rows(played / "run" / "results.jsonl") if row["model"] == "builtin/mutant"
    ]
    by_level = [
        sum(row["solved_at"] is not None for row in results if row["level"] == level)
        for level in range(5)
    ]
    assert by_level == sorted(by_level)
    assert by_level[4] == 3 > by_level[0]


def test_a_killed_demo_goes_on_and_asks_nothing_twice(played: Path) -> None:
    events = rows(played / "run" / "events.jsonl")
    asked = [
        event["request_key"]
        for event in events
        if event["event"] == "model_called" and not event["reused"]
    ]
    assert len(asked) == len(set(asked))
    ended = [event["episode"] for event in events if event["event"] == "episode_ended"]
    assert len(ended) == len(set(ended)) == 3 * 4 * 5


def test_replay_gives_the_same_rows_with_the_network_off(played: Path, cache: Path) -> None:
    results = (played / "run" / "results.jsonl").read_bytes()
    off = []
    if shutil.which("bwrap"):
        off = ["bwrap", "--dev-bind", "/", "/", "--unshare-net", "--"]
    done = subprocess.run(
        [*off, *command("replay", played / "run")],
        env=environment(cache),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "byte for byte" in done.stdout
    assert (played / "run" / "results.jsonl").read_bytes() == results


def test_a_changed_result_does_not_replay(played: Path, cache: Path, tmp_path: Path) -> None:
    shutil.copytree(played / "run", tmp_path / "run")
    shutil.copytree(played / "recode-h", tmp_path / "recode-h")
    results = tmp_path / "run" / "results.jsonl"
    results.write_bytes(results.read_bytes().replace(b'"solved_at":null', b'"solved_at":1', 1))
    done = recodeh(cache, "replay", tmp_path / "run")
    assert done.returncode == 1
    assert "the replay gives other rows" in done.stderr


def test_a_second_demo_plays_nothing_again(played: Path, cache: Path) -> None:
    events = (played / "run" / "events.jsonl").read_bytes()
    done = recodeh(cache, "demo", "-o", played, "--turns", TURNS, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["episodes"] == 3 * 4 * 5
    assert (played / "run" / "events.jsonl").read_bytes() == events


def test_a_demo_with_other_settings_keeps_the_first_run(played: Path, cache: Path) -> None:
    copy = played.with_name("copy")
    shutil.copytree(played, copy)
    done = recodeh(cache, "demo", "-o", copy, "--turns", "1")
    assert done.returncode == 0, done.stderr
    assert (copy / "run.1" / "results.jsonl").read_bytes() == (
        played / "run" / "results.jsonl"
    ).read_bytes()
    assert {len(row["turns"]) for row in rows(copy / "run" / "results.jsonl")} == {1}


def test_verify_passes_every_gate_again(played: Path, cache: Path) -> None:
    done = recodeh(cache, "verify", played / "recode-h")
    assert done.returncode == 0, done.stderr
    assert "3 of 3 tasks pass every gate" in done.stdout


def test_score_and_report_read_the_run(played: Path, cache: Path, tmp_path: Path) -> None:
    scored = recodeh(cache, "score", played / "run", "--json")
    assert len(json.loads(scored.stdout)["scores"]) == 4 * 5
    reported = recodeh(cache, "report", played / "run", "-o", tmp_path / "page.html")
    assert reported.returncode == 0, reported.stderr
    assert (tmp_path / "page.html").read_bytes() == (played / "report.html").read_bytes()

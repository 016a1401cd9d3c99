"""No attack of the table is ever judged as passed, behind any wall, alone or in a crowd."""

import importlib.util
import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from recodeh.data.records import Report, Verdict
from recodeh.eval.rooms.job import Job, Limits
from recodeh.eval.rooms.runner import run, run_fresh
from recodeh.eval.walls.wall import Wall


def _table() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "recodeh_test_attacks", Path(__file__).with_name("attacks.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TABLE: Any = _table()
SECRET = repr(random.SystemRandom().uniform(10, 99))
"""Made anew for every session, so that no file of this repository holds it."""

TESTS = f"""
import math
import numpy as np
import pytest
MARK = "{TABLE.MARK}{SECRET}"
secret = {SECRET}
def test_equal(submission):
    assert submission("paper:f", 2.0) == secret
def test_approx(submission):
    assert submission("paper:f", 2.0) == pytest.approx(secret)
def test_isclose(submission):
    assert math.isclose(submission("paper:f", 2.0), secret)
def test_allclose(submission):
    np.testing.assert_allclose(submission("paper:f", 2.0), secret)
def test_array(submission):
    assert np.array_equal(submission("paper:f", np.full(3, 2.0)), np.full(3, secret))
def test_difference(submission):
    assert abs(submission("paper:f", 2.0) - secret) < 1e-9
"""
IDS = tuple(
    line.split("def ")[1].split("(")[0] for line in TESTS.splitlines() if line.startswith("def ")
)
LIMITS = Limits(cpu_seconds=3, wall_seconds=4, memory_mb=1024, processes=32, file_mb=64)
HONEST = f"import numpy as np\ndef f(x): return x * 0 + {SECRET}"

MakeJob = Callable[..., Job]


def attacked(job: MakeJob, wall: Wall, name: str, *, fresh: bool = False) -> Report:
    attack = TABLE.ATTACKS[name]
    files = {path: text.encode() for path, text in attack.files.items()}
    made = job(attack.code, TESTS, ids=IDS, limits=LIMITS, files=files)
    return run_fresh(made, wall) if fresh else run(made, wall)


def test_the_tests_of_this_table_can_be_passed(job: MakeJob, wall: Wall) -> None:
    report = run(job(HONEST, TESTS, ids=IDS, limits=LIMITS), wall)
    assert report.verdict is Verdict.PASSED, report.reason


WARM = [pytest.param(name, False, id=name) for name in TABLE.ATTACKS]
FRESH = [pytest.param(name, True, id=f"fresh-{name}") for name in list(TABLE.ATTACKS)[::4]]


@pytest.mark.parametrize(("name", "fresh"), [*WARM, *FRESH])
def test_an_attack_is_never_passed(
    job: MakeJob, wall: Wall, name: str, fresh: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    attack = TABLE.ATTACKS[name]
    if wall.name in attack.open_behind:
        pytest.skip(f"the wall {wall.name} does not stop this one, so it would harm this machine")
    monkeypatch.setenv("RECODEH_TEST_KEY", "sk-not-for-rooms")
    started = time.monotonic()
    report = attacked(job, wall, name, fresh=fresh)
    assert time.monotonic() - started < LIMITS.wall_seconds + 1 + 2  # the start of both rooms
    assert report.verdict in attack.verdicts, report.reason
    assert report.verdict in (Verdict.FAILED, Verdict.TAMPERED)
    assert report.passed_tests == 0
    if wall.name != "process":
        assert not any(word in report.output for word in TABLE.SUCCESSES), report.output


def test_a_crowd_of_attacks_does_not_help(job: MakeJob, wall: Wall) -> None:
    names = [name for name, one in TABLE.ATTACKS.items() if wall.name not in one.open_behind][::7]
    with ThreadPoolExecutor(4) as pool:
        reports = list(pool.map(lambda name: attacked(job, wall, name), names))
        honest = pool.submit(run, job(HONEST, TESTS, ids=IDS, limits=LIMITS), wall)
    assert {report.verdict for report in reports} <= {Verdict.FAILED, Verdict.TAMPERED}
    assert honest.result().verdict is Verdict.PASSED


def test_the_table_is_long_enough() -> None:
    assert len(TABLE.ATTACKS) >= 60

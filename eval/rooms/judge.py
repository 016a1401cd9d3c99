"""The pytest plugin of the judge's room: gives the fixture, watches the tests, tells the runner.

Stand-alone.
"""

import contextlib
import linecache
import os
import re
from collections.abc import Callable, Generator
from typing import Any

import pytest

from recodeh.eval.rooms import confine
from recodeh.eval.rooms.channel import Channel
from recodeh.eval.rooms.remote import Link, Submission, SubmissionGone

MAX_MESSAGE = 2000
MAX_TRACEBACK = 8000
SENTINEL = "recodeh-sentinel"
CONTROL_SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")


class Sentinel(pytest.Item):
    """A test that must fail; where it passes, nothing that this process says counts."""

    def runtest(self) -> None:
        """Compare two numbers that differ, the way tests do."""
        assert float("1.5") == float("2.5"), "the sentinel fails as it must"

    def repr_failure(self, excinfo: Any, style: Any = None) -> str:
        """Nobody reads it, and a full traceback takes longer than most tests."""
        return "failed"


class Judge:
    """The pytest plugin: gives the fixture, watches the tests, and tells the runner."""

    def __init__(self, runner: Channel | None, link: Link | None, seed: int) -> None:
        self.runner = runner
        self.link = link
        self.seed = seed
        self.told: list[dict[str, Any]] = []
        """What was seen before there was a runner to tell."""
        self.loop: Callable[[Any], bool] | None = None
        """Takes the place of running the collected tests once."""
        self.sentinel = "missing"
        self.outcomes: dict[str, dict[str, Any]] = {}

    @pytest.fixture(scope="session")
    def submission(self) -> Submission:
        """Calls the code under test in its own room."""
        return Submission(self._linked())

    def pytest_collection_modifyitems(self, session: Any, items: list[Any]) -> None:
        """Tell the ids, take the tests off the disk, and add the sentinel."""
        for path in {str(item.path) for item in items}:
            _forget(path)
        self._tell({"event": "collected", "ids": [item.nodeid for item in items]})
        items.append(Sentinel.from_parent(session, name=SENTINEL))

    def pytest_collectreport(self, report: Any) -> None:
        """Tell why a file could not be collected."""
        if report.failed:
            text = _clean(str(report.longrepr), MAX_TRACEBACK)
            self._tell({"event": "uncollected", "id": report.nodeid, "why": text})

    def pytest_runtest_setup(self, item: Any) -> None:
        """Start every test from the same random state, in both rooms."""
        confine.seed(self.seed)
        self._linked().seed = self.seed
        self._linked().interfaces.clear()
        if not isinstance(item, Sentinel):
            self._tell({"event": "started", "id": item.nodeid})

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, Any]:
        """Gather the phases of a test into one outcome."""
        report = yield
        if isinstance(item, Sentinel):
            failed = call.excinfo is not None and call.excinfo.errisinstance(AssertionError)
            if report.when == "call":
                self.sentinel = "failed" if failed and report.failed else "passed"
            return report
        self._gather(item.nodeid, report, call)
        if report.when == "teardown":
            self._tell({"event": "test", **self.outcomes[item.nodeid]})
        return report

    def _gather(self, name: str, report: Any, call: Any) -> None:
        row = self.outcomes.setdefault(
            name,
            {
                "id": name,
                "outcome": "error",
                "seconds": 0.0,
                "exception": "",
                "message": "",
                "traceback": "",
            },
        )
        row["seconds"] += report.duration
        row["interfaces"] = list(self._linked().interfaces)
        if report.when == "call" and row["outcome"] == "error":
            row["outcome"] = report.outcome
        elif report.skipped:
            row["outcome"] = "skipped"
        elif report.failed:
            row["outcome"] = "error"
        if report.failed and call.excinfo is not None:
            row |= {
                "exception": call.excinfo.typename[:200],
                "message": _clean(_text(call.excinfo.value), MAX_MESSAGE),
                "traceback": _clean(str(report.longrepr), MAX_TRACEBACK),
            }

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> bool | None:
        """Run the tests once, or give the collected session away."""
        return None if self.loop is None else self.loop(session)

    def attach(self, runner: Channel, link: Link, seed: int) -> None:
        """Serve one run from now on, beginning with what was seen before."""
        self.runner, self.link, self.seed = runner, link, seed
        for event in self.told:
            self._tell(event)

    def finish(self, nonce: str, code: int) -> None:
        """Say goodbye to the other room and tell the runner that everything was done."""
        link = self._linked()
        link.seed = None
        with contextlib.suppress(SubmissionGone):  # the link has noted why
            link.ask({"do": "bye"})
            link.check_quiet()
        self._tell(
            {
                "event": "finished",
                "nonce": nonce,
                "sentinel": self.sentinel,
                "code": code,
                "gone": link.gone,
                "tampered": link.tampered,
            }
        )

    def _tell(self, event: dict[str, Any]) -> None:
        if self.runner is None:
            self.told.append(event)
        else:
            self.runner.send(event, [])

    def _linked(self) -> Link:
        if self.link is None:
            raise RuntimeError("tests call the submission while they run, not while they load")
        return self.link


def _forget(path: str) -> None:
    """Remove a test file, keeping its lines for tracebacks: behind no wall could it be read."""
    lines = linecache.getlines(path)
    os.unlink(path)  # noqa: PTH108
    linecache.cache[path] = (sum(map(len, lines)), None, lines, path)


def _text(error: BaseException) -> str:
    try:
        return str(error)
    # The test wrote this `__str__`; the outcome stands without it.
    except Exception:
        return "(no message)"


def _clean(text: str, most: int) -> str:
    # Half a surrogate pair is no text: neither the log nor a model could be told of it.
    whole = text.encode("utf-8", "replace").decode()
    plain = CONTROL_SEQUENCE.sub("", whole)
    return plain if len(plain) <= most else f"{plain[: most // 2]}\n[...]\n{plain[-most // 2 :]}"

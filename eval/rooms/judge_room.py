"""The room that holds the tests: pytest in process, and a report that only the runner can read.

Stand-alone. It never loads the workspace; what it knows of the submission came through the link.
"""

import linecache
import os
import re
import socket
import sys
from collections.abc import Generator
from typing import Any

import pytest

from recodeh.eval.rooms import confine
from recodeh.eval.rooms.channel import Channel
from recodeh.eval.rooms.comparisons import refuse_empty
from recodeh.eval.rooms.remote import Link, Submission, SubmissionGone
from recodeh.eval.rooms.wire import WireError, unpack

MAX_MESSAGE = 2000
MAX_TRACEBACK = 8000
SENTINEL = "recodeh-sentinel"
CONTROL_SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")
UNUSED = (
    "cacheprovider",
    "doctest",
    "junitxml",
    "pastebin",
    "setuponly",
    "setupplan",
    "stepwise",
    "debugging",
    "faulthandler",
    "nose",
    "legacypath",
    "tmpdir_factory",
    "terminalreporter",
)


def serve(link: socket.socket, control: socket.socket, work: str) -> None:
    """Take the job from `control`, run its tests against `link`, and report on `control`."""
    confine.hide()
    runner = Channel(control)
    setup, blobs = runner.receive()
    job = unpack(setup["job"], blobs, _refuse)
    confine.limit(job["limits"])
    sys.dont_write_bytecode = True
    confine.refuse_calls()
    confine.preload(job["preload"])
    refuse_empty([text.decode() for path, text in job["tests"].items() if path.endswith(".py")])
    judge = Judge(runner, Link(Channel(link, job["max_bytes"])), job["seed"])
    root = f"{work}/tests"
    confine.write_files(root, job["tests"])
    os.chdir(root)
    code = pytest.main(_arguments(root, job["paths"]), plugins=[judge])
    judge.finish(job["nonce"], int(code))


def _refuse(value: Any) -> Any:
    raise WireError("not plain data")


def _arguments(root: str, paths: list[str]) -> list[str]:
    unused = [flag for name in UNUSED for flag in ("-p", f"no:{name}")]
    where = ["--rootdir", root, "--confcutdir", root, "-c", "/dev/null", "--noconftest"]
    return [*unused, *where, "--import-mode=importlib", "--tb=short", "-q", *paths]


class Sentinel(pytest.Item):
    """A test that must fail; where it passes, nothing that this process says counts."""

    def runtest(self) -> None:
        """Compare two numbers that differ, the way tests do."""
        assert float("1.5") == float("2.5"), "the sentinel fails as it must"


class Judge:
    """The pytest plugin: gives the fixture, watches the tests, and tells the runner."""

    def __init__(self, runner: Channel, link: Link, seed: int) -> None:
        self.runner = runner
        self.link = link
        self.seed = seed
        self.sentinel = "missing"
        self.outcomes: dict[str, dict[str, Any]] = {}

    @pytest.fixture(scope="session")
    def submission(self) -> Submission:
        """Calls the code under test in its own room."""
        return Submission(self.link)

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
        self.link.seed = self.seed
        self.link.interfaces.clear()
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
        row["interfaces"] = list(self.link.interfaces)
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

    def finish(self, nonce: str, code: int) -> None:
        """Say goodbye to the other room and tell the runner that everything was done."""
        self.link.seed = None
        try:
            self.link.ask({"do": "bye"})
            self.link.check_quiet()
        except SubmissionGone:
            pass  # The link has noted why.
        self._tell(
            {
                "event": "finished",
                "nonce": nonce,
                "sentinel": self.sentinel,
                "code": code,
                "gone": self.link.gone,
                "tampered": self.link.tampered,
            }
        )

    def _tell(self, event: dict[str, Any]) -> None:
        self.runner.send(event, [])


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
    plain = CONTROL_SEQUENCE.sub("", text)
    return plain if len(plain) <= most else f"{plain[: most // 2]}\n[...]\n{plain[-most // 2 :]}"

"""What of a run's test log a model is shown, apart from the level of the feedback.

RECODE-H shows whole tracebacks at every level, its lowest too, so that its levels do not measure
what they say. Here the log is a setting of its own, and off by default.
"""

from typing import Literal

from recodeh.data.records import Outcome, Report, TestOutcome

Log = Literal["none", "summary", "full"]
LONGEST_MESSAGE = 300
LONGEST_LOG = 6000


def log_excerpt(report: Report, log: Log) -> str:
    """The part of the log that `log` allows: nothing, failing tests with messages, or all."""
    if log == "none":
        return ""
    failed = [test for test in report.tests if test.outcome is not Outcome.PASSED]
    parts = [f"Verdict: {report.reason}", *map(_summary, failed)]
    if log == "full":
        parts += [test.traceback.rstrip() for test in failed if test.traceback]
        parts += [f"Printed:\n{report.output.rstrip()}"] if report.output.strip() else []
    return _bounded("\n".join(parts), LONGEST_LOG)


def _summary(test: TestOutcome) -> str:
    said = f"{test.exception}: {test.message}" if test.exception else test.message
    line = " ".join(said.split())
    return f"{test.test_id} {test.outcome}" + (
        f": {_bounded(line, LONGEST_MESSAGE)}" if line else ""
    )


def _bounded(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"

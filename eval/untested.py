"""Reports without a run, for submissions that never reached the tests."""

from recodeh.data.records import Outcome, Report, Task, TestOutcome, Verdict


def untested(task: Task, verdict: Verdict, reason: str) -> Report:
    """A report in which every expected test is missing."""
    tests = tuple(TestOutcome(test_id=name, outcome=Outcome.MISSING) for name in task.test_ids)
    return Report(verdict=verdict, reason=reason, tests=tests)

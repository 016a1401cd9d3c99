"""Runs answers to `methods.py` in a process of its own: a line of JSON in, a line of JSON out.

In: {"name": of the method, "code": its module}. Out: one text per case, its value or its exception.
"""

import json
import runpy
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

SECONDS = 0.5


def main(folder: Path) -> None:
    cases = runpy.run_path(str(Path(__file__).with_name("methods.py")))["CASES"]
    by_name = {method.__name__: calls for method, calls in cases.items()}
    signal.signal(signal.SIGALRM, out_of_time)
    for line in sys.stdin:
        question = json.loads(line)
        path = folder / "answer.py"
        path.write_text(question["code"], encoding="utf-8")
        method = runpy.run_path(str(path))[question["name"]]
        answers = [outcome(method, call) for call in by_name[question["name"]]]
        sys.stdout.write(json.dumps(answers) + "\n")
        sys.stdout.flush()


def outcome(method: Callable[..., Any], call: tuple[Any, ...]) -> str:
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        return repr(rounded(method(*call)))
    except Exception as error:
        # Whatever a wrong answer raises is its outcome.
        return f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def rounded(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [rounded(part) for part in value]
    return round(value, 9) if isinstance(value, float) else value


def out_of_time(*_: object) -> None:
    raise TimeoutError


if __name__ == "__main__":
    main(Path(sys.argv[1]))

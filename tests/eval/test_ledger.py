"""One makes a value and the others wait for it; a failure is everybody's, and is not kept."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from recodeh.data.errors import ModelError
from recodeh.eval.ledger import Ledger


def test_what_is_wanted_by_many_at_once_is_made_once() -> None:
    ledger: Ledger[int] = Ledger()
    made: list[int] = []

    def make() -> int:
        time.sleep(0.05)
        made.append(1)
        return 7

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: ledger.get("task", "key", make), range(8)))
    assert made == [1]
    assert sorted(answers) == [(7, False), *[(7, True)] * 7]


def test_keys_and_scopes_do_not_mix() -> None:
    ledger: Ledger[str] = Ledger()
    for scope in ("a", "b"):
        for key in ("x", "y"):
            assert ledger.get(scope, key, lambda text=scope + key: text) == (scope + key, False)  # type: ignore[misc]
    assert ledger.get("a", "y", lambda: "new") == ("ay", True)


def test_a_failure_reaches_all_who_wait_and_the_next_one_tries_again() -> None:
    ledger: Ledger[int] = Ledger()
    begun, go_on = threading.Event(), threading.Event()

    def fail() -> int:
        begun.set()
        go_on.wait(10)
        raise ModelError("down")

    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(ledger.get, "task", "key", fail)
        begun.wait(10)
        rest = [pool.submit(ledger.get, "task", "key", lambda: 0) for _ in range(2)]
        time.sleep(0.05)
        go_on.set()
        for future in (first, *rest):
            with pytest.raises(ModelError):
                future.result(10)
    assert ledger.get("task", "key", lambda: 3) == (3, False)


def test_what_is_learnt_is_known_and_what_is_forgotten_is_not() -> None:
    ledger: Ledger[int] = Ledger()
    ledger.learn("task", "key", 5)
    assert ledger.get("task", "key", lambda: 6) == (5, True)
    ledger.forget("task")
    ledger.forget("never known")
    assert ledger.get("task", "key", lambda: 6) == (6, False)

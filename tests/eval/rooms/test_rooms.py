"""Tests and submission in two rooms: what crosses, what a report says, and how a run ends."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from recodeh.data.errors import InputError
from recodeh.data.records import Outcome, Report, TestFile, Verdict
from recodeh.eval.rooms.job import Job, Limits
from recodeh.eval.rooms.runner import run, shared_pool
from recodeh.eval.walls.process import ProcessWall
from recodeh.eval.walls.wall import Wall

Play = Callable[..., Report]

PAPER = """
    import warnings
    import numpy as np

    EPSILON = 1e-3
    class Missing(KeyError):
        pass
    class Model:
        rate = 0.5
        def __init__(self, size):
            self.weights = np.zeros(size)
            self._hidden = "h"
        def fit(self, x):
            self.weights += x.mean()
            return self
        def __len__(self): return len(self.weights)
        def __getitem__(self, place): return self.weights[place]
        def __call__(self, x): return x * self.rate
        def __iter__(self): return iter(self.weights.tolist())
    def double(x): return 2 * x
    def identity(x): return x
    def kind(x): return f"{type(x).__module__}.{type(x).__name__}"
    def shift(x): x += 1
    def grow(items, table): items.append(len(table)); table["new"] = [1]; items[0].append(0)
    def fail(kind, *what): raise kind(*what)
    def missing(): raise Missing("gone")
    def singular(): np.linalg.inv(np.zeros((2, 2)))
    def root(f, low, high):
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if f(middle) < 0 else (low, middle)
        return middle
    def count(upto): yield from range(upto)
    def warn(): warnings.warn("careful", RuntimeWarning); return np.log(np.array([0.0]))
    def draw(rng): return rng.normal()
    def draw_global(): return np.random.random()
    def predict(model, x): return model(x)
    def rethrow(f):
        try:
            return f()
        except ZeroDivisionError as error:
            return "caught " + str(error)
"""

HONEST = """
    import math
    import numpy as np
    import pytest

    def test_values_come_back_with_exact_types(submission):
        for value in (1, True, 1.5, 2j, "a", b"b", None, [1, (2.0, "c")], {"k": {1}}, math.inf,
                      np.float32(1), np.arange(6).reshape(2, 3), np.array(1.0), np.array([], "i4")):
            back = submission("paper:identity", value)
            assert type(back) is type(value)
            assert getattr(back, "dtype", None) == getattr(value, "dtype", None)
            if isinstance(value, np.ndarray):
                assert back.tobytes() == value.tobytes() and back.shape == value.shape
            else:
                assert back == value
        assert math.isnan(submission("paper:identity", math.nan))
        assert submission("paper:kind", np.int8(1)) == "numpy.int8"
        assert submission("paper:double", x=np.arange(3)).tolist() == [0, 2, 4]

    def test_changes_in_place_are_seen(submission):
        x = np.arange(3.0)
        assert submission("paper:shift", x) is None
        assert x.tolist() == [1, 2, 3]
        inner = []
        items, table = [inner], {"old": 1}
        submission("paper:grow", items, table)
        assert items == [[0], 1] and items[0] is inner
        assert table == {"old": 1, "new": [1]}

    def test_constants_classes_and_handles(submission):
        assert submission.get("paper:EPSILON") == 1e-3
        model = submission("paper:Model", 3)
        assert len(model) == 3
        assert model.fit(np.array([1.0, 3.0])).weights.tolist() == [2, 2, 2]
        assert model.fit(np.zeros(1)) == model
        assert model[0] == 2 and list(model) == [2, 2, 2]
        assert model(3.0) == 1.5
        model.rate = 2
        assert model(3.0) == 6.0
        assert model._hidden == "h"
        assert submission("paper:predict", model, 1.0) == 2.0
        assert submission("builtins:isinstance", model, submission.get("paper:Model")) is True
        with pytest.raises(AttributeError):
            model.nothing
        assert model != 3 and "paper:Model" in repr(model)

    def test_exceptions_keep_their_class(submission):
        with pytest.raises(ValueError, match="no good") as caught:
            submission("paper:fail", submission.get("builtins:ValueError"), "no good")
        assert caught.value.type == "ValueError" and caught.value.message == "no good"
        assert caught.value.frames[-1].startswith("paper.py:")
        with pytest.raises(KeyError) as caught:
            submission("paper:missing")
        assert caught.value.type == "Missing"
        with pytest.raises(np.linalg.LinAlgError):
            submission("paper:singular")
        with pytest.raises(ModuleNotFoundError):
            submission("paper.nowhere:f")
        with pytest.raises(AttributeError):
            submission("paper:nothing")
        with pytest.raises(TypeError):
            submission("paper:double")
        with pytest.raises(UnicodeDecodeError, match="can't decode"):
            kind = submission.get("builtins:UnicodeDecodeError")
            submission("paper:fail", kind, "a", b"", 1, 2, "c")

    def test_callbacks(submission):
        found = submission("paper:root", lambda x: x * x - 2, 0.0, 2.0)
        assert found == pytest.approx(math.sqrt(2))
        nested = lambda x: submission("paper:double", x) - 3
        assert submission("paper:root", nested, 0.0, 4.0) == pytest.approx(1.5)
        assert submission("paper:rethrow", lambda: 1 / 0) == "caught division by zero"
        with pytest.raises(LookupError, match="mine"):
            def fail(): raise LookupError("mine")
            submission("paper:rethrow", fail)

    def test_generators_step_by_step(submission):
        steps = submission("paper:count", 3)
        assert next(steps) == 0
        assert list(steps) == [1, 2]
        with pytest.raises(StopIteration):
            next(steps)

    def test_warnings(submission):
        with pytest.warns(RuntimeWarning, match="careful"):
            submission("paper:warn")

    def test_random_state(submission):
        rng, twin = np.random.default_rng(3), np.random.default_rng(3)
        assert submission("paper:draw", rng) == twin.normal()
        assert rng.normal() == twin.normal()
        first = submission("paper:draw_global")
        assert first == np.random.random()
        assert submission("paper:draw_global") != first
"""
HONEST_IDS = tuple(
    line.split("def ")[1].split("(")[0] for line in HONEST.splitlines() if "def test_" in line
)


def test_everything_an_honest_test_needs_crosses(play: Play) -> None:
    report = play(PAPER, HONEST, ids=HONEST_IDS)
    assert [(test.test_id, test.message) for test in report.tests if test.message] == []
    assert report.verdict is Verdict.PASSED, report.reason
    assert len(report.tests) == report.passed_tests == len(HONEST_IDS)
    assert report.tests[0].interfaces == ("paper:identity", "paper:kind", "paper:double")
    assert "paper:Model.fit" in report.tests[2].interfaces
    assert report.seconds > report.tests[0].seconds > 0
    assert report.cpu_seconds > 0


def test_the_same_tests_pass_in_one_process(
    python: Path, job: Callable[..., Job], tmp_path: Path
) -> None:
    made = job(PAPER, HONEST, ids=HONEST_IDS)
    shipped = Path(run.__code__.co_filename).with_name("in_process_conftest.py")
    for test in made.tests:
        (tmp_path / test.path).write_text(test.content.replace("assert caught.value.", "# "))
    (tmp_path / "conftest.py").write_text(shipped.read_text())
    (tmp_path / "paper.py").write_bytes(made.files["paper.py"])
    command: list[str | Path] = [
        python,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        tmp_path,
        tmp_path,
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, env={"PYTHONPATH": str(tmp_path)}, check=False
    )
    failed = {line.rpartition("::")[2] for line in done.stdout.splitlines() if "FAILED" in line}
    # One process has one random state and no handles.
    assert failed == {
        "test_random_state",
        "test_constants_classes_and_handles",
    }, done.stdout


def test_sparse_matrices_cross_and_wild_ones_do_not(play: Play) -> None:
    code = """
        import sys
        import numpy as np
        from scipy import sparse
        def twice(x): return 2 * x
        def wild(kind, second, third):
            made = getattr(sparse, kind)((2, 2))
            made.data = np.ones(2)
            made.indices = np.array(second, dtype="int32")
            made.indptr = np.array(third, dtype="int32")
            return made
        """
    tests = """
        import numpy as np
        import pytest
        from scipy import sparse
        @pytest.mark.parametrize("kind", ["csr_matrix", "csc_array", "coo_matrix", "coo_array"])
        def test_right(submission, kind):
            value = getattr(sparse, kind)(np.array([[0, 1.5, 0], [2, 0, 0]]))
            back = submission("paper:twice", value)
            assert type(back) is type(value) or kind.startswith("coo")
            assert back.toarray().tolist() == [[0, 3, 0], [4, 0, 0]]
        def test_wild(submission):
            submission("paper:wild", "csr_matrix", [0, 99], [0, 1, 2])
        """
    kinds = ("csr_matrix", "csc_array", "coo_matrix", "coo_array")
    report = play(code, tests, ids=(*(f"test_right[{kind}]" for kind in kinds), "test_wild"))
    assert [test.outcome for test in report.tests] == [Outcome.PASSED] * 4 + [Outcome.FAILED]
    assert "nonsense" in report.tests[4].message
    assert report.verdict is Verdict.FAILED


def test_a_wrong_value_fails_its_test_and_no_other(play: Play) -> None:
    report = play(
        "def one(): return 2\ndef two(): print('\\x1b[31mhello'); return 2",
        """
        def test_one(submission):
            assert submission("paper:one") == 1
        def test_two(submission):
            assert submission("paper:two") == 2
        """,
        ids=("test_one", "test_two"),
    )
    assert report.verdict is Verdict.FAILED
    assert [test.outcome for test in report.tests] == [Outcome.FAILED, Outcome.PASSED]
    assert report.tests[0].exception == "AssertionError"
    assert "assert 2 == 1" in report.tests[0].message
    assert "test_paper.py:3" in report.tests[0].traceback
    assert 'submission("paper:one")' in report.tests[0].traceback
    assert report.reason.startswith(
        "1 of 2 tests did not pass; test_paper.py::test_one failed: Assert"
    )
    assert report.output == "hello\n"


def test_a_syntax_error_is_a_failed_test(play: Play) -> None:
    report = play("def one(:", "def test_it(submission): submission('paper:one')")
    assert report.verdict is Verdict.FAILED
    assert report.tests[0].exception == "SyntaxError"


@pytest.mark.parametrize(
    ("tests", "reason"),
    [
        ("import nowhere\ndef test_it(): pass", "do not load"),
        ("def test_it(: pass", "do not load"),
        ("def test_other(): pass", "not those of the task"),
        ("def test_it(): pass\ndef test_more(): pass", "not those of the task"),
        ("import os\ndef test_it(): os._exit(0)", "ended by itself with exit code 0"),
        ("import os\nos._exit(3)", "ended before its tests were loaded"),
    ],
)
def test_faulty_tests_are_no_verdict(play: Play, tests: str, reason: str) -> None:
    report = play("", tests)
    assert report.verdict is Verdict.INFRA
    assert reason in report.reason


def test_no_tests_are_no_verdict(play: Play) -> None:
    assert play("", "x = 1", ids=()).verdict is Verdict.INFRA


@pytest.mark.parametrize(
    ("tests", "outcome"),
    [
        ("import pytest\ndef test_it(): pytest.skip('later')", Outcome.SKIPPED),
        ("import pytest\n@pytest.mark.xfail\ndef test_it(): assert 0", Outcome.SKIPPED),
        ("def test_it(nothing): pass", Outcome.ERROR),
    ],
)
def test_only_a_pass_is_a_pass(play: Play, tests: str, outcome: Outcome) -> None:
    report = play("", tests)
    assert report.verdict is Verdict.FAILED
    assert report.tests[0].outcome is outcome


CALL = "def test_it(submission): assert submission('paper:f') == 1"


def test_parameters_and_classes_have_ids(play: Play) -> None:
    tests = """
        import pytest
        class TestF:
            @pytest.mark.parametrize("n", [1, 2])
            def test_n(self, submission, n): assert submission("paper:f", n) == n
        """
    ids = ("TestF::test_n[1]", "TestF::test_n[2]")
    assert play("def f(n): return n", tests, ids=ids).verdict is Verdict.PASSED


def test_the_seed_decides_hashes_and_random_numbers(play: Play) -> None:
    code = "import random\ndef f(): return [random.random(), hash('a')]"
    tests = "def test_it(submission): assert submission('paper:f') == []"

    def drawn(seed: int) -> str:
        return play(code, tests, seed=seed).tests[0].message

    assert drawn(1) == drawn(1) != drawn(2)


def test_files_data_and_import_root_are_the_workspaces(python: Path, wall: Wall) -> None:
    code = """from pathlib import Path
def f(): return (Path('data/n.txt').read_text(), Path(__file__).name)
"""
    tests = """def test_x(submission):
    assert submission('pkg:f') == ('7', '__init__.py')
"""
    job = Job(
        files={"src/pkg/__init__.py": code.encode(), "data/n.txt": b"7"},
        import_root="src",
        tests=(TestFile(path="deep/test_x.py", content=tests),),
        test_ids=("deep/test_x.py::test_x",),
        python=python,
    )
    report = run(job, wall)
    assert report.verdict is Verdict.PASSED, report


@pytest.mark.parametrize("path", ["/etc/x", "../x", "a/../../x", "a\0b"])
def test_a_path_that_leaves_the_workspace_is_refused(python: Path, path: str) -> None:
    with pytest.raises(InputError):
        Job(files={path: b""}, import_root=".", tests=(), test_ids=(), python=python)


SLOW = Limits(cpu_seconds=1, wall_seconds=2)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import time\ndef f(): time.sleep(60)", "limit of 2 seconds"),
        (
            "import signal, time\nsignal.signal(15, signal.SIG_IGN)\ndef f(): time.sleep(60)",
            "limit of 2",
        ),
        # The first process of a namespace cannot stop itself, and goes on without an answer.
        ("import os, signal\ndef f(): os.kill(os.getpid(), signal.SIGSTOP)", ""),
        ("def f():\n return iter(int, 1)", ""),
    ],
)
def test_time_limits_hold(play: Play, code: str, reason: str) -> None:
    tests = """
        def test_fine(): pass
        def test_it(submission):
            for _ in submission('paper:f'): pass
        def test_after(submission): assert submission('paper:f') == 1
        """
    started = time.monotonic()
    report = play(code, tests, ids=("test_fine", "test_it", "test_after"), limits=SLOW)
    assert time.monotonic() - started < 2 + 1 + 4  # the last is for the start of both rooms
    assert report.verdict is Verdict.FAILED
    assert reason in report.reason
    assert [test.outcome is Outcome.PASSED for test in report.tests] == [True, False, False]


def test_cpu_time_decides_where_there_is_time_enough(play: Play) -> None:
    limits = Limits(cpu_seconds=1, wall_seconds=30)
    started = time.monotonic()
    report = play("def f():\n while True: pass", CALL, limits=limits)
    assert time.monotonic() - started < 25
    assert report.verdict is Verdict.FAILED
    assert "used up its CPU time" in report.reason


def test_memory_is_bounded(play: Play) -> None:
    limits = Limits(cpu_seconds=10, wall_seconds=20, memory_mb=1024)
    report = play("def f(): return len(bytearray(10**11))", CALL, limits=limits)
    assert report.tests[0].exception == "MemoryError"


def test_open_files_and_file_size_are_bounded(play: Play) -> None:
    limits = Limits(cpu_seconds=10, wall_seconds=20, open_files=50, file_mb=1)
    code = """
        def f(): return [open('/dev/null') for _ in range(100)]
        def g():
            with open('big', 'wb') as file: file.write(b'x' * (3 << 20))
        """
    tests = """
        import pytest
        def test_it(submission):
            with pytest.raises(OSError, match='Too many'): submission('paper:f')
            with pytest.raises(OSError): submission('paper:g')
        """
    assert play(code, tests, limits=limits).verdict is Verdict.PASSED


def test_output_is_bounded_and_never_blocks(play: Play) -> None:
    code = "import sys\ndef f():\n for _ in range(400): print('x' * 100_000)\n return 1"
    report = play(code, CALL, limits=Limits(cpu_seconds=10, wall_seconds=20, output_kb=4))
    assert report.verdict is Verdict.PASSED
    assert len(report.output) < 5000
    assert "more bytes" in report.output


@pytest.mark.parametrize("daemon", ["", "os.setsid()"])
def test_a_grandchild_that_holds_the_pipes_holds_nobody_up(
    play: Play, python: Path, daemon: str
) -> None:
    code = f"""
        import os, time
        def f():
            if os.fork() == 0:
                {daemon}
                if os.fork() == 0:
                    time.sleep(300)
                time.sleep(300)
            return 1
        """
    play("def f(): return 1", CALL)
    before = _sleepers(python)
    started = time.monotonic()
    report = play(code, CALL)
    assert time.monotonic() - started < 5
    assert report.verdict is Verdict.PASSED
    assert _sleepers(python) <= before


def test_nothing_is_left(
    play: Play, wall: Wall, python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play("def f(): return 1", CALL)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    descriptors, processes = _descriptors(), _sleepers(python)
    for code in ("def f(): return 1", "import os\ndef f(): os._exit(0)", "def f(: pass"):
        play(code, CALL)
    assert _descriptors() == descriptors
    assert _sleepers(python) <= processes
    assert list(tmp_path.iterdir()) == []
    for warm in shared_pool(wall).warm.values():
        left = {path.name for path in warm.zygotes["submission"].booted.folder.iterdir()}
        assert left <= {"meet"}


def test_a_room_that_cannot_start_is_a_room_error(job: Callable[..., Job], tmp_path: Path) -> None:
    from dataclasses import replace

    from recodeh.data.errors import RoomError

    broken = replace(job("", CALL), python=tmp_path / "no-python")
    with pytest.raises(RoomError, match="does not run"):
        run(broken, ProcessWall())


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _sleepers(python: Path) -> set[str]:
    """Living processes of this session's interpreter, lost ones too."""
    found = set()
    for folder in Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_bytes() if folder.name.isdecimal() else b""
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0] if words else ""
        except OSError:
            continue
        if bytes(python) in words and state != "Z" and int(folder.name) != os.getpid():
            found.add(folder.name)
    return found

"""The event log: what was appended comes back, whatever cut the writer short."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recodeh.data.errors import LogError
from recodeh.data.log import EventLog, TornLine, read, repair

EVENTS = st.lists(st.dictionaries(st.text(), st.integers() | st.text()), max_size=8)


@given(EVENTS, EVENTS)
def test_what_is_appended_comes_back_in_order(first: list[object], second: list[object]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run" / "events.jsonl"
        for events in (first, second):
            with EventLog(path) as log:
                log.append(*events)  # type: ignore[arg-type] # hypothesis does not type its dicts
        assert list(read(path)) == first + second


@given(EVENTS.filter(bool), st.data())
def test_cut_anywhere_only_the_torn_line_is_lost(
    events: list[dict[str, object]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.jsonl"
        with EventLog(path) as log:
            log.append(*events)
        whole = path.read_bytes()
        cut = data.draw(st.integers(0, len(whole)))
        path.write_bytes(whole[:cut])
        kept = whole[:cut].count(b"\n")
        assert list(read(path)) == events[:kept]
        if whole[:cut].endswith(b"\n") or not cut:
            assert repair(path) == 0
        else:
            with pytest.warns(TornLine, match="cut short"):
                assert repair(path) > 0
        with EventLog(path) as log:
            log.append({"after": 1})
        assert list(read(path)) == [*events[:kept], {"after": 1}]


def test_a_broken_line_in_the_middle_is_an_error_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text('{"a": 1}\n{"a": \n{"a": 3}\n')
    with pytest.raises(LogError, match="line 2 is not an event"):
        list(read(path))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_clear_error(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "events.jsonl")
    log.append({"event": "started"})
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, log._file.fileno())
    os.close(full)
    with pytest.raises(LogError, match="No space left on device"):
        log.append({"event": "tested"})
    log.close()
    assert list(read(log.path)) == [{"event": "started"}]


def test_what_append_returned_from_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    program = f"""
import os, pathlib, signal
from recodeh.data.log import EventLog
log = EventLog(pathlib.Path({str(path)!r}))
for number in range(100):
    log.append({{"number": number}})
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == -9
    assert [event["number"] for event in read(path)] == list(range(100))


def test_what_is_not_synced_is_written_all_the_same(tmp_path: Path) -> None:
    with EventLog(tmp_path / "events.jsonl") as log:
        log.append({"event": "a"}, sync=False)
        assert list(read(log.path)) == [{"event": "a"}]
        log.append({"event": "b"})
    assert [event["event"] for event in read(log.path)] == ["a", "b"]


def test_a_line_that_only_the_slower_reader_takes(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"half":"\\ud800"}\n{"huge":1' + b"0" * 4000 + b"}\n")
    assert list(read(path)) == [{"half": "\ud800"}, {"huge": 10**4000}]


@pytest.mark.parametrize("line", [b"[" * 100_000, b"\xff\xfe", b"\0\0\0", b"[1]", b"null", b""])
def test_a_line_that_is_no_event_is_named(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"event":"a"}\n' + line + b"\n")
    with pytest.raises(LogError, match="line 2 is not an event"):
        list(read(path))

"""The commands of curation, run as a person runs them."""

import json
import subprocess
import sys
from pathlib import Path

MODULE = b"def f(x):\r\n    y = x + 1\r\n    return y * 2\r\n"


def recodeh(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "recodeh_cli", *map(str, arguments)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_tag_check_and_mask_in_a_row(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_bytes(MODULE)
    tagged = recodeh("tag", path, "--name", "core", "--symbol", "f", "--json")
    checked = recodeh("check-tags", tmp_path, "--json")
    masked = recodeh("mask", path, "core", "-o", tmp_path / "masked.py")

    assert json.loads(tagged.stdout) == {
        "name": "core", "start": 2, "end": 3, "loc": 2, "output": str(path),
    }  # fmt: skip
    assert [region["name"] for region in json.loads(checked.stdout)["regions"]] == ["core"]
    assert masked.returncode == 0
    assert (tmp_path / "masked.py").read_bytes() == (
        b'def f(x):\r\n    # TODO: implement "core"\r\n    raise NotImplementedError\r\n'
    )


def test_faults_are_listed_with_file_line_and_mend_and_end_with_1(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        'x = f(\n    # <snippet name="a">\n    1,\n    # </snippet>\n)\n'
    )
    (tmp_path / "n.py").write_text("# </snippet>\n")
    done = recodeh("check-tags", tmp_path)

    assert done.returncode == 1
    assert done.stdout.splitlines()[:2] == [
        "m.py:2: 'a' does not hold whole statements "
        "(move the tags so that they hold whole statements)",
        "n.py:1: '</snippet>' is closed but not open (open the region above, or delete this tag)",
    ]


def test_a_wrong_call_ends_with_2_and_one_line(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_bytes(MODULE)
    for arguments, what in (
        (("tag", tmp_path / "m.py", "--name", "a", "--symbol", "g"), "no definition of g"),
        (("tag", tmp_path / "m.py", "--name", "a"), "nothing is selected"),
        (("mask", tmp_path / "m.py", "a"), "it has no tags at all"),
        (("mine", tmp_path / "nowhere"), "no such folder"),
        (("check-tags", tmp_path / "nowhere"), "no such file or folder"),
    ):
        done = recodeh(*arguments)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
        assert what in done.stderr


def test_mine_writes_candidates_and_what_was_left_out(tmp_path: Path) -> None:
    source = tmp_path / "paper"
    source.mkdir()
    (source / "m.py").write_text(
        'def gauge(x):\n    """Gauge of x."""\n    a = x + 1\n    b = a * a\n    return b\n'
        "\n\ndef small(x):\n    return x\n"
    )
    output = tmp_path / "out" / "candidates.jsonl"
    done = recodeh("mine", source, "-o", output, "--cache", tmp_path / "cache")

    assert done.returncode == 0, done.stderr
    assert "1 candidates, compared with the docstrings, because no paper was given" in done.stdout
    (candidate,) = map(json.loads, output.read_text().splitlines())
    (dropped,) = map(json.loads, (output.parent / "dropped.jsonl").read_text().splitlines())
    assert (candidate["symbol"], candidate["twins"]) == ("gauge", [])
    assert dropped["item"] == "m.py:small"

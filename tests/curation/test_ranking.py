"""The paper's method comes first, what cannot be it has a reason, and copies are found."""

from pathlib import Path

from recodeh.curation.functions import Function
from recodeh.curation.hiding import hide
from recodeh.curation.inventory import inventory
from recodeh.curation.ranking import Ranking, rank
from recodeh.curation.twins import twins

PAPER = """\
# Gauge of increments

We remove the drift from the path and compute the gauge of its increment hull: the largest
projection of an increment on a direction.

# Experiments

We train a network on images and plot the accuracy.
"""
METHOD = '''\
def gauge(path, direction):
    """Gauge of the increment hull of a path along a direction."""
    drift = (path[-1] - path[0]) / (len(path) - 1)
    increments = [b - a - drift for a, b in zip(path, path[1:])]
    projected = [np.dot(step, direction) for step in increments]
    return max(projected) / np.linalg.norm(direction)
'''
RENAMED = METHOD.replace("drift", "d").replace("increments", "steps").replace("projected", "p")
OTHERS = """\
def plot_accuracy(values, file):
    plt.plot(values)
    plt.title("accuracy")
    plt.savefig(file)
    plt.close()


def load_images(folder):
    names = os.listdir(folder)
    images = [PIL.Image.open(name) for name in names]
    return np.stack(images)


def shuffled(values, rng):
    order = rng.permutation(len(values))
    kept = [values[i] for i in order]
    kept.reverse()
    return kept


tiny = lambda x: x


def two(x):
    y = x
    return y
"""


def source(root: Path, *, readme: bool = False) -> Path:
    files = {
        "src/gauge.py": f"import numpy as np\n\n\n{METHOD}",
        "src/other.py": "import matplotlib.pyplot as plt\nimport os\nimport PIL\n"
                        f"import numpy as np\n\n\n{OTHERS}",
        "tests/test_gauge.py": f"def test_gauge():\n    assert 1\n\n\n{METHOD}",
        "third_party/copy.py": f"import numpy as np\n{RENAMED}",
        "run.py": "from gauge import gauge\n\n\ndef use(a):\n    x = gauge(a, a)\n    y = x\n"
                  "    return y\n",
    }  # fmt: skip
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    if readme:
        (root / "README.md").write_text(PAPER)
    return root


def ranked(root: Path, paper: str) -> Ranking:
    return rank(inventory(root), paper, root=root)


def test_the_method_comes_first_with_its_reasons(tmp_path: Path) -> None:
    best, *others = ranked(source(tmp_path), PAPER).candidates

    assert (best.function.symbol, best.passages[0].section) == ("gauge", "Gauge of increments")
    assert best.reasons[0].startswith("section 'Gauge of increments' speaks of ")
    assert best.callers == ("run.py:use",)
    assert best.score > others[0].score
    assert set(best.row()["parts"]) == {"link", "testability", "size", "centrality", "novelty"}


def test_what_is_no_candidate_has_a_reason(tmp_path: Path) -> None:
    reasons = {drop.item: drop.reason for drop in ranked(source(tmp_path), PAPER).rejected}

    assert reasons == {
        "src/other.py:tiny": "a lambda has no statements to mask",
        "src/other.py:two": "has 2 lines of code, fewer than 3",
        "src/other.py:plot_accuracy": "mostly talks to the outside: matplotlib.pyplot.plot, "
        "matplotlib.pyplot.title, matplotlib.pyplot.savefig",
        "tests/test_gauge.py:test_gauge": "is part of the tests",
        "tests/test_gauge.py:gauge": "is part of the tests",
        "third_party/copy.py:gauge": "lies in a vendored, built or saved copy",
    }


def test_obstacles_to_a_test_are_named(tmp_path: Path) -> None:
    found = {item.function.symbol: item for item in ranked(source(tmp_path), PAPER).candidates}

    assert "draws at random: rng.permutation" in found["shuffled"].reasons
    assert "touches the outside: os.listdir, PIL.Image.open" in found["load_images"].reasons
    assert found["gauge"].parts["testability"] > found["load_images"].parts["testability"]


def test_without_a_paper_the_readme_serves_and_that_is_said(tmp_path: Path) -> None:
    with_readme = ranked(source(tmp_path, readme=True), "")
    (tmp_path / "README.md").unlink()
    without = ranked(tmp_path, "")

    assert {item.basis for item in with_readme.candidates} == {"readme"}
    assert {item.basis for item in without.candidates} == {"docstrings"}
    assert with_readme.candidates[0].function.symbol == "gauge"


def test_nothing_to_mine_is_a_clean_answer(tmp_path: Path) -> None:
    assert rank(inventory(tmp_path), PAPER, root=tmp_path) == Ranking([], [])


def method(root: Path) -> Function:
    rows = [row for row in inventory(root) if isinstance(row, Function)]
    return next(row for row in rows if row.path == "src/gauge.py")


def test_copies_are_found_whatever_they_are_called_and_wherever_they_lie(tmp_path: Path) -> None:
    root = source(tmp_path)
    (root / "README.md").write_text(f"Use it so:\n\n```python\n{METHOD}```\n")
    (root / "src" / "doc.py").write_text(f'"""\nThe method:\n\n{RENAMED}\n"""\n')
    (root / "src" / "old.py").write_text("".join(f"# {x}\n" for x in METHOD.splitlines()))
    (root / "src" / "__pycache__").mkdir()
    (root / "src" / "__pycache__" / "gauge.cpython-311.pyc").write_bytes(b"\0")
    found = twins([method(root)], root)

    assert {twin.path for twin in found[method(root)]} == {
        "tests/test_gauge.py", "third_party/copy.py", "README.md", "src/doc.py", "src/old.py",
        "src/__pycache__/gauge.cpython-311.pyc",
    }  # fmt: skip
    copy = next(twin for twin in found[method(root)] if twin.path == "third_party/copy.py")
    assert (copy.start, copy.end, copy.likeness) == (4, 7, 1.0)


def test_twins_are_masked_or_go_and_the_files_stay_valid(tmp_path: Path) -> None:
    root = source(tmp_path)
    (root / "README.md").write_text(f"Use it so:\n\n{METHOD}\nThat is all.\n")
    (root / "src" / "old.py").write_text("".join(f"# {x}\n" for x in METHOD.splitlines()))
    (root / "src" / "gauge.pyc").write_bytes(b"\0")
    hidden = hide(root, twins([method(root)], root)[method(root)])
    for name, data in hidden.items():
        (root / name).unlink() if data is None else (root / name).write_bytes(data)

    assert [name for name, data in hidden.items() if data is None] == ["src/gauge.pyc"]
    assert "raise NotImplementedError" in (root / "third_party" / "copy.py").read_text()
    assert (root / "README.md").read_text().endswith("That is all.\n")
    assert twins([method(root)], root) == {method(root): []}


def test_another_method_is_no_twin(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "gauge.py").write_text(METHOD)
    (tmp_path / "b.py").write_text(
        "def mean(path, weights):\n    total = sum(weights)\n"
        "    parts = [np.dot(a, b) for a, b in zip(path, weights)]\n"
        "    return sum(parts) / np.linalg.norm(total)\n"
    )

    assert twins([method(tmp_path)], tmp_path) == {method(tmp_path): []}

"""Calls are followed by imports and scopes; the last name alone serves only where nothing else."""

from pathlib import Path

from recodeh.curation.callgraph import callees, callers
from recodeh.curation.functions import Function
from recodeh.curation.inventory import inventory

FILES = {
    "pkg/__init__.py": "",
    "pkg/a.py": "def step(x):\n    return x\n\n\ndef own(x):\n    return step(x)\n",
    "pkg/b.py": "def step(x):\n    return -x\n",
    "pkg/c.py": (
        "from .a import step as go\nimport pkg.b\nimport numpy as np\n\n\n"
        "def outer(x):\n    def inner(y):\n        return go(y)\n    return inner(x)\n\n\n"
        "def other(x):\n    return pkg.b.step(np.step(x))\n\n\n"
        "class Box:\n    def __init__(self): self.fill()\n    def fill(self): return 1\n\n\n"
        "def make(box):\n    return Box(), box.fill()\n"
    ),
}


def test_each_call_finds_the_function_that_its_import_means(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    called = callees(row for row in inventory(tmp_path) if isinstance(row, Function))
    told = {row.target: [other.target for other in others] for row, others in called.items()}

    assert told == {
        "pkg.a.step": [],
        "pkg.a.own": ["pkg.a.step"],
        "pkg.b.step": [],
        "pkg.c.outer": ["pkg.a.step", "pkg.c.outer.inner"],
        "pkg.c.outer.inner": ["pkg.a.step"],
        "pkg.c.other": ["pkg.b.step"],
        "pkg.c.Box.__init__": ["pkg.c.Box.fill"],
        "pkg.c.Box.fill": [],
        "pkg.c.make": ["pkg.c.Box.__init__", "pkg.c.Box.fill"],
    }
    back = {
        row.target: [other.target for other in others] for row, others in callers(called).items()
    }
    assert back["pkg.b.step"] == ["pkg.c.other"]

"""Snippets within snippets: which of them enclose no other."""

from tests.eval.conftest import Made

from recodeh.data.records import Snippet, Task
from recodeh.eval.nesting import leaves


def at(made: Made, name: str, start: int, end: int, depth: int, *, file: str = "a.py") -> Task:
    place = {"name": name, "start": start, "end": end, "depth": depth}
    snippet = Snippet.model_validate({**made.task.snippet.row(), **place})
    change = {"task_id": name, "snippet": snippet, "target_file": file}
    return made.task.model_copy(update=change)


def test_a_leaf_encloses_no_other_snippet(made: Made) -> None:
    tasks = [
        at(made, "outer", 1, 20, 1),
        at(made, "middle", 5, 15, 2),
        at(made, "inner", 6, 8, 3),
        at(made, "beside", 21, 30, 1),
        at(made, "elsewhere", 2, 3, 2, file="b.py"),
    ]
    assert leaves(tasks) == {"inner", "beside", "elsewhere"}
    assert leaves(tasks[:2]) == {"middle"}


def test_of_two_over_the_same_lines_the_deeper_is_the_leaf(made: Made) -> None:
    tasks = [at(made, "outer", 1, 20, 1), at(made, "same", 1, 20, 2)]
    assert leaves(tasks) == {"same"}

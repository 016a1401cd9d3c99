"""Which snippets enclose others: tasks in, the ids of those at the bottom out.

A line in a nested snippet counts once for each snippet that it is in, so a score weighed by lines
says something else for all snippets, for the innermost and for the outermost ones.
"""

from collections import defaultdict
from collections.abc import Iterable

from recodeh.data.records import Snippet, Task


def leaves(tasks: Iterable[Task]) -> frozenset[str]:
    """The ids of the tasks whose snippet encloses no other task's."""
    files: dict[tuple[str, str], list[Task]] = defaultdict(list)
    for task in tasks:
        files[task.source_key, task.target_file].append(task)
    return frozenset(
        task.task_id
        for members in files.values()
        for task in members
        if not any(_encloses(task.snippet, other.snippet) for other in members)
    )


def _encloses(outer: Snippet, inner: Snippet) -> bool:
    """Depth decides between two that cover the same lines."""
    return outer.depth < inner.depth and outer.start <= inner.start and inner.end <= outer.end

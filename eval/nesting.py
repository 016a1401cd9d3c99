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
        for ranges in [{_range(task.snippet) for task in members}]
        for task in members
        if not any(_encloses(_range(task.snippet), other) for other in ranges)
    )


def _range(snippet: Snippet) -> tuple[int, int, int]:
    return snippet.start, snippet.end, snippet.depth


def _encloses(outer: tuple[int, int, int], inner: tuple[int, int, int]) -> bool:
    """Depth decides between two that cover the same lines."""
    return outer[2] < inner[2] and outer[0] <= inner[0] and inner[1] <= outer[1]

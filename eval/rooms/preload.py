"""Which modules a room of a job will import, read from the text of its files."""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import PurePosixPath

from recodeh.eval.rooms.job import Job

IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import|import[ \t]+([\w., \t]+))", re.M)
NAME = re.compile(rb"[A-Za-z_]\w*(?:\.\w+)*")


def imports(job: Job, kind: str) -> frozenset[str]:
    """Modules that a room of this kind will import, and that are none of the workspace's own."""
    own = {PurePosixPath(path).parts[0].removesuffix(".py") for path in _under_root(job)}
    tests = {test.path: test.content.encode() for test in job.tests}
    files = tests if kind == "judge" else job.files
    texts = [text for path, text in files.items() if path.endswith(".py")]
    found = {name for text in texts for name in _imported(text)} | set(job.preload)
    return frozenset(name for name in found if name.partition(".")[0] not in own)


def _under_root(job: Job) -> Iterator[str]:
    root = PurePosixPath(job.import_root)
    for path in job.files:
        pure = PurePosixPath(path)
        if pure.is_relative_to(root):
            yield str(pure.relative_to(root))


@lru_cache(maxsize=4096)
def _imported(text: bytes) -> frozenset[str]:
    return frozenset(
        name.decode()
        for source, listed in IMPORT.findall(text)
        for name in ([source] if source else _listed(listed))
        if NAME.fullmatch(name)
    )


def _listed(listed: bytes) -> Iterator[bytes]:
    for item in listed.split(b","):
        if item.strip():
            yield item.split()[0]

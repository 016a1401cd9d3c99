"""How fast the inventory is, against bare parsing of the same bytes and against libcst.

    python tests/benchmarks/curation_inventory.py FOLDER... [--megabytes 100]

Folders are read again and again until so many megabytes have been seen. Prints throughput per CPU
second on one core, per wall second with all cores, and the peak memory of one pass.
"""

import argparse
import contextlib
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import cycle
from pathlib import Path

from recodeh.curation.inventory import inventory
from recodeh.curation.syntax import python
from recodeh.curation.tree import files_of


def sizes(root: Path) -> int:
    """The bytes of a folder's Python files."""
    return sum(path.stat().st_size for path in files_of(root) if path.suffix == ".py")


def rounds(roots: list[Path], megabytes: float) -> Iterator[Path]:
    """The folders over and over until so many megabytes are due."""
    seen = 0.0
    for root in cycle(roots):
        if seen >= megabytes:
            return
        seen += sizes(root) / 1e6
        yield root


def bare(roots: Iterable[Path]) -> int:
    """Parse every file and do nothing with it; the parser is kept, as the inventory keeps its."""
    from tree_sitter import Parser

    parser = Parser(python())
    count = 0
    for root in roots:
        for path in files_of(root):
            if path.suffix == ".py":
                parser.parse(path.read_bytes())
                count += 1
    return count


def whole(roots: Iterable[Path]) -> int:
    """Take the inventory on one core."""
    return sum(1 for root in roots for _ in inventory(root))


def spread(roots: Iterable[Path], workers: int) -> int:
    """Take the inventory with so many processes."""
    with ProcessPoolExecutor(workers) as pool:
        return sum(1 for root in roots for _ in inventory(root, executor=pool))


def concrete(roots: Iterable[Path]) -> int:
    """Parse every file with libcst; those it refuses count too."""
    import libcst

    count = 0
    for root in roots:
        for path in files_of(root):
            if path.suffix == ".py":
                with contextlib.suppress(libcst.ParserSyntaxError):
                    libcst.parse_module(path.read_bytes())
                count += 1
    return count


def side_by_side(roots: Iterable[Path]) -> tuple[float, float]:
    """User CPU seconds of bare parsing and of the inventory, taken folder by folder in turns."""
    spent = [0.0, 0.0]
    for root in roots:
        for number, work in enumerate((bare, whole)):
            start = os.times().user
            work([root])
            spent[number] += os.times().user - start
    return spent[0], spent[1]


def measured(
    name: str, megabytes: float, work: Callable[[], int], clock: Callable[[], float]
) -> float:
    """Run once and print megabytes per second of the given clock."""
    start = clock()
    count = work()
    rate = megabytes / (clock() - start)
    sys.stdout.write(f"{name:34} {rate:8.2f} MB/s  ({count:,} rows)\n")
    sys.stdout.flush()
    return rate


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folders", nargs="+", type=Path)
    options.add_argument("--megabytes", type=float, default=100.0)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        copies = [
            python_of(folder, Path(scratch, str(n))) for n, folder in enumerate(chosen.folders)
        ]
        report(list(rounds(copies, chosen.megabytes)))


def python_of(folder: Path, goal: Path) -> Path:
    """A copy of a folder's Python files alone, so that all that is timed reads the same bytes."""
    for path in files_of(folder):
        if path.suffix == ".py":
            copy = goal / path.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    return goal


def report(roots: list[Path]) -> None:
    """Time everything over the folders."""
    size = sum(sizes(root) for root in roots) / 1e6
    sys.stdout.write(f"{size:.0f} MB of Python in {len(roots)} passes\n")
    cpu = time.process_time
    base, spent = side_by_side(roots)
    full = size / spent
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(f"bare tree-sitter {size / base:.2f} MB/s, inventory {full:.2f} MB/s of CPU\n")
    sys.stdout.write(f"inventory / bare: {base / spent:.0%}; peak memory {peak:.0f} MB\n")
    sys.stdout.flush()
    for workers in range(1, (os.cpu_count() or 1) + 1):
        work = partial(spread, roots, workers)
        measured(f"inventory, {workers} processes, wall", size, work, time.perf_counter)
    small = min(roots, key=sizes)
    slow = measured("libcst, CPU", sizes(small) / 1e6, lambda: concrete([small]), cpu)
    sys.stdout.write(f"inventory / libcst: {full / slow:.1f}x\n")


if __name__ == "__main__":
    main()

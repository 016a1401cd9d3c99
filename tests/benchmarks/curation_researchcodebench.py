"""Read ResearchCodeBench's own problem set and say whether its numbers come out.

    python tests/benchmarks/curation_researchcodebench.py CHECKOUT/pset CELLS.csv

CELLS.csv has the columns paper, snippet and loc, one row per snippet or per model's cell. Prints
the counts, and ends with 1 where a line count, a mask or a round trip is not as it must be.
The problem set has no licence, so nothing of it is kept here.
"""

import ast
import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

from recodeh.curation.check import check
from recodeh.curation.mask import mask
from recodeh.curation.placeholder import Style
from recodeh.curation.tags import Region, parse, strip
from recodeh.data.regions import encoded, fill


def listed(pset: Path) -> Iterator[tuple[str, Path]]:
    """The annotated files of each paper, as `papers.yaml` lists them."""
    for paper in yaml.safe_load((pset / "papers.yaml").read_text()):
        names = paper["annotated_file_paths"]
        for name in [names] if isinstance(names, str) else names:
            yield paper["id"], pset / paper["id"] / name


def faults_of(data: bytes, region: Region) -> Iterator[str]:
    """What is wrong with one region: a mask that is no Python, or a round trip that changes."""
    styles: tuple[Style, ...] = ("raise", "todo")
    for style in styles:
        masked = mask(data, region.name, path=region.path, style=style)
        if encoded(fill(masked.text, masked.snippet, masked.code), masked.snippet) != strip(data):
            yield f"{region.name}: {style} mask does not fill back to the same bytes"
        if style == "raise":
            try:
                ast.parse(masked.text)
            except SyntaxError as error:
                yield f"{region.name}: masked file is no Python: {error}"


def main() -> None:
    """Measure and print."""
    pset, cells = map(Path, sys.argv[1:3])
    with cells.open(newline="") as file:
        expected = {(row["paper"], row["snippet"]): int(row["loc"]) for row in csv.DictReader(file)}
    files = list(listed(pset))
    found: dict[tuple[str, str], int] = {}
    faults: list[str] = []
    for paper, path in files:
        data = path.read_bytes()
        tags = parse(data, path=str(path))
        faults += map(str, tags.faults)
        for region in tags.regions:
            found[(paper, region.name)] = region.loc
            faults += faults_of(data, region)
    whole = check(pset)
    faults += [f"{key}: {found.get(key)} lines, not {loc}" for key, loc in expected.items()
               if found.get(key) != loc]  # fmt: skip
    say = sys.stdout.write
    say(f"{len(files)} files, {len(found)} snippets, {sum(found.values())} lines of code\n")
    say(f"{len(whole.regions) - len(found)} regions in files that are not listed\n")
    say(f"{len(faults)} differences, {len(whole.faults)} faults in the whole tree\n")
    say("".join(f"  {fault}\n" for fault in faults))
    sys.exit(bool(faults or whole.faults))


if __name__ == "__main__":
    main()

"""An environment without an index: copies of distributions that the toolkit itself runs with.

Only named distributions and what they require are copied, so that the environment still is one of
its own, and knows nothing of the toolkit.
"""

import shutil
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from recodeh.data.errors import EnvironmentFault


def copy_distributions(requirements: Iterable[str], site: Path) -> None:
    """Copy what `requirements` name, and all that it requires, into the folder `site`.

    Raises EnvironmentFault for a distribution that is not installed here in a fitting version.
    """
    for found in _closure(requirements):
        for file in found.files or ():
            source = Path(str(found.locate_file(file)))
            if ".." not in file.parts and "__pycache__" not in file.parts and source.is_file():
                target = site / str(file)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)


def _closure(requirements: Iterable[str]) -> Iterator[Distribution]:
    """The distributions that the requirements need, each once."""
    waiting = [Requirement(text) for text in requirements]
    seen: set[tuple[str, frozenset[str]]] = set()
    given: set[str] = set()
    while waiting:
        wanted = waiting.pop()
        name, extras = canonicalize_name(wanted.name), frozenset(wanted.extras)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        found = _installed(wanted)
        waiting.extend(_required(found, extras))
        if name not in given:
            given.add(name)
            yield found


def _installed(wanted: Requirement) -> Distribution:
    try:
        found = distribution(wanted.name)
    except PackageNotFoundError as error:
        raise EnvironmentFault(
            f"{wanted.name} is not installed here, and a lock without hashes fetches nothing",
            mend="give the lock hashes: uv pip compile --generate-hashes",
        ) from error
    if not wanted.specifier.contains(found.version, prereleases=True):
        raise EnvironmentFault(f"{wanted} is wanted, {found.version} is installed here")
    return found


def _required(found: Distribution, extras: frozenset[str]) -> Iterator[Requirement]:
    for text in found.requires or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement

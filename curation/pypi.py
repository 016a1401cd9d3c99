"""One version of a distribution on a package index to a checked archive in the cache."""

import json
import os
import tempfile
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from recodeh.curation.tree import file_key, put
from recodeh.data.errors import SourceError

if TYPE_CHECKING:
    from pypi_simple import DistributionPackage, ProjectPage, PyPISimple

_INDEXES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")


@dataclass(frozen=True)
class Archive:
    """An sdist or pure wheel in the cache."""

    path: Path
    sha256: str
    uploaded: date | None
    """When this file came to the index."""
    first_public: date | None
    """When the first file of the project did; no later than the code of this version."""


def archive(name: str, version: str, *, cache: Path, sha256: str | None = None) -> Archive:
    """The sdist of a version, else its pure wheel, in `cache/downloads/<sha256>/`.

    With `sha256` the file of that digest is meant, and the network is not used where the cache
    has it. Raises SourceError when the index cannot be reached, has no such file, or serves
    another content than it says.
    """
    kept = _cached(cache, sha256) if sha256 else None
    return kept or _fetched(name, version, cache, sha256)


def _cached(cache: Path, sha256: str) -> Archive | None:
    folder = cache / "downloads" / sha256
    files = [path for path in folder.glob("*") if path.name != "archive.json"]
    if len(files) != 1 or file_key(files[0]) != sha256:
        return None
    record = folder / "archive.json"
    dates = json.loads(record.read_text()) if record.is_file() else {}
    return Archive(files[0], sha256, _date(dates, "uploaded"), _date(dates, "first_public"))


def _date(dates: dict[str, str | None], key: str) -> date | None:
    text = dates.get(key)
    return date.fromisoformat(text) if text else None


def _fetched(name: str, version: str, cache: Path, sha256: str | None) -> Archive:
    import requests
    from pypi_simple import DigestMismatchError, NoDigestsError, NoSuchProjectError, PyPISimple

    where = f"pypi:{name}=={version}"
    try:
        endpoint = _endpoint()
        with PyPISimple(endpoint) if endpoint else PyPISimple() as client:
            page = client.get_project_page(name, timeout=60)
            package = _chosen(page, version, sha256, where)
            return _kept(client, page, package, cache, sha256)
    except NoSuchProjectError:
        raise SourceError(
            "the index has no such project", where=where, mend="mend the name"
        ) from None
    except (DigestMismatchError, NoDigestsError) as error:
        raise SourceError(
            f"the index serves another file than it says: {error}",
            where=where,
            mend="try again; if it stays so, use another index",
        ) from error
    except (requests.RequestException, OSError) as error:
        raise SourceError(
            f"the package index cannot be reached ({type(error).__name__})",
            where=where,
            mend="connect, or name a reachable index in UV_DEFAULT_INDEX or PIP_INDEX_URL",
        ) from error


def _endpoint() -> str | None:
    """The index that the user's installers are told to use; None for the library's own."""
    value = next((os.environ[key] for key in _INDEXES if os.environ.get(key)), None)
    # uv also takes `name=address`.
    return value.split("=", 1)[-1] if value and "=" in value.split("://")[0] else value


def _chosen(
    page: "ProjectPage", version: str, sha256: str | None, where: str
) -> "DistributionPackage":
    files = [item for item in page.packages if _same(item.version, version)]
    if sha256:
        fit = [item for item in files if (item.digests or {}).get("sha256") == sha256]
        mend = "check version and sha256: the index has neither file by that digest"
    else:
        sdists = [item for item in files if item.package_type == "sdist"]
        fit = sdists + [item for item in files if item.filename.endswith("-none-any.whl")]
        known = sorted({item.version for item in page.packages if item.version})
        mend = f"the index has {', '.join(known[-8:])}" if not files else "use its git repository"
    if not fit:
        raise SourceError(
            "no sdist or pure wheel of this version" if not sha256 else "no file of this digest",
            where=where,
            mend=mend,
        )
    return fit[0]


def _same(one: str | None, two: str) -> bool:
    from packaging.version import InvalidVersion, Version

    try:
        return one is not None and Version(one) == Version(two)
    except InvalidVersion:
        return one == two


def _kept(
    client: "PyPISimple",
    page: "ProjectPage",
    package: "DistributionPackage",
    cache: Path,
    sha256: str | None,
) -> Archive:
    """Download beside the goal, check, and move there in one step."""
    downloads = cache / "downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=downloads) as scratch:
        file = Path(scratch, "new", Path(package.filename).name)
        client.download_package(package, file, verify=bool(package.digests), timeout=60)
        digest = file_key(file)
        if sha256 not in (None, digest):
            raise SourceError(f"has the sha256 {digest}", where=file.name, mend=f"not {sha256}")
        uploads = [item.upload_time for item in page.packages if item.upload_time]
        first = min(uploads).date() if uploads else None
        uploaded = package.upload_time.date() if package.upload_time else None
        dates = {"uploaded": _text(uploaded), "first_public": _text(first)}
        (file.parent / "archive.json").write_text(json.dumps(dates, sort_keys=True) + "\n")
        goal = downloads / digest
        if _cached(cache, digest) is None:
            put(file.parent, goal)
        return Archive(goal / file.name, digest, uploaded, first)


def _text(day: date | None) -> str | None:
    return day.isoformat() if day else None

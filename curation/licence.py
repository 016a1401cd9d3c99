"""The licence of a source as an SPDX expression, with the file it was read from and how surely."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path
from typing import Final

from recodeh.curation.encoding import decode

ACCEPTED: Final = 0.9
"""The confidence (askalono's score) from which on a text counts as the licence it resembles."""

_TEXTS: Final = re.compile(r"(un)?licen[cs]e|copying", re.IGNORECASE)
_CODE: Final = frozenset({".py", ".pyc", ".json", ".yaml", ".yml", ".toml", ".png", ".svg"})
# Trove classifiers that mean one licence; "BSD License" and the like mean several.
_CLASSIFIERS: Final = {
    "MIT License": "MIT",
    "MIT No Attribution License (MIT-0)": "MIT-0",
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "GNU General Public License v2 (GPLv2)": "GPL-2.0-only",
    "GNU General Public License v2 or later (GPLv2+)": "GPL-2.0-or-later",
    "GNU General Public License v3 (GPLv3)": "GPL-3.0-only",
    "GNU General Public License v3 or later (GPLv3+)": "GPL-3.0-or-later",
    "GNU Affero General Public License v3": "AGPL-3.0-only",
    "GNU Affero General Public License v3 or later (AGPLv3+)": "AGPL-3.0-or-later",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "GNU Lesser General Public License v3 or later (LGPLv3+)": "LGPL-3.0-or-later",
    "European Union Public Licence 1.2 (EUPL 1.2)": "EUPL-1.2",
    "The Unlicense (Unlicense)": "Unlicense",
    "CC0 1.0 Universal (CC0 1.0) Public Domain Dedication": "CC0-1.0",
}


@dataclass(frozen=True)
class Licence:
    """What is known of a source's licence."""

    spdx: str | None
    """None where the evidence is missing, weak, or contradicts itself."""
    file: str | None
    """The file that the expression was read from."""
    confidence: float
    declared: str | None
    """What the distribution's metadata says, which is the second evidence."""
    reason: str
    """One sentence: why this answer."""


@dataclass(frozen=True)
class _Text:
    file: str
    spdx: str
    score: float


def licence_of(root: Path) -> Licence:
    """The licence of the source in `root`, from its licence texts and its metadata."""
    declared, metadata = _declared(root)
    texts = [text for path in _candidates(root) for text in _identified(path, root)]
    sure = [text for text in texts if text.score >= ACCEPTED]
    found = sorted({text.spdx for text in sure})
    if len(found) > 1:
        return _several(sure, found, declared, metadata)
    if sure:
        return _one(max(sure, key=lambda text: text.score), declared)
    if declared:
        return Licence(declared, metadata, ACCEPTED, declared, "declared in the metadata alone")
    best = max(texts, key=lambda text: text.score, default=None)
    if best is None:
        return Licence(None, None, 0.0, None, "no licence text and none declared")
    near = f"its text is only {best.score:.2f} like {best.spdx}"
    return Licence(None, best.file, best.score, None, near)


def _one(text: _Text, declared: str | None) -> Licence:
    if declared and not _agree(text.spdx, declared):
        reason = f"the text is {text.spdx}, the metadata says {declared}"
        return Licence(None, text.file, text.score, declared, reason)
    reason = "text and metadata agree" if declared else "by its text"
    return Licence(declared or text.spdx, text.file, text.score, declared, reason)


def _several(
    sure: list[_Text], found: list[str], declared: str | None, metadata: str | None
) -> Licence:
    files = ", ".join(text.file for text in sure)
    score = min(text.score for text in sure)
    if declared and all(_agree(spdx, declared) for spdx in found):
        return Licence(declared, metadata, score, declared, f"declared, with the texts {files}")
    reason = f"several texts, and nothing says how they combine: {', '.join(found)}"
    return Licence(None, files, score, declared, reason)


def _agree(spdx: str, declared: str) -> bool:
    """Whether an id occurs in an expression; a text cannot tell `-only` from `-or-later`."""
    ids = re.split(r"[\s()]+", declared)
    return _base(spdx) in {_base(item) for item in ids}


def _base(spdx: str) -> str:
    return re.sub(r"-(only|or-later)$|\+$", "", spdx).lower()


def _candidates(root: Path) -> Iterator[Path]:
    """Licence texts where authors and build tools put them."""
    folders = [
        root,
        root / "LICENSES",
        *root.glob("*.dist-info"),
        *root.glob("*.dist-info/licenses"),
    ]
    for folder in folders:
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            named = _TEXTS.search(path.name) or folder.name == "LICENSES"
            if named and path.is_file() and path.suffix not in _CODE:
                yield path


def _identified(path: Path, root: Path) -> Iterator[_Text]:
    import askalono

    if path.stat().st_size < 1 << 20:
        match = askalono.identify(decode(path.read_bytes()))
        yield _Text(path.relative_to(root).as_posix(), match.name, float(match.score))


def _declared(root: Path) -> tuple[str | None, str | None]:
    """The SPDX expression of the distribution's metadata, and the file that says it."""
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    for path in (root / "PKG-INFO", *sorted(root.glob("*.dist-info/METADATA"))):
        if not path.is_file():
            continue
        headers = HeaderParser().parsestr(decode(path.read_bytes()))
        trove = [name.rpartition(" :: ")[2] for name in headers.get_all("Classifier", [])]
        known = [_CLASSIFIERS[name] for name in trove if name in _CLASSIFIERS]
        said = [headers.get("License-Expression"), *(known if len(known) == 1 else ())]
        for text in (*said, headers.get("License")):
            try:
                return str(canonicalize_license_expression(text or "")), path.name
            except InvalidLicenseExpression:  # free text, or none at all
                continue
    return None, None

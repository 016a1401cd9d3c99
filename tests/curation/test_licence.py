"""Licence texts and metadata to one SPDX expression, or to an honest unknown."""

from pathlib import Path

import pytest

from recodeh.curation.licence import licence_of

APACHE = (Path(__file__).parents[2] / "LICENSE").read_text()
ISC = """\
ISC License

Copyright (c) 2020 Somebody

Permission to use, copy, modify, and/or distribute this software for any purpose with or without
fee is hereby granted, provided that the above copyright notice and this permission notice appear
in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS
SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE
AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT,
NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
"""


def metadata(**fields: str) -> str:
    lines = (f"{key.replace('_', '-')}: {value}" for key, value in fields.items())
    return "Metadata-Version: 2.4\nName: x\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("files", "spdx", "file"),
    [
        ({"LICENSE": APACHE}, "Apache-2.0", "LICENSE"),
        ({"COPYING.txt": ISC}, "ISC", "COPYING.txt"),
        ({"x.dist-info/licenses/LICENCE": ISC}, "ISC", "x.dist-info/licenses/LICENCE"),
        ({"LICENSE": ISC, "PKG-INFO": metadata(License_Expression="isc")}, "ISC", "LICENSE"),
        ({"PKG-INFO": metadata(License="MIT")}, "MIT", "PKG-INFO"),
        ({"PKG-INFO": metadata(Classifier="License :: OSI Approved :: MIT License")}, "MIT",
         "PKG-INFO"),
        ({"LICENSE": ISC, "LICENSE-APACHE": APACHE,
          "PKG-INFO": metadata(License_Expression="ISC OR Apache-2.0")}, "ISC OR Apache-2.0",
         "PKG-INFO"),
    ],
)  # fmt: skip
def test_known(files: dict[str, str], spdx: str, file: str, tmp_path: Path) -> None:
    found = licence_of(written(tmp_path, files))

    assert (found.spdx, found.file) == (spdx, file)
    assert found.confidence >= 0.9


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({}, "no licence text and none declared"),
        ({"LICENSE": "You may look at this code but not run it on Sundays.\n"}, "its text is only"),
        ({"LICENSE": ISC, "COPYING": APACHE}, "several texts, and nothing says how they combine"),
        ({"LICENSE": ISC, "PKG-INFO": metadata(License="MIT")}, "the text is ISC, the metadata"),
        ({"PKG-INFO": metadata(Classifier="License :: OSI Approved :: BSD License")}, "no licence"),
        ({"license.py": ISC}, "no licence text"),
    ],
)
def test_unknown_stays_unknown(files: dict[str, str], reason: str, tmp_path: Path) -> None:
    found = licence_of(written(tmp_path, files))

    assert found.spdx is None
    assert found.reason.startswith(reason)


def written(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root

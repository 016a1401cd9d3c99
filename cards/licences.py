"""SPDX licence expressions in, the ids that the Hub's cards know out."""

import re
from collections.abc import Iterable

OTHER = "other"
_KNOWN = """
    afl-3.0 agpl-3.0 apache-2.0 artistic-2.0 bsd-2-clause bsd-3-clause bsd-3-clause-clear bsl-1.0
    cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-nc-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc0-1.0
    ecl-2.0 epl-1.0 epl-2.0 eupl-1.1 eupl-1.2 gpl-2.0 gpl-3.0 isc lgpl-2.1 lgpl-3.0 lppl-1.3c
    mit mpl-2.0 ms-pl ncsa odc-by ofl-1.1 osl-3.0 pddl postgresql unlicense wtfpl zlib
"""
"""Of the Hub's own list, those that the code of a paper carries in practice. The Hub refuses a
card with any other id, so a licence that is not here becomes `other`."""


def hub_ids(expressions: Iterable[str | None]) -> list[str]:
    """The Hub's ids of all licences in the expressions, sorted; unknown ones are `other`."""
    found = {hub_id(name) for expression in expressions for name in _names(expression)}
    return sorted(found - {OTHER}) + sorted(found & {OTHER})


def hub_id(spdx: str) -> str:
    """The Hub's id of one SPDX licence; the Hub does not tell `-only` from `-or-later`."""
    name = re.sub(r"-(only|or-later)$", "", spdx.lower())
    return name if name in _KNOWN.split() else OTHER


def _names(expression: str | None) -> list[str]:
    if not expression:
        return [OTHER]
    plain = re.sub(r"\s+WITH\s+\S+", " ", expression)
    return re.split(r"\s+(?:AND|OR)\s+", re.sub(r"[()]", " ", plain).strip())

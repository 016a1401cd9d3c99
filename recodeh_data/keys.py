"""Identity is content: canonical JSON and the sha256 keys made from it."""

import hashlib
import json
from typing import Any

_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)


def canonical_json(value: Any) -> bytes:
    """The one JSON text of `value`: sorted keys, no spaces, UTF-8, and no NaN or infinity.

    Half a surrogate pair, which UTF-8 cannot hold and only broken text has, becomes a `?`.
    """
    return _ENCODER.encode(value).encode("utf-8", "replace")


def content_key(value: Any) -> str:
    """The sha256, as 64 hex digits, of the canonical JSON of `value`."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def bytes_key(data: bytes) -> str:
    """The sha256 of `data` as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()

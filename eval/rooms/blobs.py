"""Raw memory for what crosses between the rooms.

Stand-alone. Large blobs live in memory that numpy asked for, where it is loaded: that comes in huge
pages, and filling it takes a fifth of the time.
"""

import sys
from typing import Any

LARGE = 1 << 20

Blob = bytearray | memoryview


def _numpy(size: int) -> Any:
    loaded: Any = sys.modules.get("numpy")
    return loaded if size >= LARGE and hasattr(loaded, "frombuffer") else None


def blank(size: int) -> Blob:
    """`size` bytes to be filled."""
    numpy = _numpy(size)
    return bytearray(size) if numpy is None else memoryview(numpy.empty(size, numpy.uint8))


def duplicate(blob: Blob) -> Blob:
    """The same bytes elsewhere."""
    numpy = _numpy(len(blob))
    if numpy is None:
        return bytearray(blob)
    return memoryview(numpy.frombuffer(blob, numpy.uint8).copy())


def same(new: Any, old: Blob) -> bool:
    """Whether two blobs hold the same bytes."""
    numpy = _numpy(len(old))
    if len(new) != len(old):
        return False
    if numpy is None:
        return bytes(new) == bytes(old)
    # In pieces, so that no array of answers as long as the blob is made.
    left, right = numpy.frombuffer(new, numpy.uint8), numpy.frombuffer(old, numpy.uint8)
    return all(
        numpy.array_equal(left[start : start + LARGE], right[start : start + LARGE])
        for start in range(0, len(old), LARGE)
    )

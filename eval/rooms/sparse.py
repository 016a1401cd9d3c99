"""Sparse matrices and arrays of scipy as their dense parts, checked before anything uses them.

Stand-alone.
"""

import sys
from importlib import import_module
from typing import Any

COMPRESSED = ("data", "indices", "indptr")
PARTS = {"csr": COMPRESSED, "csc": COMPRESSED, "coo": ("data", "row", "col")}


def parts(value: Any) -> dict[str, Any] | None:
    """Kind, shape and parts of a sparse matrix or array of an exact, known class; else None."""
    module: Any = sys.modules.get("scipy.sparse")
    if module is None:
        return None
    for name, fields in PARTS.items():
        for kind in (f"{name}_matrix", f"{name}_array"):
            if type(value) is getattr(module, kind, None) and len(value.shape) == 2:
                return {
                    "n": kind,
                    "s": [int(size) for size in value.shape],
                    "v": [getattr(value, part) for part in fields],
                }
    return None


def joined(kind: str, shape: tuple[int, ...], given: list[Any]) -> Any:
    """The matrix again; raises ValueError for places outside it, which scipy's C code would use."""
    import numpy

    sparse: Any = import_module("scipy.sparse")
    name = kind.partition("_")[0]
    if kind not in (f"{name}_matrix", f"{name}_array") or name not in PARTS or len(shape) != 2:
        raise ValueError("an unknown kind of sparse matrix")
    if any(type(part) is not numpy.ndarray or part.ndim != 1 for part in given):
        raise ValueError("parts that are no vectors")
    if any(part.dtype.kind not in "iu" for part in given[1:]) or given[0].dtype.kind not in "biufc":
        raise ValueError("parts of a wrong type")
    data, first, second = given
    if name == "coo":
        _inside(first, shape[0])
        _inside(second, shape[1])
        return getattr(sparse, kind)((data, (first, second)), shape)
    made = getattr(sparse, kind)((data, first, second), shape)
    made.check_format(full_check=True)
    return made


def _inside(places: Any, size: int) -> None:
    if len(places) and not (places.min() >= 0 and places.max() < size):
        raise ValueError("a place outside the matrix")

"""Values as JSON-ready markers and raw blobs; reading them builds plain data and nothing else.

Stand-alone: the rooms run it with the environment's interpreter, which has no recodeh. Exact types
only; a subclass could carry an `__eq__` of its own, so it is for the `other` hook to refer to it.
"""

import sys
from collections.abc import Callable, Iterable
from math import prod
from typing import Any

from recodeh.eval.rooms.blobs import Blob
from recodeh.eval.rooms.sparse import joined, parts

Other = Callable[[Any], Any]
"""Packs what is not plain data, or unpacks a marker this module does not know."""

MAX_DEPTH = 100
ARRAY_KINDS = "biufcmMSU"
BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
PLAIN_TYPES = (bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, object)
SCALARS = frozenset((bool, float, str, type(None)))


class WireError(Exception):
    """A frame or a value is malformed, too large or too deep."""


def pack(value: Any, blobs: list[Any], other: Other, depth: int = 0) -> Any:
    """`value` as a JSON-ready value whose bulk is appended to `blobs`."""
    kind = type(value)
    if kind in SCALARS:
        return value
    if depth > MAX_DEPTH:
        raise WireError(f"a value nests deeper than {MAX_DEPTH}")
    packer = _PACKERS.get(kind)
    if packer is not None:
        return packer(value, blobs, other, depth + 1)
    packed = _pack_numpy(value, blobs, other, depth + 1)
    return other(value) if packed is None else packed


def unpack(packed: Any, blobs: list[Blob], other: Other) -> Any:
    """The value of `packed`; raises `WireError` for anything that `pack` would not write."""
    try:
        return _unpack(packed, blobs, other)
    except (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError) as error:
        raise WireError(f"malformed value: {type(error).__name__}") from None
    except (ValueError, RecursionError) as error:
        raise WireError(f"malformed value: {type(error).__name__}") from None


def _pack_int(value: int, blobs: list[Any], other: Other, depth: int) -> Any:
    return value if -(2**63) <= value < 2**63 else {"k": "int", "v": hex(value)}


def _pack_list(value: list[Any], blobs: list[Any], other: Other, depth: int) -> Any:
    return [pack(item, blobs, other, depth) for item in value]


def _pack_dict(value: dict[Any, Any], blobs: list[Any], other: Other, depth: int) -> Any:
    items = [
        [pack(key, blobs, other, depth), pack(item, blobs, other, depth)]
        for key, item in value.items()
    ]
    return {"k": "dict", "v": items}


def _pack_items(value: Iterable[Any], blobs: list[Any], other: Other, depth: int) -> Any:
    items = [pack(item, blobs, other, depth) for item in value]
    return {"k": type(value).__name__, "v": items}


def _pack_bytes(value: bytes, blobs: list[Any], other: Other, depth: int) -> Any:
    blobs.append(value)
    return {"k": type(value).__name__, "b": len(blobs) - 1}


def _pack_complex(value: complex, blobs: list[Any], other: Other, depth: int) -> Any:
    return {"k": "complex", "v": [value.real, value.imag]}


def _pack_slice(value: Any, blobs: list[Any], other: Other, depth: int) -> Any:
    bounds = (value.start, value.stop, value.step)
    return {"k": type(value).__name__, "v": [pack(bound, blobs, other, depth) for bound in bounds]}


def _pack_ellipsis(value: Any, blobs: list[Any], other: Other, depth: int) -> Any:
    return {"k": "ellipsis"}


def _pack_type(value: type, blobs: list[Any], other: Other, depth: int) -> Any:
    if value in PLAIN_TYPES:
        return {"k": "type", "v": value.__name__}
    numpy = sys.modules.get("numpy")
    if numpy is not None and issubclass(value, numpy.generic) and value.__module__ == "numpy":
        return {"k": "numpy type", "v": value.__name__}
    return other(value)


_PACKERS: dict[type, Callable[[Any, list[Any], Other, int], Any]] = {
    int: _pack_int,
    list: _pack_list,
    dict: _pack_dict,
    tuple: _pack_items,
    set: _pack_items,
    frozenset: _pack_items,
    bytes: _pack_bytes,
    bytearray: _pack_bytes,
    complex: _pack_complex,
    slice: _pack_slice,
    range: _pack_slice,
    type(...): _pack_ellipsis,
    type: _pack_type,
}


def _pack_numpy(value: Any, blobs: list[Any], other: Other, depth: int) -> Any:
    numpy = sys.modules.get("numpy")
    if numpy is None or not hasattr(numpy, "ndarray"):
        return None
    if type(value) is numpy.ndarray:
        return _pack_array(numpy, value, blobs, other, depth)
    if isinstance(value, numpy.generic):
        return _pack_scalar(value)
    if isinstance(value, numpy.dtype) and value.kind in ARRAY_KINDS:
        return {"k": "dtype", "d": value.str}
    found = parts(value)
    if found is not None:
        return {"k": "sparse", **found, "v": pack(found["v"], blobs, other, depth)}
    return _pack_random(numpy, value, blobs, other, depth)


def _pack_array(numpy: Any, value: Any, blobs: list[Any], other: Other, depth: int) -> Any:
    shape = list(value.shape)
    if value.dtype.kind == "O":
        items = [pack(item, blobs, other, depth) for item in value.ravel().tolist()]
        return {"k": "objects", "s": shape, "v": items}
    if value.dtype.kind not in ARRAY_KINDS:
        return other(value)
    order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
    flat = numpy.ascontiguousarray(value.T if order == "F" else value)
    blobs.append(memoryview(flat.reshape(-1).view(numpy.uint8)) if flat.nbytes else b"")
    return {"k": "array", "d": value.dtype.str, "s": shape, "o": order, "b": len(blobs) - 1}


def _pack_scalar(value: Any) -> Any:
    honest = type(value) is value.dtype.type and value.dtype.kind in ARRAY_KINDS
    return {"k": "scalar", "d": value.dtype.str, "v": value.tobytes().hex()} if honest else None


def _pack_random(numpy: Any, value: Any, blobs: list[Any], other: Other, depth: int) -> Any:
    module = sys.modules.get("numpy.random")
    if module is None or type(value) not in (module.Generator, module.RandomState):
        return None
    source = value.bit_generator if type(value) is module.Generator else value
    state = source.state if source is not value else value.get_state(legacy=False)
    if state["bit_generator"] not in BIT_GENERATORS:
        return None
    return {"k": type(value).__name__, "v": pack(state, blobs, other, depth)}


def _unpack(packed: Any, blobs: list[Blob], other: Other) -> Any:
    kind = type(packed)
    if kind in SCALARS or kind is int:
        return packed
    if kind is list:
        return [_unpack(item, blobs, other) for item in packed]
    reader = _READERS.get(packed["k"])
    return other(packed) if reader is None else reader(packed, blobs, other)


def _read_items(packed: Any, blobs: list[Blob], other: Other) -> Any:
    build = {"tuple": tuple, "set": set, "frozenset": frozenset}[packed["k"]]
    return build(_unpack(item, blobs, other) for item in packed["v"])


def _read_dict(packed: Any, blobs: list[Blob], other: Other) -> Any:
    return {_unpack(key, blobs, other): _unpack(item, blobs, other) for key, item in packed["v"]}


def _read_bytes(packed: Any, blobs: list[Blob], other: Other) -> Any:
    blob = _blob(packed, blobs)
    return bytes(blob) if packed["k"] == "bytes" else bytearray(blob)


def _read_slice(packed: Any, blobs: list[Blob], other: Other) -> Any:
    bounds = [_unpack(bound, blobs, other) for bound in packed["v"]]
    return slice(*bounds) if packed["k"] == "slice" else range(*bounds)


def _read_type(packed: Any, blobs: list[Blob], other: Other) -> Any:
    return {kind.__name__: kind for kind in PLAIN_TYPES}[packed["v"]]


def _read_numpy_type(packed: Any, blobs: list[Blob], other: Other) -> Any:
    import numpy

    found = getattr(numpy, packed["v"])
    if not (isinstance(found, type) and issubclass(found, numpy.generic)):
        raise WireError("not a numpy scalar type")
    return found


def _read_dtype(packed: Any, blobs: list[Blob], other: Other) -> Any:
    import numpy

    dtype = numpy.dtype(str(packed["d"]))
    if dtype.kind not in ARRAY_KINDS:
        raise WireError("a dtype that is not plain data")
    return dtype


def _read_array(packed: Any, blobs: list[Blob], other: Other) -> Any:
    import numpy

    dtype, shape = _read_dtype(packed, blobs, other), _shape(packed["s"])
    blob = _blob(packed, blobs)
    if len(blob) != prod(shape) * dtype.itemsize:
        raise WireError("an array's bytes do not fill its shape")
    if not blob:
        return numpy.zeros(shape, dtype)
    flat = numpy.frombuffer(blob, dtype)
    return flat.reshape(shape[::-1]).T if packed["o"] == "F" else flat.reshape(shape)


def _read_objects(packed: Any, blobs: list[Blob], other: Other) -> Any:
    import numpy

    shape, items = _shape(packed["s"]), packed["v"]
    if prod(shape) != len(items):
        raise WireError("an array's items do not fill its shape")
    flat = numpy.empty(len(items), dtype=object)
    for place, item in enumerate(items):
        flat[place] = _unpack(item, blobs, other)
    return flat.reshape(shape)


def _read_scalar(packed: Any, blobs: list[Blob], other: Other) -> Any:
    import numpy

    dtype, data = _read_dtype(packed, blobs, other), bytes.fromhex(packed["v"])
    if len(data) != dtype.itemsize:
        raise WireError("a scalar's bytes do not fill its type")
    return numpy.frombuffer(data, dtype)[0] if data else numpy.zeros((), dtype)[()]


def _read_sparse(packed: Any, blobs: list[Blob], other: Other) -> Any:
    return joined(str(packed["n"]), _shape(packed["s"]), _unpack(packed["v"], blobs, other))


def _read_random(packed: Any, blobs: list[Blob], other: Other) -> Any:
    import numpy

    state = _unpack(packed["v"], blobs, other)
    # The setters of numpy trust these positions and would read beyond the state's memory.
    inner = state["state"] if state["bit_generator"] == "MT19937" else state
    if not 0 <= int(inner.get("pos", inner.get("buffer_pos", 0))) <= 624:
        raise WireError("a random state out of range")
    if state["bit_generator"] == "Philox" and not 0 <= int(state["buffer_pos"]) <= 4:
        raise WireError("a random state out of range")
    if state["bit_generator"] not in BIT_GENERATORS:
        raise WireError("an unknown bit generator")
    source = getattr(numpy.random, state["bit_generator"])()
    if packed["k"] == "Generator":
        source.state = state
        return numpy.random.Generator(source)
    legacy = numpy.random.RandomState(source)
    legacy.set_state(state)
    return legacy


_READERS: dict[str, Callable[[Any, list[Blob], Other], Any]] = {
    "int": lambda packed, blobs, other: int(packed["v"], 16),
    "complex": lambda packed, blobs, other: complex(*packed["v"]),
    "ellipsis": lambda packed, blobs, other: ...,
    "tuple": _read_items,
    "set": _read_items,
    "frozenset": _read_items,
    "dict": _read_dict,
    "bytes": _read_bytes,
    "bytearray": _read_bytes,
    "slice": _read_slice,
    "range": _read_slice,
    "type": _read_type,
    "numpy type": _read_numpy_type,
    "dtype": _read_dtype,
    "array": _read_array,
    "objects": _read_objects,
    "scalar": _read_scalar,
    "sparse": _read_sparse,
    "Generator": _read_random,
    "RandomState": _read_random,
}


def _blob(packed: Any, blobs: list[Blob]) -> Blob:
    place = packed["b"]
    if type(place) is not int or not 0 <= place < len(blobs):
        raise WireError("no such blob")
    return blobs[place]


def _shape(value: Any) -> tuple[int, ...]:
    if len(value) > 32 or any(type(size) is not int or size < 0 for size in value):
        raise WireError("not a shape")
    return tuple(value)

"""Values cross and come back with exact types; nonsense is an error and nothing else."""

import math
import socket
import struct
from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from recodeh.eval.rooms.channel import PREFIX, Channel, Closed
from recodeh.eval.rooms.wire import WireError, pack, unpack

Point = namedtuple("Point", "x y")


def refuse(value: Any) -> Any:
    raise WireError(f"{value!r} is not plain")


def crossed(value: Any) -> Any:
    """`value` after a trip through a real socket."""
    left, right = socket.socketpair()
    with left, right:
        blobs: list[Any] = []
        Channel(left).send({"v": pack(value, blobs, refuse)}, blobs)
        header, back = Channel(right).receive()
    return unpack(header["v"], back, refuse)


def same(left: Any, right: Any) -> bool:
    """Equal in exact type and value, NaN and the sign of zero included."""
    if type(left) is not type(right):
        return False
    if isinstance(left, float) and not isinstance(left, np.generic):
        return struct.pack("d", left) == struct.pack("d", right) or (
            left != left and right != right
        )
    if isinstance(left, complex) and not isinstance(left, np.generic):
        return same(left.real, right.real) and same(left.imag, right.imag)
    if isinstance(left, np.ndarray | np.generic):
        return bool(
            left.dtype == right.dtype
            and left.shape == right.shape
            and left.tobytes() == right.tobytes()
        )
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return same(list(left), list(right)) and all(map(same, left.values(), right.values()))
    return bool(left == right)


keys = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.tuples(st.integers())
scalars = (
    keys
    | st.floats()
    | st.complex_numbers()
    | st.binary(max_size=20)
    | st.text(st.characters(), max_size=20)
)
dtypes = (
    hnp.boolean_dtypes()
    | hnp.integer_dtypes(endianness="?")
    | hnp.floating_dtypes(endianness="?")
    | hnp.complex_number_dtypes()
    | hnp.datetime64_dtypes()
    | hnp.unicode_string_dtypes()
    | hnp.byte_string_dtypes()
)
arrays = hnp.arrays(dtypes, hnp.array_shapes(min_dims=0, min_side=0, max_side=4))
values = st.recursive(
    scalars | arrays,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(keys, inner, max_size=4)
        | st.tuples(inner, inner)
    ),
    max_leaves=12,
)


@given(values)
def test_every_plain_value_comes_back_the_same(value: Any) -> None:
    assert same(crossed(value), value)


@given(hnp.array_shapes(min_dims=0), hnp.scalar_dtypes())
def test_numpy_scalars_keep_their_type(shape: tuple[int, ...], dtype: Any) -> None:
    value = np.zeros(shape, dtype).ravel()[0]
    assert same(crossed(value), value)


@given(st.sets(keys, max_size=5))
def test_sets_come_back_as_sets(value: set[Any]) -> None:
    assert crossed(value) == value
    assert type(crossed(frozenset(value))) is frozenset


@pytest.mark.parametrize(
    "value",
    [
        range(3, 9, 2),
        slice(None, 3),
        ...,
        float,
        np.float32,
        np.dtype("<f4"),
        bytearray(b"ab"),
        -0.0,
    ],
)
def test_what_calls_take_comes_back(value: Any) -> None:
    assert same(crossed(value), value)


def test_an_array_of_objects_and_a_transposed_one_keep_their_form() -> None:
    mixed = np.array([["a", None], [1, 2.5]], dtype=object)
    back = crossed(mixed)
    assert back.dtype == object
    assert back.tolist() == mixed.tolist()
    turned = np.arange(6.0).reshape(2, 3).T
    assert crossed(turned).flags.f_contiguous
    assert same(crossed(turned), turned)
    assert same(crossed(turned[::2, ::-1]), turned[::2, ::-1])


@pytest.mark.parametrize("name", ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"])
def test_random_state_crosses(name: str) -> None:
    generator = np.random.Generator(getattr(np.random, name)(3))
    generator.random(5)
    assert crossed(generator).random() == generator.random()


def test_the_old_random_state_crosses() -> None:
    state = np.random.RandomState(4)
    state.normal()
    assert crossed(state).normal() == state.normal()


class AlwaysFloat(float):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = float.__hash__


class AlwaysArray(np.ndarray[Any, Any]):
    def __eq__(self, other: object) -> Any:
        return True


@pytest.mark.parametrize(
    "value",
    [
        AlwaysFloat(1),
        np.zeros(2).view(AlwaysArray),
        np.ma.masked_array([1, 2]),
        Point(1, 2),
        OrderedDict(a=1),
        object(),
        len,
        np.zeros(1, dtype=[("a", "f8")]),
        type("Number", (np.float64,), {})(2.0),
    ],
)
def test_what_is_not_exactly_plain_goes_to_the_hook(value: Any) -> None:
    seen: list[Any] = []

    def hook(item: Any) -> str:
        seen.append(item)
        return "referred to"

    assert pack([value], [], hook) == ["referred to"]
    assert len(seen) == 1
    assert seen[0] is value


def test_a_value_that_holds_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(WireError, match="deeper"):
        pack(loop, [], refuse)


NONSENSE = [
    {},
    {"k": "tuple"},
    {"k": "tuple", "v": 3},
    {"k": "dict", "v": [[1]]},
    {"k": "dict", "v": [[[], 1]]},
    {"k": "array", "d": "<f8", "s": [2], "o": "C", "b": 0},
    {"k": "array", "d": "|O", "s": [1], "o": "C", "b": 0},
    {"k": "array", "d": "<f8", "s": [-1], "o": "C", "b": 0},
    {"k": "array", "d": "<f8", "s": [1], "o": "C", "b": 7},
    {"k": "array", "d": "<f8", "s": [1], "o": "C", "b": True},
    {"k": "array", "d": {"__reduce__": 1}, "s": [1], "o": "C", "b": 0},
    {"k": "scalar", "d": "<f8", "v": "00"},
    {"k": "scalar", "d": "|V8", "v": "00" * 8},
    {"k": "objects", "s": [5], "v": []},
    {"k": "int", "v": "two"},
    {"k": "complex", "v": [1, 2, 3]},
    {"k": "type", "v": "memoryview"},
    {"k": "numpy type", "v": "load"},
    {"k": "dtype", "d": "|V8"},
    {"k": ["unhashable"]},
    {"k": "eval", "v": "1"},
    {"k": "Generator", "v": {"k": "dict", "v": [["bit_generator", "os"]]}},
]


@pytest.mark.parametrize("packed", NONSENSE, ids=str)
def test_nonsense_is_a_wire_error(packed: Any) -> None:
    with pytest.raises(WireError):
        unpack(packed, [bytearray(4)], refuse)


def test_a_random_state_that_points_outside_its_memory_is_refused() -> None:
    generator = np.random.RandomState(1)
    state = generator.get_state(legacy=False)
    state["state"]["pos"] = 10**6
    blobs: list[Any] = []
    packed = {"k": "RandomState", "v": pack(state, blobs, refuse)}
    with pytest.raises(WireError, match="range"):
        unpack(packed, [bytearray(blob) for blob in blobs], refuse)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["k", "v", "d", "s", "b", "o"]), inner, max_size=4)
        ),
    )
)
def test_any_json_is_a_value_or_a_wire_error(packed: Any) -> None:
    try:
        unpack(packed, [bytearray(8)], refuse)
    except WireError:
        return


@pytest.mark.parametrize(
    "data",
    [
        PREFIX.pack(2**32 - 1, 0),
        PREFIX.pack(2, 2**32 - 1),
        PREFIX.pack(2, 1) + struct.pack("!Q", 2**62) + b"{}",
        PREFIX.pack(3, 0) + b"{x}",
        PREFIX.pack(2, 0) + b"[]",
        PREFIX.pack(100_000, 0) + b"[" * 100_000,
    ],
)
def test_a_lying_frame_costs_nothing(data: bytes) -> None:
    left, right = socket.socketpair()
    with left, right:
        left.sendall(data)
        with pytest.raises(WireError):
            Channel(right, max_bytes=1000).receive()


def test_the_end_of_the_stream_is_told_apart_from_waiting_bytes() -> None:
    left, right = socket.socketpair()
    with right:
        channel = Channel(right)
        with left:
            assert not channel.pending()
            left.sendall(b"x")
            assert channel.pending()
        with pytest.raises(Closed):
            channel.receive()
        assert not channel.pending()


def test_a_large_array_crosses_whole() -> None:
    import threading

    value = np.random.default_rng(0).random((1000, 1000))
    left, right = socket.socketpair()
    with left, right:
        blobs: list[Any] = []
        packed = pack(value, blobs, refuse)
        sender = threading.Thread(target=Channel(left).send, args=({"v": packed}, blobs))
        sender.start()
        header, back = Channel(right).receive()
        sender.join()
    assert same(unpack(header["v"], back, refuse), value)
    assert math.prod(value.shape) * 8 == len(back[0])

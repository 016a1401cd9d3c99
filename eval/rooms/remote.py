"""What a test holds: the `submission` fixture and handles to objects that stay in the other room.

Stand-alone: the judge's room runs it with the environment's interpreter. Nothing that comes back is
trusted beyond its form, and handles compare by identity only: no answer of the other room ever
decides what is equal here.
"""

import builtins
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from recodeh.eval.rooms.blobs import Blob
from recodeh.eval.rooms.channel import Channel, Closed
from recodeh.eval.rooms.wire import WireError, pack, unpack

MAX_TEXT = 4000
IMMUTABLE = frozenset((bool, int, float, complex, str, bytes, type(None)))
NOT_RAISED = frozenset(("KeyboardInterrupt", "GeneratorExit", "BaseExceptionGroup"))


class SubmissionRaised(Exception):
    """An exception of the submission; also an instance of its builtin class where it has one."""

    type = ""
    message = ""
    frames: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.message


class SubmissionGone(BaseException):
    """The submission's process ended or broke the protocol; no `except Exception` hides that."""


class Link:
    """Asks the submission's room, one question at a time, and notes what cannot be honest."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.gone = ""
        """Why no more questions can be asked."""
        self.tampered = ""
        """What an honest submission could not have done."""
        self.dropped: list[int] = []
        self.seed: int | None = None
        self.callbacks: dict[int, Callable[..., Any]] = {}
        self.interfaces: dict[str, None] = {}

    def ask(
        self, question: dict[str, Any], args: Any = (), kwargs: Any = None, label: str = ""
    ) -> Any:
        """Send `question`, serve callbacks until its answer comes, return its value or raise."""
        sent, out = [list(args), kwargs or {}], list[Any]()
        try:
            packed = pack(sent, out, self._refer)
        except WireError as error:
            raise TypeError(f"cannot be sent to the submission: {error}") from None
        question |= {"id": os.urandom(8).hex(), "args": packed, "mutable": _mutable(sent)}
        if self.seed is not None:
            question["seed"], self.seed = self.seed, None
        question["drop"], self.dropped = self.dropped, []
        return self._exchange(question, out, sent, label)

    def check_quiet(self) -> None:
        """Bytes that nobody asked for are no answer of an honest room."""
        if not self.tampered and self.channel.pending():
            self.tampered = "the submission's room sent bytes that nobody had asked for"
        if self.tampered:
            self._end(self.tampered)

    def _exchange(self, question: dict[str, Any], out: list[Any], sent: Any, label: str) -> Any:
        if self.gone:
            raise SubmissionGone(self.gone)
        self.check_quiet()
        try:
            self.channel.send(question, out)
            answer, blobs = self._await(question["id"])
            return self._value(answer, blobs, sent, label)
        except Closed:
            self._end("the submission's process ended")
        except WireError as error:
            self._end(f"the submission's room answered nonsense: {error}")
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            if isinstance(error, SubmissionRaised):
                raise
            self._end(f"the submission's room answered nonsense: {type(error).__name__}")

    def _end(self, reason: str) -> None:
        self.gone = reason
        raise SubmissionGone(reason)

    def _await(self, asked: str) -> tuple[dict[str, Any], list[Blob]]:
        while True:
            answer, blobs = self.channel.receive()
            if "callback" in answer:
                self._serve(answer, blobs)
            elif answer.get("id") == asked:
                return answer, blobs
            else:
                self.tampered = "the submission's room answered a question that nobody had asked"
                self._end(self.tampered)

    def _serve(self, answer: dict[str, Any], blobs: list[Blob]) -> None:
        function = self.callbacks[answer["callback"]]
        args, kwargs = unpack(answer["args"], blobs, lambda packed: self._take(packed, "callback"))
        out: list[Any] = []
        try:
            reply = {"returned": pack(function(*args, **kwargs), out, self._refer)}
        # The test's own function: what it raises goes to its caller, the submission.
        except Exception as error:
            failed = {"type": type(error).__name__, "message": str(error)[:MAX_TEXT]}
            reply, out = {"failed": failed}, []
        self.channel.send(reply, out)

    def _value(self, answer: dict[str, Any], blobs: list[Blob], sent: Any, label: str) -> Any:
        def take(packed: Any) -> Any:
            return self._take(packed, label)

        start = answer.get("from", len(blobs))
        if "changed" in answer:
            _write_back(sent, unpack(answer["changed"], blobs[start:], take))
        for names, message in answer.get("warned", ()):
            warnings.warn(str(message)[:MAX_TEXT], _category(names), stacklevel=6)
        if "raised" in answer:
            raise _raised(answer["raised"])
        return unpack(answer["ok"], blobs[:start], take)

    def _take(self, packed: Any, label: str) -> Any:
        if packed["k"] == "callback":
            return self.callbacks[packed["i"]]
        if packed["k"] != "handle" or type(packed["i"]) is not int:
            raise WireError("an unknown kind of value")
        return Handle(self, packed["i"], str(packed["n"])[:200], label)

    def _refer(self, value: Any) -> Any:
        if type(value) is Handle:
            return {"k": "handle", "i": _number(value)}
        if callable(value):
            number = id(value)
            self.callbacks[number] = value
            return {"k": "callback", "i": number}
        raise WireError(f"{type(value).__name__} is neither plain data nor callable")


class Handle:
    """An object that stays in the submission's room; attributes and calls go there."""

    __slots__ = ("_handle",)

    def __init__(self, link: Link, number: int, kind: str, label: str) -> None:
        object.__setattr__(self, "_handle", (link, number, kind, label))

    def __getattr__(self, name: str) -> Any:
        # Python and numpy look for protocols under such names, memory addresses among them.
        if name.startswith("__"):
            raise AttributeError(name)
        link, number, _, label = self._handle
        return link.ask({"do": "get", "target": number, "name": name}, label=f"{label}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        link, number, _, label = self._handle
        link.ask({"do": "set", "target": number, "name": name}, (value,), label=label)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        link, number, _, label = self._handle
        link.interfaces[label] = None
        return link.ask({"do": "call", "target": number}, args, kwargs, label)

    def __len__(self) -> int:
        return int(self._apply("builtins:len"))

    def __getitem__(self, key: Any) -> Any:
        return self._apply("operator:getitem", key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._apply("operator:setitem", key, value)

    def __delitem__(self, key: Any) -> None:
        self._apply("operator:delitem", key)

    def __contains__(self, key: Any) -> bool:
        return self._apply("operator:contains", key) is True

    def __iter__(self) -> Iterator[Any]:
        link, _, _, label = self._handle
        walker = self._apply("builtins:iter")
        while True:
            got = link.ask({"do": "next", "target": _number(walker)}, label=label)
            if not got:
                return
            yield got[0]

    def __next__(self) -> Any:
        link, number, _, label = self._handle
        got = link.ask({"do": "next", "target": number}, label=label)
        if not got:
            raise StopIteration
        return got[0]

    def __bool__(self) -> bool:
        return self._apply("builtins:bool") is True

    def _apply(self, function: str, *args: Any) -> Any:
        link, _, _, label = self._handle
        return link.ask({"do": "call", "target": function}, (self, *args), label=label)

    def __eq__(self, other: object) -> bool:
        return type(other) is Handle and _number(other) == _number(self)

    def __hash__(self) -> int:
        return hash(_number(self))

    def __repr__(self) -> str:
        _, number, kind, label = self._handle
        return f"<handle {number} to {kind} from {label}>"

    def __del__(self) -> None:
        link, number, _, _ = self._handle
        link.dropped.append(number)


class Submission:
    """The fixture: `submission("pkg.module:function", x)` calls there and brings the value back."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def __call__(self, target: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call `target` with values, handles or functions of the test; raises what it raises."""
        self._link.interfaces[target] = None
        return self._link.ask({"do": "call", "target": target}, args, kwargs, target)

    def get(self, target: str) -> Any:
        """The value of a module's name, e.g. a constant, or a handle to a class."""
        self._link.interfaces[target] = None
        return self._link.ask({"do": "get", "target": target}, label=target)


def _number(handle: Handle) -> int:
    return int(handle._handle[1])


def _mutable(sent: list[Any]) -> bool:
    values = [*sent[0], *sent[1].values()]
    return any(type(value) not in IMMUTABLE and type(value) is not Handle for value in values)


def _write_back(old: Any, new: Any) -> Any:
    """Make the test's own object equal to what the call left; return what stands for it."""
    if type(old) is not type(new):
        return new
    if type(old) is list:
        kept = [_write_back(was, now) for was, now in zip(old, new, strict=False)]
        old[:] = kept + new[len(kept) :]
    elif type(old) is dict:
        kept_items = {
            key: _write_back(old[key], now) if key in old else now for key, now in new.items()
        }
        old.clear()
        old.update(kept_items)
    elif type(old) is tuple and len(old) == len(new):
        return tuple(_write_back(was, now) for was, now in zip(old, new, strict=True))
    elif type(old) in (set, bytearray):
        old.clear()
        old.update(new) if type(old) is set else old.extend(new)
    else:
        return _write_back_numpy(old, new)
    return old


def _write_back_numpy(old: Any, new: Any) -> Any:
    numpy: Any = sys.modules.get("numpy")
    if numpy is None or type(old) not in (
        numpy.ndarray,
        numpy.random.Generator,
        numpy.random.RandomState,
    ):
        return new
    if type(old) is numpy.random.Generator:
        old.bit_generator.state = new.bit_generator.state
    elif type(old) is numpy.random.RandomState:
        old.set_state(new.get_state(legacy=False))
    elif old.shape == new.shape and old.dtype == new.dtype and old.flags.writeable:
        old[...] = new
    return old


def _known(names: Any, base: type[BaseException]) -> type[BaseException] | None:
    """The first class of `names` that is builtin, or numpy's where the test has it loaded."""
    for name in names:
        module, _, kind = str(name).rpartition(".")
        if module == "builtins" and kind not in NOT_RAISED:
            found = getattr(builtins, kind, None)
        elif module.partition(".")[0] == "numpy" and "." not in kind:
            found = getattr(sys.modules.get(module), kind, None)
        else:
            continue
        if isinstance(found, type) and issubclass(found, base):
            return found
    return None


def _category(names: Any) -> type[Warning]:
    return _known(names, Warning) or UserWarning  # type: ignore[return-value]


def _raised(told: dict[str, Any]) -> SubmissionRaised:
    names = list(told["mro"])
    name = str(names[0]).rpartition(".")[2][:200]
    known = _known(names, BaseException)
    bases = (SubmissionRaised,) if known in (None, BaseException) else (SubmissionRaised, known)
    fields = {
        "type": name,
        "message": str(told["message"])[:MAX_TEXT],
        "frames": tuple(str(frame)[:300] for frame in told["frames"][:20]),
    }
    try:
        return _build(name, bases, fields)
    except TypeError:
        # Two builtin layouts that do not mix.
        return _build(name, (SubmissionRaised,), fields)


def _build(name: str, bases: tuple[type, ...], fields: dict[str, Any]) -> SubmissionRaised:
    kind: Any = type(name, bases, fields)
    # Some constructors want more than a message, e.g. that of UnicodeDecodeError.
    built: SubmissionRaised = kind.__new__(kind, fields["message"])
    return built

"""The room that loads the workspace and computes: it answers the judge's questions one by one.

Stand-alone. Everything in this process belongs to the submission, this module included; that is
why the judge trusts nothing but the form of what comes back.
"""

import contextlib
import os
import socket
import sys
import traceback
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

from recodeh.eval.rooms import confine
from recodeh.eval.rooms.blobs import Blob, duplicate, same
from recodeh.eval.rooms.channel import Channel, Closed
from recodeh.eval.rooms.wire import WireError, pack, unpack

MAX_TEXT = 4000
MAX_FRAMES = 20
MAX_WARNINGS = 20


def serve(link: socket.socket, control: socket.socket, work: str) -> None:
    """Take the job from `control`, give up everything, and answer questions until the end."""
    setup, blobs = Channel(control).receive()
    job = unpack(setup["job"], blobs, _refuse)
    root = f"{work}/source"
    confine.write_files(root, job["files"])
    confine.limit(job["limits"])
    confine.drop_privileges()
    confine.refuse_calls()
    confine.preload(job["preload"])
    confine.seed(job["seed"])
    os.makedirs(f"{root}/{job['import_root']}", exist_ok=True)  # noqa: PTH103
    os.chdir(root)
    sys.path.insert(0, os.path.normpath(f"{root}/{job['import_root']}"))
    sys.dont_write_bytecode = True
    Channel(control).send({"event": "ready"}, [])
    control.close()
    Room(Channel(link, job["max_bytes"]), root).answer_all()


def _refuse(value: Any) -> Any:
    raise WireError("not plain data")


class Callback:
    """Stands for a function of the test; calling it asks the judge."""

    def __init__(self, room: "Room", number: int) -> None:
        self._room, self._number = room, number

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._room.call_back(self._number, args, kwargs)


class Room:
    """The objects that the judge holds handles to, and the loop that serves its questions."""

    def __init__(self, channel: Channel, root: str) -> None:
        self.channel = channel
        self.root = root
        self.objects: dict[int, list[Any]] = {}
        self.numbers: dict[int, int] = {}
        self.last = 0
        self.open = True

    def answer_all(self) -> None:
        """Answer until the judge says goodbye or is gone."""
        with contextlib.suppress(Closed):
            while self.open:
                self._answer(*self.channel.receive())

    def _answer(self, question: dict[str, Any], blobs: list[Blob]) -> None:
        for number in question.get("drop", ()):
            self._drop(number)
        if "seed" in question:
            confine.seed(question["seed"])
        known: dict[int, Any] = {}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            answer, out, arguments = self._try(question, blobs, known)
        answer["id"] = question["id"]
        if caught:
            answer["warned"] = [_warning(item) for item in caught[:MAX_WARNINGS]]
        if arguments is not None:
            self._tell_changes(question, blobs, arguments, known, answer, out)
        self._send(answer, out)

    def _try(
        self, question: dict[str, Any], blobs: list[Blob], known: dict[int, Any]
    ) -> tuple[dict[str, Any], list[Any], Any]:
        arguments, out = None, list[Any]()
        try:
            # Arrays lie in their blobs, so what the call may change is a copy of them.
            copies = list(map(duplicate, blobs)) if question.get("mutable") else blobs
            arguments = unpack(question.get("args", []), copies, self._taking(known))
            value = getattr(self, f"_do_{question['do']}")(question, arguments)
            return {"ok": pack(value, out, self._handle)}, out, arguments
        # Whatever the submission raises, SystemExit included, is its answer.
        except BaseException as error:
            return {"raised": self._describe(error)}, [], arguments

    def _send(self, answer: dict[str, Any], out: list[Any]) -> None:
        try:
            self.channel.send(answer, out)
        except WireError as error:
            self.channel.send({"id": answer["id"], "raised": self._describe(error)}, [])

    def _tell_changes(
        self,
        question: dict[str, Any],
        blobs: list[Blob],
        arguments: Any,
        known: dict[int, Any],
        answer: dict[str, Any],
        out: list[Any],
    ) -> None:
        if not question.get("mutable"):
            return
        new: list[Any] = []
        packed = pack(arguments, new, lambda value: known.get(id(value)) or self._handle(value))
        if packed == question["args"] and all(map(same, new, blobs)):
            return
        rest: list[Any] = []
        answer["changed"] = pack(
            arguments, rest, lambda value: known.get(id(value)) or self._handle(value)
        )
        answer["from"] = len(out)
        out.extend(rest)

    def _taking(self, known: dict[int, Any]) -> Callable[[Any], Any]:
        def take(packed: Any) -> Any:
            if packed["k"] == "handle":
                value = self.objects[packed["i"]][0]
            else:
                value = Callback(self, packed["i"])
            known[id(value)] = packed
            return value

        return take

    def _handle(self, value: Any) -> Any:
        number = self.numbers.get(id(value))
        if number is None:
            self.last += 1
            number = self.numbers[id(value)] = self.last
            self.objects[number] = [value, 0]
        self.objects[number][1] += 1
        kind = type(value)
        return {"k": "handle", "i": number, "n": f"{kind.__module__}.{kind.__qualname__}"[:200]}

    def _drop(self, number: int) -> None:
        entry = self.objects[number]
        entry[1] -= 1
        if not entry[1]:
            del self.objects[number], self.numbers[id(entry[0])]

    def call_back(self, number: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Ask the judge to call the test's function; questions may come before the answer."""
        out: list[Any] = []
        packed = pack([list(args), kwargs], out, self._handle)
        self.channel.send({"callback": number, "args": packed}, out)
        while True:
            message, blobs = self.channel.receive()
            if "returned" in message:
                return unpack(message["returned"], blobs, self._taking({}))
            if "failed" in message:
                raise _error(message["failed"])
            self._answer(message, blobs)

    def _do_call(self, question: dict[str, Any], arguments: Any) -> Any:
        args, kwargs = arguments
        return self._target(question)(*args, **kwargs)

    def _do_get(self, question: dict[str, Any], arguments: Any) -> Any:
        target = self._target(question)
        return getattr(target, question["name"]) if "name" in question else target

    def _do_set(self, question: dict[str, Any], arguments: Any) -> Any:
        setattr(self._target(question), question["name"], arguments[0][0])

    def _do_bye(self, question: dict[str, Any], arguments: Any) -> Any:
        self.open = False

    def _do_next(self, question: dict[str, Any], arguments: Any) -> Any:
        try:
            return (next(self._target(question)),)
        except StopIteration:
            return ()

    def _target(self, question: dict[str, Any]) -> Any:
        target = question["target"]
        if type(target) is int:
            return self.objects[target][0]
        module, _, path = target.partition(":")
        value: Any = import_module(module)
        for name in filter(None, path.split(".")):
            value = getattr(value, name)
        return value

    def _describe(self, error: BaseException) -> dict[str, Any]:
        kinds = [f"{kind.__module__}.{kind.__qualname__}"[:200] for kind in type(error).__mro__]
        return {"mro": kinds[:30], "message": _text(error), "frames": self._frames(error)}

    def _frames(self, error: BaseException) -> list[str]:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if frame.filename.startswith(self.root)]
        return [
            f"{frame.filename[len(self.root) + 1 :]}:{frame.lineno} in {frame.name}"[:300]
            for frame in ours[-MAX_FRAMES:]
        ]


def _text(value: Any) -> str:
    try:
        return str(value)[:MAX_TEXT]
    # The submission wrote this `__str__`; without a text the judge still learns the type.
    except BaseException:
        return "(no message)"


def _warning(item: Any) -> list[Any]:
    return [
        [f"{kind.__module__}.{kind.__qualname__}"[:200] for kind in item.category.__mro__],
        _text(item.message),
    ]


def _error(failed: dict[str, Any]) -> Exception:
    import builtins

    kind = getattr(builtins, failed["type"], None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        try:
            return kind(failed["message"])
        except TypeError:
            pass
    return RuntimeError(f"{failed['type']}: {failed['message']}")

"""Length-prefixed frames over a stream socket: a JSON header and raw blobs, bounded in size.

Stand-alone: the rooms run it with the environment's interpreter, which has no recodeh.
"""

import json
import socket
import struct
from typing import Any

from recodeh.eval.rooms.blobs import Blob, blank
from recodeh.eval.rooms.wire import WireError

PREFIX = struct.Struct("!II")
MAX_HEADER = 64 * 1024 * 1024
MAX_BLOBS = 65536


class Closed(Exception):
    """The other side is gone."""


class Channel:
    """Frames over a stream socket, each at most `max_bytes` long."""

    def __init__(self, sock: socket.socket, max_bytes: int = 1 << 29) -> None:
        self.sock = sock
        self.max_bytes = max_bytes
        self._ahead = bytearray()

    def send(self, header: dict[str, Any], blobs: list[Any]) -> None:
        """Write one frame; raises `Closed` when nobody reads, `WireError` when it is too large."""
        text = json.dumps(header, separators=(",", ":")).encode()
        sizes = [len(blob) for blob in blobs]
        if len(text) > MAX_HEADER or len(sizes) > MAX_BLOBS or sum(sizes) > self.max_bytes:
            raise WireError("a frame is too large")
        start = PREFIX.pack(len(text), len(sizes)) + struct.pack(f"!{len(sizes)}Q", *sizes) + text
        try:
            if sum(sizes) < 65536:
                self.sock.sendall(b"".join([start, *blobs]))
            else:
                for part in (start, *blobs):
                    self.sock.sendall(part)
        except OSError as error:
            raise Closed(str(error)) from None

    def receive(self) -> tuple[dict[str, Any], list[Blob]]:
        """Read one frame; raises `Closed` at the end, `WireError` for nonsense."""
        length, count = PREFIX.unpack(self._read(PREFIX.size))
        if length > MAX_HEADER or count > MAX_BLOBS:
            raise WireError("a frame claims to be too large")
        sizes = struct.unpack(f"!{count}Q", self._read(8 * count))
        if sum(sizes) > self.max_bytes:
            raise WireError("a frame claims to be too large")
        try:
            header = json.loads(bytes(self._read(length)))
            blobs = [self._read(size) for size in sizes]
        except (ValueError, RecursionError):
            raise WireError("a frame's header is not JSON") from None
        except MemoryError:
            raise WireError("a frame does not fit into memory") from None
        if type(header) is not dict:
            raise WireError("a frame's header is not an object")
        return header, blobs

    def pending(self) -> bool:
        """Whether bytes have come that nobody read yet."""
        if self._ahead:
            return True
        try:
            return bool(self.sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        except BlockingIOError:
            return False
        except OSError:
            return False

    def _read(self, size: int) -> Blob:
        data = blank(size)
        got = min(size, len(self._ahead))
        data[:got], self._ahead = self._ahead[:got], self._ahead[got:]
        with memoryview(data) as view:
            while got < size:
                got += self._fill(view[got:])
        return data

    def _fill(self, view: memoryview) -> int:
        try:
            if len(view) >= 65536:
                count = self.sock.recv_into(view)
                if not count:
                    raise Closed("end of stream")
                return count
            chunk = self.sock.recv(65536)
        except OSError as error:
            raise Closed(str(error)) from None
        if not chunk:
            raise Closed("end of stream")
        count = min(len(chunk), len(view))
        view[:count] = chunk[:count]
        self._ahead += chunk[count:]
        return count

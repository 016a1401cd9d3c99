"""Entry of a room: `python -P -s -u -B start.py KIND LINK CONTROL WORK`, in the environment.

LINK is the descriptor that joins the two rooms, CONTROL joins this room to the runner; a zygote
has no link. The modules
beside this file load under their own names from a package made here, so that nothing of ours
stands on the import path of a submission, and recodeh itself is not needed.
"""

import socket
import sys
from importlib import import_module
from types import ModuleType

PACKAGES = ("recodeh", "recodeh.eval", "recodeh.eval.rooms")


def main() -> None:
    """Open the room that the command line names."""
    kind, link, control, work = sys.argv[1:5]
    sys.argv[1:] = []
    for name in PACKAGES:
        package = ModuleType(name)
        package.__path__ = []
        sys.modules[name] = package
    sys.modules[PACKAGES[-1]].__path__ = [__file__.rpartition("/")[0]]
    room = import_module(f"{PACKAGES[-1]}.{kind}_room")
    room.serve(_socket(link), _socket(control), work)


def _socket(descriptor: str) -> socket.socket | None:
    """A descriptor by number, or `unix:PATH` to meet the runner there; `none` is none."""
    if descriptor == "none":
        return None
    if descriptor.startswith("unix:"):
        met = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        met.connect(descriptor.removeprefix("unix:"))
        return met
    sock = socket.socket(fileno=int(descriptor))
    sock.set_inheritable(False)
    return sock


if __name__ == "__main__":
    main()

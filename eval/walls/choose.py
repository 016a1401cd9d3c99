"""Walls by name; `auto` takes the strongest one that works here."""

import warnings
from functools import lru_cache

from recodeh.data.errors import InputError, RoomError
from recodeh.eval.walls.bubblewrap import BubblewrapWall
from recodeh.eval.walls.docker import DockerWall
from recodeh.eval.walls.process import ProcessWall
from recodeh.eval.walls.wall import Availability, Wall

NAMES = ("auto", "bubblewrap", "process", "docker")


def wall_named(name: str = "auto") -> Wall:
    """The wall called `name`; `auto` is bubblewrap where it works, else process with a warning.

    Raises `InputError` for an unknown name and `RoomError` for a wall that does not work here.
    """
    if name not in NAMES:
        raise InputError(f"there is no wall {name!r}", mend=f"choose one of {', '.join(NAMES)}")
    if name == "process":
        return ProcessWall()
    if name == "docker":
        return _engine()
    tried = _tried()
    if tried.works:
        return BubblewrapWall()
    if name == "bubblewrap":
        raise RoomError(tried.reason, where="bubblewrap", mend=tried.mend)
    warnings.warn(
        f"submitted code runs without isolation: {tried.reason} ({tried.mend})", stacklevel=2
    )
    return ProcessWall()


def _engine() -> Wall:
    wall = DockerWall()
    tried = wall.available()
    if not tried.works:
        raise RoomError(tried.reason, where="docker", mend=tried.mend)
    return wall


@lru_cache(maxsize=1)
def _tried() -> Availability:
    return BubblewrapWall().available()

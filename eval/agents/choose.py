"""Agents by name; an own one is `path/to/file.py:Name` or `package.module:Name`."""

import importlib
import importlib.util
import shlex
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from recodeh.data.errors import InputError
from recodeh.data.keys import bytes_key
from recodeh.eval.agents.agent import Agent
from recodeh.eval.agents.command import CommandAgent
from recodeh.eval.agents.oneshot import OneShot, ResearchCodeBenchAgent
from recodeh.eval.agents.recodeagent import RecodeAgent

_BUILTIN: Mapping[str, Callable[[], Agent]] = {
    "oneshot": OneShot,
    "researchcodebench": ResearchCodeBenchAgent,
    "recodeagent": RecodeAgent,
    "recodeagent:tools": partial(RecodeAgent, native=True),
}
_FORMS = (
    f"agents are {', '.join(_BUILTIN)}, command:PROGRAM ARGUMENTS, path/to/file.py:Name "
    "and package.module:Name"
)


def choose_agent(spec: str) -> Agent:
    """The agent called `spec`; a class is made without arguments.

    Raises InputError when there is none, or when it is no agent.
    """
    if spec in _BUILTIN:
        return _BUILTIN[spec]()
    if spec.startswith("command:"):
        return _program(spec)
    place, colon, name = spec.rpartition(":")
    if not colon or not place or not name:
        raise InputError(f"no agent is called {spec!r}", mend=_FORMS)
    module, version = _module(place)
    found = getattr(module, name, None)
    if found is None:
        raise InputError(f"there is no {name} in it", where=place, mend=_FORMS)
    agent = _own(found, spec) if isinstance(found, type) else found
    return _checked(agent, spec, version)


def _own(what: Callable[[], Any], place: str) -> Any:
    """What the user's own code gives.

    Raises InputError for whatever it raises, since that can be anything.
    """
    try:
        return what()
    except Exception as error:  # the user's code
        raise InputError(f"it fails: {type(error).__name__}: {error}", where=place) from error


def _program(spec: str) -> Agent:
    try:
        program = tuple(shlex.split(spec.removeprefix("command:")))
    except ValueError as error:
        raise InputError(f"not a command line: {error}", where=spec) from error
    if not program:
        raise InputError("no program is named", where=spec, mend=_FORMS)
    return CommandAgent(program)


def _module(place: str) -> tuple[ModuleType, str]:
    """The module, and the hash of its file: an edited agent is another agent."""
    module = _from_file(Path(place)) if place.endswith(".py") else _by_name(place)
    source = Path(module.__file__).read_bytes() if module.__file__ else b""
    return module, bytes_key(source)


def _from_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"recodeh_agent_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InputError("no such file", where=path, mend=_FORMS)
    module = importlib.util.module_from_spec(spec)
    _own(partial(spec.loader.exec_module, module), str(path))
    return module


def _by_name(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(f"cannot import it: {error}", where=name, mend=_FORMS) from error


def _checked(agent: Any, spec: str, version: str) -> Agent:
    if not callable(getattr(agent, "turn", None)) or not isinstance(
        getattr(agent, "name", None), str
    ):
        raise InputError("an agent has a name and a method turn(view, history)", where=spec)
    return agent if hasattr(agent, "version") else _Versioned(agent, version)


class _Versioned:
    """An agent that says nothing of its version gets its file's hash."""

    def __init__(self, agent: Agent, version: str) -> None:
        self.name = agent.name
        self.version = version
        self.turn = agent.turn

"""Run somebody's agent program on a prepared folder: files in, one file out, and a time limit.

The program is the user's own choice and runs as the user, outside the rooms; its environment holds
paths and locale, and besides only the variables that the user names.
"""

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from recodeh.data.errors import InputError, ModelError
from recodeh.eval.agents.agent import Errand

PASS_ENVIRONMENT = "RECODEH_PASS_ENV"
"""Names, with commas between, of the variables that an agent program gets: its own keys, say."""
_ALWAYS = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TERM", "USER", "SHELL")


def run_errand(errand: Errand) -> str:
    """The target file as the program left it.

    A program that fails or runs over its time has handed in what is in the file by then. Raises
    ModelError when it cannot be started or leaves no readable file.
    """
    with tempfile.TemporaryDirectory(prefix="recodeh-agent-") as name:
        folder = Path(name)
        _lay_out(errand.files, folder)
        with _started(errand, folder) as process, contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(errand.seconds)
        try:
            return (folder / errand.target).read_bytes().decode(errand.encoding)
        except (OSError, UnicodeDecodeError) as error:
            raise ModelError(
                f"the agent program left no readable {errand.target}", where=errand.program[0]
            ) from error


def program_environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """What a program may see of the environment."""
    named = [name.strip() for name in inherited.get(PASS_ENVIRONMENT, "").split(",")]
    return {name: inherited[name] for name in (*_ALWAYS, *named) if name in inherited}


def _lay_out(files: Mapping[str, bytes], folder: Path) -> None:
    for path, content in files.items():
        parts = PurePosixPath(path)
        if parts.is_absolute() or ".." in parts.parts:
            raise InputError("a path leaves its folder", where=path)
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


@contextmanager
def _started(errand: Errand, folder: Path) -> "Iterator[subprocess.Popen[bytes]]":
    """The program in a session of its own, all of which is killed in the end."""
    try:
        process = subprocess.Popen(
            errand.program,
            cwd=folder,
            env=program_environment(os.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise ModelError(
            f"the agent program cannot be started: {error.strerror}",
            where=errand.program[0],
            mend="give a program that is on the PATH, or its whole path",
        ) from error
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

"""From the path of an environment's python to the folders that it needs."""

import json
import subprocess
from functools import lru_cache
from pathlib import Path

from recodeh.data.errors import RoomError
from recodeh.eval.walls.wall import Interpreter

OLDEST = (3, 11)
ASK_SECONDS = 60
ASK = (
    "import json, site, sys\n"
    "packages = site.getsitepackages([sys.base_prefix])\n"
    "print(json.dumps([sys.prefix, sys.base_prefix, packages, sys.version_info[:2]]))\n"
)


@lru_cache(maxsize=64)
def interpreter(python: Path) -> Interpreter:
    """Ask `python` where it lives; raises `RoomError` when it does not run or is too old."""
    prefix, base, packages, version = _ask(python)
    if tuple(version) < OLDEST:
        raise RoomError("the environment's python is older than 3.11", where=python)
    own = Path(base) == Path(prefix)
    return Interpreter(
        executable=python,
        prefix=Path(prefix),
        base_prefix=Path(base).resolve(),
        base_packages=() if own else tuple(Path(path) for path in packages if Path(path).is_dir()),
        version=(version[0], version[1]),
    )


def _ask(python: Path) -> tuple[str, str, list[str], list[int]]:
    try:
        said = subprocess.run(
            [python, "-I", "-c", ASK], capture_output=True, timeout=ASK_SECONDS, check=True
        )
        prefix, base, packages, version = json.loads(said.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        mend = "build the environment again"
        raise RoomError(f"python does not run: {error}", where=python, mend=mend) from None
    return prefix, base, packages, version

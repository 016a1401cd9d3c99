"""Where downloads, unpacked sources and environments are kept between runs."""

import os
from pathlib import Path


def cache_root() -> Path:
    """`$RECODEH_CACHE`, else `recodeh` in the user's cache folder. The folder may not exist yet."""
    chosen = os.environ.get("RECODEH_CACHE")
    if chosen:
        return Path(chosen).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "recodeh"

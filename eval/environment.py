"""Environments: from a task's locked requirements to an interpreter that has them, built by uv.

An environment is named by its lock, kept in the cache with hard links into uv's own, and never is
the toolkit's own. Only wheels are installed, so that no foreign build script runs.
"""

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from recodeh.data.cache import cache_root
from recodeh.data.errors import EnvironmentFault
from recodeh.data.keys import content_key
from recodeh.data.records import Environment
from recodeh.eval.copied import copy_distributions

READY = "ready"
INSTALL_SECONDS = 900


def interpreter(environment: Environment, *, cache: Path | None = None) -> Path:
    """The Python of `environment`, built first if this machine does not have it yet.

    Raises EnvironmentFault when no interpreter fits or the lock cannot be installed here.
    """
    base = base_python(environment.python)
    key = content_key([environment.requirements_lock, _version(base)])
    folder = (cache or cache_root()) / "environments" / key[:20]
    python = folder / "venv" / "bin" / "python"
    if (folder / READY).exists():
        return python
    with _alone(folder):
        if not (folder / READY).exists():
            _build(environment, folder, base, python)
    return python


def base_python(specifier: str) -> Path:
    """The interpreter that environments for `specifier` are made from, as a real path.

    Raises EnvironmentFault when none on this machine fits.
    """
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    own = Path(sys.base_prefix) / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    try:
        fits = SpecifierSet(specifier).contains(".".join(map(str, sys.version_info[:3])))
    except InvalidSpecifier as error:
        raise EnvironmentFault(f"not a version specifier: {specifier!r}") from error
    return own.resolve() if fits and own.exists() else _found_by_uv(specifier)


def uv_environment(inherited: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a uv process may see: paths, locale, certificates, proxies and uv's own settings."""
    names = ("PATH", "HOME", "TMPDIR", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR")
    prefixes = ("UV_", "XDG_", "LC_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY")
    return {
        name: value
        for name, value in (os.environ if inherited is None else inherited).items()
        if name in names or name.upper().startswith(prefixes)
    }


def uv(*arguments: str, seconds: int = INSTALL_SECONDS) -> "subprocess.CompletedProcess[str]":
    """Run the uv that is installed beside the toolkit; the caller looks at its return code.

    Raises EnvironmentFault when it does not end in time.
    """
    from uv import find_uv_bin

    try:
        return subprocess.run(
            [find_uv_bin(), *arguments],
            env=uv_environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentFault(
            f"uv {arguments[0]} did not end within {seconds} s", mend="try again"
        ) from error


def _build(environment: Environment, folder: Path, base: Path, python: Path) -> None:
    lock = folder / "requirements.lock"
    lock.write_text(environment.requirements_lock)
    _check(uv("venv", "--clear", "--quiet", "--python", str(base), str(folder / "venv")), folder)
    if "--hash=" in environment.requirements_lock:
        install = ("pip", "install", "--quiet", "--no-build", "--require-hashes")
        _check(uv(*install, "--python", str(python), "--requirement", str(lock)), folder)
    else:  # it pins nothing, so nothing is fetched for it
        names = [line for line in lock.read_text().splitlines() if line.strip()]
        copy_distributions(names, site_of(python))
    _compile(python)
    (folder / READY).touch()


def site_of(python: Path) -> Path:
    """Where the packages of an environment lie."""
    return next((python.parents[1] / "lib").glob("python3*")) / "site-packages"


def _compile(python: Path) -> None:
    """Rooms see the environment read-only and could not keep what they compile."""
    words = [str(python), "-I", "-m", "compileall", "-q", "-j", "0", str(site_of(python))]
    # Some packages ship files for other versions of Python; those stay uncompiled.
    subprocess.run(words, capture_output=True, check=False, timeout=INSTALL_SECONDS)


def _check(done: "subprocess.CompletedProcess[str]", folder: Path) -> None:
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise EnvironmentFault(
            "uv could not build the environment: " + " ".join(lines[-3:]),
            where=folder,
            mend="is the package index reachable? uv takes another one from UV_DEFAULT_INDEX",
        )


def _found_by_uv(specifier: str) -> Path:
    found = uv("python", "find", "--no-python-downloads", "--system", specifier)
    if found.returncode:
        raise EnvironmentFault(
            f"no Python {specifier} on this machine", mend="install one, e.g. by uv python install"
        )
    return Path(found.stdout.strip()).resolve()


def _version(python: Path) -> str:
    """The interpreter's own word for its version and platform; part of an environment's name."""
    code = "import sys, sysconfig; print(sys.version_info[:3], sysconfig.get_platform())"
    if python.resolve() == Path(sys.executable).resolve():
        import sysconfig

        return f"{sys.version_info[:3]} {sysconfig.get_platform()}"
    done = subprocess.run(
        [str(python), "-I", "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, so that two processes do not build one environment at once."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield

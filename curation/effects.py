"""What a function does besides computing, read off the names of what it calls."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from recodeh.curation.functions import Function


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ARRAYS: Final = _names(
    "numpy torch jax scipy tensorflow cupy mxnet einops pandas sklearn numba keras opt_einsum "
    "torchvision flax optax haiku equinox xarray sympy cvxpy"
)
_RANDOM: Final = _names(
    "random rng rand randn randint rand_like randn_like randperm default_rng bernoulli "
    "multinomial seed manual_seed shuffle permutation generator randrange choices uuid4 "
    "token_bytes"
)
_OUTSIDE: Final = _names(
    "open input os sys subprocess shutil pathlib requests urllib socket http wandb matplotlib "
    "seaborn plotly pickle tempfile glob h5py argparse boto3 PIL cv2 imageio threading "
    "multiprocessing logging click tensorboardX"
)
_FILES: Final = _names(
    "read_csv to_csv read_parquet to_parquet savefig save load savez savetxt loadtxt imread "
    "imwrite imshow show write writelines read_text write_text read_bytes write_bytes "
    "from_pretrained save_pretrained load_dataset load_state_dict"
)
_CLOCK: Final = _names("time perf_counter process_time now today monotonic sleep")
# `os.path.join` and its like touch no file.
_HARMLESS: Final = ("os.path.", "numpy.save_", "sys.float_info", "sys.maxsize")


@dataclass(frozen=True)
class Effects:
    """The names a function calls, sorted by what they mean for a test of it."""

    arrays: tuple[str, ...]
    """Of array and tensor libraries."""
    random: tuple[str, ...]
    outside: tuple[str, ...]
    """Files, network, processes, screens."""
    clock: tuple[str, ...]
    device: tuple[str, ...]
    """What needs a GPU."""
    external: tuple[str, ...]
    """Of other people's packages."""
    own: tuple[str, ...]
    """Of this source: other files, or this one."""


def effects(function: Function, own_roots: Iterable[str] = ()) -> Effects:
    """Sort the calls of `function`; `own_roots` are the top names of the source's own modules."""
    roots = frozenset(own_roots) | {function.module.partition(".")[0]}
    calls = function.calls
    named = [name for name in calls if not name.startswith((".", "(")) and "." in name]
    return Effects(
        arrays=tuple(name for name in named if _root(name) in _ARRAYS),
        random=tuple(name for name in calls if _RANDOM & set(name.split("."))),
        outside=tuple(name for name in calls if _touches(name)),
        clock=tuple(
            name for name in named if _root(name) in ("time", "datetime") and _tail(name) in _CLOCK
        ),
        device=tuple(name for name in calls if "cuda" in name.split(".")),
        external=tuple(name for name in named if _is_external(name, roots)),
        own=tuple(name for name in calls if _root(name) in roots or name.startswith("self.")),
    )


def _is_external(name: str, roots: frozenset[str]) -> bool:
    return _root(name) not in roots and _root(name) not in ("self", "cls", "super")


def _is_clock(name: str) -> bool:
    return _root(name) in ("time", "datetime") and _tail(name) in _CLOCK


def _touches(name: str) -> bool:
    if name.startswith(_HARMLESS):
        return False
    return _root(name) in _OUTSIDE or _tail(name) in _FILES


def _root(name: str) -> str:
    return name.partition(".")[0]


def _tail(name: str) -> str:
    return name.rpartition(".")[2]

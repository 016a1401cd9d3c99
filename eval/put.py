"""Write a small file whole or not at all, and say in one sentence why it cannot be written."""

from pathlib import Path

from recodeh.data.errors import LogError


def put(path: Path, data: bytes) -> None:
    """Write `data` to `path` by way of a draft beside it; its folder is made where it is missing.

    Raises LogError when the disk refuses it, for instance because it is full.
    """
    draft = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(data)
        draft.replace(path)
    except OSError as error:
        raise LogError(
            f"cannot be written: {error.strerror}",
            where=path,
            mend="see to it and run the same command again; nothing recorded is lost",
        ) from error

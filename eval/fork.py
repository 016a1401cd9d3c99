"""The counterfactual: the same course up to a turn, then feedback of another level."""

from pathlib import Path
from typing import Any

from recodeh.data.errors import InputError
from recodeh.eval.episode import Fork
from recodeh.eval.settings import Settings, settings_of


def fork_settings(folder: Path, *, turn: int, level: int, before: int | None = None) -> Settings:
    """Settings of a run that follows the run in `folder` until `turn` reads level `level`.

    `before` is the level that is followed; it may be left out when the run has only one. Play them
    with `run(…, known=[folder])`, so that the common turns are looked up and not asked again.

    Raises InputError when the run did not play that level or does not reach that turn.
    """
    settings = settings_of(folder)
    if before is None:
        before = _only_level(settings, folder)
    if before not in settings.levels:
        raise InputError(
            f"the run did not play level {before}",
            where=folder,
            mend=f"its levels are {', '.join(map(str, settings.levels))}",
        )
    change: dict[str, Any] = {"levels": (level,), "fork": Fork(turn=turn, level_before=before)}
    return Settings.model_validate({**settings.row(), **change})


def _only_level(settings: Settings, folder: Path) -> int:
    if len(settings.levels) > 1:
        raise InputError(
            "the run has several levels", where=folder, mend="say which one is to be followed"
        )
    return settings.levels[0]

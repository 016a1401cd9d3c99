"""Keys of what an agent hands in or has run: equal content, equal key."""

from recodeh.data.keys import bytes_key, content_key
from recodeh.data.records import Task
from recodeh.eval.agents.agent import Errand, Scratch


def submission_key(code: str | None) -> str:
    """The sha256 of the submitted code; no code counts as empty code."""
    return bytes_key((code or "").encode("utf-8", "replace"))


def action_key(task: Task, wanted: Scratch | Errand) -> str:
    """The sha256 of a script or a program, and of all that it works on."""
    if isinstance(wanted, Scratch):
        return content_key([task.task_key, submission_key(wanted.region), wanted.code])
    files = {path: bytes_key(content) for path, content in wanted.files.items()}
    return content_key([task.task_key, list(wanted.program), files, wanted.seconds])

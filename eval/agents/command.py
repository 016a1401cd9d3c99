"""An agent that is a program: it finds a folder with the task in it, and edits the target file.

So that coding agents which exist can be compared as they are. In the folder are the repository with
the target file masked, and `RECODEH_TASK.md` with the task and all feedback so far. No model of
ours is asked; the program brings its own, named `external/NAME` in results.
"""

from dataclasses import dataclass

from recodeh.data.keys import content_key
from recodeh.data.regions import encoded, fill
from recodeh.eval.agents.agent import Errand, Steps, TaskView, Turn
from recodeh.eval.models.reference import fenced
from recodeh.eval.prompts import command_prompt, prompts_version

TASK_FILE = "RECODEH_TASK.md"
SECONDS = 1800.0


@dataclass(frozen=True)
class CommandAgent:
    """Runs a program once per turn."""

    program: tuple[str, ...]
    seconds: float = SECONDS

    @property
    def name(self) -> str:
        """The program's own name."""
        return f"command:{self.program[0].rpartition('/')[2]}"

    @property
    def version(self) -> str:
        """Changes with the command line, the time limit and the prompts."""
        return content_key([*self.program, self.seconds, prompts_version()])

    def turn(self, view: TaskView, history: tuple[Turn, ...]) -> Steps:
        """Lay out the folder, let the program work on it, and take the region out of the file."""
        written = history[-1].submission.code if history else None
        remarks = [turn.remark for turn in history]
        told = command_prompt(view.target_file, view.task_prompt, remarks, written is not None)
        files = {**view.files, TASK_FILE: told.encode()}
        if written is not None:
            filled = fill(view.masked_file, view.snippet, written)
            files[view.target_file] = encoded(filled, view.snippet)
        errand = Errand(self.program, files, view.target_file, view.snippet.encoding, self.seconds)
        left = yield errand
        return view.extract(fenced(left.text))

"""Feedback of a recorded run, given again turn by turn to whatever another model answers.

The static variant of a benchmark with feedback (ConvCodeBench): it costs no researcher, and every
model hears the same remarks. The counts are those of the model's own tests.
"""

from pathlib import Path

from recodeh.data.errors import InputError
from recodeh.data.keys import content_key
from recodeh.data.log import read
from recodeh.data.records import Feedback, Report
from recodeh.eval.episode import Episode

Course = dict[int, Feedback]
Place = tuple[str, int, int]


class Frozen:
    """The remarks of one run by task, level, seed and turn."""

    def __init__(self, folder: Path) -> None:
        self._courses = _courses(folder)
        said = [
            [*place, turn, course[turn].row()]
            for place, course in sorted(self._courses.items())
            for turn in sorted(course)
        ]
        self.name = f"recorded:{content_key(said)[:12]}"

    def at(self, episode: Episode, turn: int, report: Report) -> Feedback:
        """The remarks on a turn; where the recorded episode was over by then, its last ones.

        Raises InputError when the run did not play the task at the level and seed.
        """
        place = (episode.task.task_id, episode.level, episode.seed)
        course = self._courses.get(place)
        if course is None:
            raise InputError(
                "the recorded run has no feedback for this episode",
                where=f"{place[0]}, level {place[1]}, seed {place[2]}",
                mend="give the tasks, levels and seed of the recorded run",
            )
        recorded = course.get(turn) or course.get(max(course, default=0))
        return Feedback(
            researcher=self.name,
            passed=report.passed_tests,
            total=len(report.tests),
            items=recorded.items if recorded else (),
        )


def _courses(folder: Path) -> dict[Place, Course]:
    """What was said in each recorded episode; of several models the first by name is heard."""
    path = folder / "events.jsonl"
    if not path.is_file():
        raise InputError("no recorded run", where=folder, mend="name a folder of `recodeh run`")
    episodes: dict[str, tuple[Place, str]] = {}
    courses: dict[str, Course] = {}
    for row in read(path):
        if row["event"] == "episode_started":
            place = (row["task_id"], row["level"], row["seed"])
            episodes[row["episode"]] = (place, row["model"])
            courses.setdefault(row["episode"], {})
        elif row["event"] == "feedback_given":
            said = Feedback.model_validate(row["feedback"])
            courses[row["episode"]][row["turn"]] = said
    first = sorted(episodes, key=lambda key: episodes[key], reverse=True)
    return {episodes[key][0]: courses[key] for key in first}

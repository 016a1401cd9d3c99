"""The whole chain on small real papers: build, verify, load back, play at all levels, report.

recodeh-demo/
  recode-h/          the dataset       recode-h.build/   candidates and drops
  run/               the episodes      report.html       the page
"""

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from recodeh.builders.build import Builder, Built, Stage
from recodeh.builders.chosen import demo_recipes
from recodeh.builders.dataset import check_target, write, write_trail
from recodeh.builders.facts import card_of
from recodeh.cards.report import report
from recodeh.data.console import Console
from recodeh.data.errors import DatasetError, InputError
from recodeh.data.recipe import Recipe, load_recipe
from recodeh.data.records import Result, Verdict
from recodeh.data.store import Dataset, open_dataset
from recodeh.eval.campaign import run
from recodeh.eval.metrics import score
from recodeh.eval.parts import parts_of
from recodeh.eval.results import read_results
from recodeh.eval.score_table import table
from recodeh.eval.settings import Settings, read_run, resolved
from recodeh.eval.walls.choose import wall_named
from recodeh.eval.walls.wall import Wall

MODELS = ("builtin/reference", "builtin/stub", "builtin/retrieval", "builtin/mutant")
LEVELS = (0, 1, 2, 3, 4)
RELEASE = "0.1.0"
NEEDS_REGISTRY = {"fetch", "environment"}
LOAD = """
from datasets import load_dataset
split = load_dataset("recode-h")["test"]
print(len(split), "rows,", len(split.column_names), "columns, first", split[0]["task_id"])
"""


@dataclass(frozen=True)
class Demo:
    """One demo in one folder; what is finished there is not done again."""

    out: Path
    turns: int
    wall_name: str
    console: Console

    def run(self) -> int:
        """Run the chain and return the exit code."""
        start = time.monotonic()
        if self.out.exists() and not self.out.is_dir():
            raise InputError("is no folder", where=self.out, mend="name another with -o")
        wall = wall_named(self.wall_name)
        self.console.say(f"recodeh demo → {self.out}/   (wall: {wall.name})\n")
        built = self._build(wall)
        dataset = open_dataset(self.out / "recode-h")
        self._load_back()
        results = self._play(dataset)
        page = self._show(results)
        self.console.say(f"wrote {page}\ndone in {time.monotonic() - start:.0f} s")
        self.console.result(self._summary(built, results, page))
        return 0 if all(row.verdict is not Verdict.INFRA for row in results) else 1

    def _build(self, wall: Wall) -> Built:
        built = self._built(demo_recipes(), wall)
        if not built.tasks and {drop.stage for drop in built.faults} <= NEEDS_REGISTRY:
            self.console.say(
                "\nThe package registry cannot be reached: the demo goes on with an example paper "
                "of its own, which is no real paper.\n"
            )
            built = self._built([load_recipe(own_paper())], wall)
        if not built.tasks:
            raise DatasetError(
                "no task passed", where=self.out, mend="the lines above say why each was dropped"
            )
        return built

    def _built(self, recipes: Sequence[Recipe], wall: Wall) -> Built:
        folder = self.out / "recode-h"
        check_target(folder)
        builder = Builder(wall=wall, report=self._say_stage)
        built = builder.build(recipes, name=folder.name, release=RELEASE)
        write_trail(built, folder)
        if built.tasks:
            write(built, folder, card_of(built))
            papers = len(built.papers)
            what = f"{len(built.tasks)} tasks of {papers} papers"
            self.console.say(f"{'write':<18} {what}: {folder}/")
        return built

    def _say_stage(self, stage: Stage) -> None:
        from recodeh.builders.cli import print_stage

        print_stage(self.console, stage)

    def _load_back(self) -> None:
        """Load the dataset in a fresh process, as a user without this toolkit would."""
        with tempfile.TemporaryDirectory(prefix="recodeh-load-") as cache:
            done = subprocess.run(
                [sys.executable, "-c", LOAD],
                cwd=self.out,
                env={**_quiet_environment(), "HF_HUB_OFFLINE": "1", "HF_HOME": cache},
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
        if done.returncode:
            raise DatasetError(
                f'load_dataset("recode-h") failed: {done.stderr.strip().splitlines()[-1]}',
                where=self.out,
            )
        self.console.say(f'load_dataset("recode-h") in a fresh process: {done.stdout.strip()}\n')

    def _play(self, dataset: Dataset) -> list[Result]:
        settings = Settings(models=MODELS, levels=LEVELS, turns=self.turns, wall=self.wall_name)
        jobs, folder = os.cpu_count() or 1, self.out / "run"
        parts = parts_of(settings, dataset, jobs=jobs)
        names = (parts.researcher.name, parts.grader.name)
        aside = put_aside(folder, resolved(settings, dataset, parts.agent, *names))
        if aside:
            self.console.say(f"the run of another dataset or version is kept as {aside}/")
        episodes = len(dataset.tasks) * len(MODELS) * len(LEVELS)
        with self.console.progress("episodes", episodes) as step:
            summary = run(dataset, settings, folder, parts, jobs=jobs, progress=step)
        self.console.say(
            f"{'play':<18} {episodes:>5} episodes: {summary.solved} solved, {summary.infra} infra; "
            f"{summary.played} played now: {folder}/"
        )
        return list(read_results(folder / "results.jsonl"))

    def _show(self, results: list[Result]) -> Path:
        self.console.show(table(score(results, turns=self.turns)))
        page = self.out / "report.html"
        page.write_text(report([self.out / "run"]), encoding="utf-8")
        return page

    def _summary(self, built: Built, results: list[Result], page: Path) -> dict[str, Any]:
        solved = Counter(row.model for row in results if row.solved_at is not None)
        return {
            "dataset": str(self.out / "recode-h"),
            "tasks": [task.task_id for task in built.tasks],
            "episodes": len(results),
            "solved": {model: solved[model] for model in MODELS},
            "run": str(self.out / "run"),
            "report": str(page),
        }


def put_aside(folder: Path, wanted: Mapping[str, Any]) -> Path | None:
    """Rename a run that was made with other settings, and return its new name.

    A newer dataset or version gives other episodes; what was played on the older is kept.
    """
    if not (folder / "run.json").exists() or read_run(folder) == wanted:
        return None
    numbered = (folder.with_name(f"{folder.name}.{number}") for number in count(1))
    aside = next(path for path in numbered if not path.exists())
    folder.rename(aside)
    return aside


def own_paper() -> Path:
    """The recipe of the example paper that stands in where no registry is reached.

    Raises InputError where the project was installed without its tests.
    """
    folder = Path(__file__).parents[1] / "tests" / "papers" / "ridgepath" / "recipe"
    if not folder.is_dir():
        raise InputError(
            "no package registry is reached, and the example paper lies only in a checkout",
            mend="connect to a registry, or run the demo from a clone of the repository",
        )
    return folder


def _quiet_environment() -> dict[str, str]:
    names = ("PATH", "HOME", "LANG", "TMPDIR")
    quiet = {"HF_HUB_DISABLE_TELEMETRY": "1", "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}
    return {name: os.environ[name] for name in names if name in os.environ} | quiet

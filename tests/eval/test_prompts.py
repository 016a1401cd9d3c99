"""What a model reads: everything of the task's public part, and nothing else."""

from tests.eval.conftest import Made

from recodeh.data.records import Dependencies, Excerpt, Task
from recodeh.eval.prompts import prompts_version, system_prompt, task_prompt


def told(task: Task, **change: object) -> str:
    return task_prompt(
        task.model_copy(update={"instruction": task.instruction.model_copy(update=change)})
    )


def test_the_task_is_told_in_full(made: Made) -> None:
    text = told(
        made.task,
        dependencies=Dependencies(in_file=("mean",), external=("math.pow", "math.sqrt")),
        missing_in_paper=("What happens to zeros.",),
        contradicts_paper=("The floor is inclusive.",),
        hint="Use p-norms.",
    )
    for part in (
        "`Scaler.scale` in the file `scaling/core.py`",
        "Divide the values by their norm.",
        "- `values: list[float]`: Numbers.",
        "The scaled values.",
        "- of this file: `mean`\n- of other packages: `math.pow`, `math.sqrt`\n",
        'From the paper "On scaling"\n\n### 3 Method\n\nWe divide x by its p-norm.',
        "- What happens to zeros.",
        "- The floor is inclusive.",
        "Use p-norms.",
        made.task.masked_file.rstrip(),
    ):
        assert part in text


def test_what_a_task_does_not_say_leaves_no_heading(made: Made) -> None:
    text = told(made.task, arguments=(), returns="", paper_excerpts=(), signature="")
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings == ["# Task", "## The file"]


def test_neither_the_answer_nor_a_test_is_told(made: Made) -> None:
    text = system_prompt() + task_prompt(made.task)
    assert not any(line.strip() in text for line in made.region.splitlines() if len(line) > 20)
    assert "test_" not in text


def test_canary_lines_are_left_out_and_the_placeholder_is_still_found(made: Made) -> None:
    task = made.task
    marked = task.model_copy(
        update={
            "masked_file": f"# {task.canary}\n# BENCHMARK DATA SHOULD NEVER APPEAR IN TRAINING\n"
            + task.masked_file,
            "snippet": task.snippet.model_copy(
                update={
                    "mask_start": task.snippet.mask_start + 2,
                    "mask_end": task.snippet.mask_end + 2,
                }
            ),
        }
    )
    assert task_prompt(marked) == task_prompt(task)
    number = task_prompt(task).split("placeholder stands on line ")[1].split(".")[0]
    shown = task_prompt(task).split("```python\n")[-1].splitlines()
    assert shown[int(number) - 1].strip() == "raise NotImplementedError"


def test_a_fence_in_the_file_does_not_end_the_file(made: Made) -> None:
    task = made.task.model_copy(
        update={"masked_file": f'X = """\n```\n"""\n{made.task.masked_file}'}
    )
    assert task_prompt(task).rstrip().endswith("\n````")


def test_braces_and_markup_in_a_task_are_text(made: Made) -> None:
    excerpt = Excerpt(section="{{ x }}", text="{% if a < b & c %}")
    assert "### {{ x }}\n\n{% if a < b & c %}" in told(made.task, paper_excerpts=(excerpt,))


def test_the_same_task_gives_the_same_bytes(made: Made) -> None:
    assert task_prompt(made.task) == task_prompt(Task.model_validate(made.task.row()))
    assert len(prompts_version()) == 64

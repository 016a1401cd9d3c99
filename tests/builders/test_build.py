"""A recipe becomes verified tasks; whatever does not come through is a row with its reason."""

import shutil
from pathlib import Path

import pytest

from recodeh.builders.build import Builder, Built
from recodeh.data.recipe import Recipe
from recodeh.data.regions import fill
from recodeh.eval.grade import visible, workspace
from recodeh.eval.walls.choose import wall_named

REPOSITORY = Path(__file__).parents[1] / "papers" / "ridgepath" / "repository"


def altered(recipe: Recipe, number: int, **changes: object) -> Recipe:
    fields = recipe.model_dump(by_alias=True)
    fields["snippets"][number].update(changes)
    return Recipe.model_validate(fields)


def test_every_snippet_becomes_a_verified_task(built: Built) -> None:
    assert [task.task_id for task in built.tasks] == [
        "ridgepath/RidgePath.coefficients#coefficients",
        "ridgepath/RidgePath.score#cross-validation-score",
        "ridgepath/soft_threshold#soft-threshold",
    ]
    assert not built.faults
    for task in built.tasks:
        assert task.verification is not None
        assert task.verification.reference_passes == task.verification.reference_runs == 3
        assert task.verification.stub_fails


def test_the_masked_file_with_all_references_is_the_original(built: Built) -> None:
    texts = {task.target_file: task.masked_file for task in built.tasks}
    for task, reference in reversed(list(zip(built.tasks, built.references, strict=True))):
        assert reference.task_key == task.task_key
        texts[task.target_file] = fill(texts[task.target_file], task.snippet, reference.code)
    for path, text in texts.items():
        assert text == (REPOSITORY / path).read_text()


def test_the_room_gets_the_original_with_the_submission_in_place(built: Built) -> None:
    files = {row.path: row.content for row in built.files}
    for task, reference in zip(built.tasks, built.references, strict=True):
        assert workspace(task, reference.code, files) == files
        text = workspace(task, "        return 42\n", files)[task.target_file].decode()
        assert text == files[task.target_file].decode().replace(
            reference.code, "        return 42\n"
        )


def test_nothing_that_an_agent_sees_holds_an_answer_of_any_task(built: Built) -> None:
    files = {row.path: row.content for row in built.files}
    for task in built.tasks:
        seen = b"".join(visible(task, files, built.tasks).values()).decode() + task.masked_file
        for reference in built.references:
            assert reference.code.strip() not in seen


def test_no_line_of_the_answer_is_in_the_task(built: Built) -> None:
    for task, reference in zip(built.tasks, built.references, strict=True):
        row = task.model_dump_json(exclude={"tests"})
        for line in reference.code.splitlines():
            statement = line.strip()
            if len(statement) > 30:
                assert statement not in row


def test_the_workspace_leaves_out_tests_and_documents(built: Built) -> None:
    assert {row.path for row in built.files} == {
        "ridgepath/__init__.py",
        "ridgepath/path.py",
        "ridgepath/shrink.py",
    }


def test_instructions_say_what_the_visible_code_says(built: Built) -> None:
    score = built.tasks[1].instruction
    assert score.signature == "def score(self, penalty)"
    assert [argument.name for argument in score.arguments] == ["penalty"]
    assert "squared share" in score.paper_excerpts[0].text
    assert score.dependencies.in_file == ()


def test_parametrised_tests_have_their_ids(built: Built) -> None:
    prefix = "test_coefficients.py::test_solves_the_penalised_normal_equations"
    assert f"{prefix}[12.5]" in built.tasks[0].test_ids


def test_two_builds_give_the_same_rows(builder: Builder, built: Built, example: Recipe) -> None:
    again = builder.build([example], name="recode-h", release="0.1.0")
    assert again.tasks == built.tasks
    assert again.references == built.references
    assert again.files == built.files


def test_another_release_has_another_canary_and_the_same_keys(
    builder: Builder, built: Built, example: Recipe
) -> None:
    later = builder.build([example], name="recode-h", release="0.2.0")
    assert [task.task_key for task in later.tasks] == [task.task_key for task in built.tasks]
    assert later.tasks[0].canary != built.tasks[0].canary


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"anchor": "0" * 64}, "not the one that the recipe was written for"),
        ({"symbol": "RidgePath.coefficient"}, "coefficient"),
        ({"file": "ridgepath/paths.py"}, "no file 'ridgepath/paths.py'"),
        ({"excerpts": ({"section": "s", "pattern": "no such words"},)}, "no passage"),
    ],
)
def test_a_snippet_that_does_not_fit_is_dropped_and_the_rest_goes_on(
    builder: Builder, example: Recipe, changes: dict[str, object], reason: str
) -> None:
    recipe = altered(example, 0, **changes)
    built = builder.build([recipe], name="recode-h", release="0.1.0")
    assert len(built.tasks) == 2
    (drop,) = built.faults
    assert drop.stage == "draft"
    assert reason in drop.reason


def test_tests_that_a_stub_passes_make_no_task(cache: Path, example: Recipe) -> None:
    tests = {**example.tests, "tests/test_score.py": "def test_nothing(submission):\n    pass\n"}
    builder = Builder(wall=wall_named(), cache=cache, keep_proofs=False)
    recipe = example.model_copy(update={"tests": tests})
    built = builder.build([recipe], name="recode-h", release="0.1.0")
    (drop,) = built.faults
    assert drop.stage == "verify"
    assert drop.reason.startswith("stub fails: 0 of 1 tests fail")


def test_tests_that_the_reference_fails_make_no_task(cache: Path, example: Recipe) -> None:
    broken = example.tests["tests/test_score.py"].replace("three, 9 * one", "three, 8 * one")
    recipe = example.model_copy(update={"tests": {**example.tests, "tests/test_score.py": broken}})
    built = Builder(wall=wall_named(), cache=cache).build([recipe], name="n", release="0.1.0")
    (drop,) = built.faults
    assert drop.reason.startswith("reference passes: 0 of 3 runs; test_score.py::test_scales")


def test_a_licence_that_does_not_allow_it_makes_no_task(cache: Path, example: Recipe) -> None:
    source = example.source.model_copy(update={"licence": "GPL-3.0-only"})
    recipe = example.model_copy(update={"source": source, "snippets": example.snippets[:1]})
    built = Builder(wall=wall_named(), cache=cache).build([recipe], name="n", release="0.1.0")
    (drop,) = built.faults
    assert drop.reason == "licence allows redistribution: GPL-3.0-only"


def test_a_source_that_is_gone_is_dropped_and_the_rest_goes_on(
    builder: Builder, example: Recipe, tmp_path: Path
) -> None:
    source = example.source.model_copy(update={"spec": str(tmp_path / "gone")})
    gone = example.model_copy(update={"name": "gone", "source": source})
    built = builder.build([gone, example], name="recode-h", release="0.1.0")
    assert len(built.tasks) == 3
    (drop,) = built.faults
    assert (drop.stage, drop.item) == ("fetch", "gone")


def test_every_stage_says_how_many_went_in_and_came_out(built: Built) -> None:
    names = [stage.name for stage in built.stages]
    assert names == ["fetch", "mine", "environment", "mask and instruct", "verify"]
    for stage in built.stages:
        assert stage.went_in == stage.came_out + len(stage.drops)


def test_a_target_that_stands_in_its_workspace_again_makes_no_task(
    builder: Builder, example: Recipe, tmp_path: Path
) -> None:
    repository = Path(shutil.copytree(REPOSITORY, tmp_path / "repository"))
    copy = (repository / "ridgepath" / "path.py").read_text()
    (repository / "ridgepath" / "path_reference.py").write_text(f"# the same again\n{copy}")
    source = example.source.model_copy(update={"spec": str(repository)})
    twice = example.model_copy(update={"source": source})
    built = builder.build([twice], name="recode-h", release="0.1.0")
    assert [fault.item.split("#")[1] for fault in built.faults] == [
        *("coefficients", "cross-validation-score")
    ]
    assert "path_reference.py, line" in built.faults[0].reason
    concealed = twice.model_copy(update={"conceal": ("ridgepath/path_reference.py",)})
    assert len(builder.build([concealed], name="recode-h", release="0.1.0").tasks) == 3


def test_two_papers_may_share_one_source(builder: Builder, example: Recipe) -> None:
    other = example.model_copy(update={"name": "second", "snippets": example.snippets[2:]})
    built = builder.build([example, other], name="recode-h", release="0.1.0")
    assert [row.source.name for row in built.papers].count("second") == 1
    assert len(built.papers) == 2
    assert len({task.source_key for task in built.tasks}) == 2

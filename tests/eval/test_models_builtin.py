"""Models that need no network, and models by name."""

from pathlib import Path
from textwrap import dedent

import pytest
from tests.eval.conftest import Made, MadeDataset

from recodeh.data.errors import InputError, ModelError
from recodeh.eval.extract import extract
from recodeh.eval.models.choose import choose
from recodeh.eval.models.model import Message, Request
from recodeh.eval.models.reference import ReferenceModel, fenced
from recodeh.eval.models.retrieval import RetrievalModel, words
from recodeh.eval.models.stub import StubModel


def request(task_id: str) -> Request:
    return Request("m", (Message("user", "Go on."),), task_id=task_id)


def test_the_reference_answers_with_the_true_code(dataset: MadeDataset, made: Made) -> None:
    reply = ReferenceModel(dataset).answer(request(made.task.task_id))
    found = extract(reply.text, made.task)
    assert (found.code, found.how) == (made.region, "strict")


def test_a_fence_is_longer_than_any_inside() -> None:
    assert fenced('x = """\n````\n"""') == '`````python\nx = """\n````\n"""\n`````'


def test_the_stub_parses_and_does_nothing(made: Made) -> None:
    found = extract(StubModel().answer(request("any")).text, made.task)
    assert found.code == "        raise NotImplementedError\n"


NEIGHBOUR = '''
    """Other scalings."""


    def scale_by_maximum(values, floor=0.0):
        """Divide the values by their largest norm."""
        top = max(abs(value) for value in values)
        return [value / top for value in values]


    def unrelated(path):
        return open(path).read()
'''


def test_retrieval_copies_the_most_similar_function_but_not_the_answer(made: Made) -> None:
    other = {"scaling/other.py": dedent(NEIGHBOUR).encode()}
    both = Made(made.task, made.region, {**made.files, **other})
    model = RetrievalModel(MadeDataset(both))
    reply = model.answer(request(made.task.task_id)).text
    assert "top = max(abs(value) for value in values)" in reply
    assert reply == model.answer(request(made.task.task_id)).text
    found = extract(reply, made.task)
    assert found.code is not None
    assert found.code != made.region


def test_retrieval_passes_over_files_that_are_no_python(made: Made) -> None:
    files = {**made.files, "old.py": b"print 'two'\n", "data.py": b"\xff\xfe", "read.me": b"x"}
    reply = RetrievalModel(MadeDataset(Made(made.task, made.region, files))).answer(
        request(made.task.task_id)
    )
    assert reply.text.startswith("```python\n")


def test_words_are_taken_out_of_identifiers() -> None:
    assert words("scaleByNorm2 max_value HTTPServer x") == {
        *("scale", "by", "norm", "max", "value", "http", "server")
    }


def test_a_task_that_the_dataset_does_not_have(dataset: MadeDataset) -> None:
    for model in (ReferenceModel(dataset), RetrievalModel(dataset)):
        with pytest.raises(ModelError, match="no such task"):
            model.answer(request("nowhere"))


@pytest.mark.parametrize(
    "name", ["builtin/mutant", "builtin/reference", "builtin/retrieval", "builtin/stub"]
)
def test_builtin_models_by_name(name: str, dataset: MadeDataset) -> None:
    assert choose(name, dataset).name == name


@pytest.mark.parametrize("name", ["gpt-4.1", "builtin/oracle", "nobody/m", "openai/", "replay/"])
def test_an_unknown_name_lists_what_there_is(name: str, dataset: MadeDataset) -> None:
    with pytest.raises(InputError) as caught:
        choose(name, dataset)
    for known in ("builtin/reference", "openai/NAME", "replay/RUN", "--base-url"):
        assert known in str(caught.value)


def test_a_missing_key_is_named(dataset: MadeDataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InputError, match=r"OPENAI_API_KEY: no key for openai/gpt"):
        choose("openai/gpt", dataset)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    assert choose("openai/gpt", dataset).name == "openai/gpt"


def test_a_server_of_one_s_own_needs_no_key_and_gets_no_provider_s(
    dataset: MadeDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    model = choose("openai/gpt", dataset, base_url="http://127.0.0.1:9/v1/")
    assert vars(model)["_key"] == ""


def test_a_run_that_is_not_there(dataset: MadeDataset, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run here"):
        choose(f"replay/{tmp_path}/nothing", dataset)

"""Noise loses remarks or moves them to another statement, the same ones every time."""

import pytest
from tests.eval.conftest import Made, judged

from recodeh.data.errors import InputError
from recodeh.data.records import Feedback
from recodeh.eval.models.mistakes import mistaken
from recodeh.eval.researcher.deterministic import DeterministicResearcher
from recodeh.eval.researcher.leaks import withheld
from recodeh.eval.researcher.noise import NoisyResearcher
from recodeh.eval.researcher.phrases import read_analysis


def said(made: Made, noise: float, seed: int, answer: str) -> Feedback:
    researcher = NoisyResearcher(DeterministicResearcher(), noise, seed)
    report = judged(made.task, answer, made.region)
    return researcher.feedback(made.task, made.region, answer, report)


def answers(made: Made) -> list[str]:
    return [mistaken(made.region, str(seed)) for seed in range(12)]


def test_without_noise_the_remarks_are_the_inner_ones(made: Made) -> None:
    for answer in answers(made):
        report = judged(made.task, answer, made.region)
        inner = DeterministicResearcher().feedback(made.task, made.region, answer, report)
        assert said(made, 0.0, 1, answer).items == inner.items


def test_with_full_noise_every_remark_is_lost_or_moved(made: Made) -> None:
    lost = moved = 0
    for answer in answers(made):
        clean, noisy = said(made, 0.0, 1, answer), said(made, 1.0, 1, answer)
        assert not set(clean.items) & set(noisy.items)
        assert (noisy.passed, noisy.total) == (clean.passed, clean.total)
        lost += len(clean.items) - len(noisy.items)
        moved += len(noisy.items)
    assert lost > 3
    assert moved > 3


def test_a_moved_remark_speaks_of_a_statement_of_the_answer(made: Made) -> None:
    for answer in answers(made):
        for item in said(made, 1.0, 2, answer).items:
            place = read_analysis(item.analysis)
            assert place is not None
            assert 1 <= place[0].line <= answer.count("\n")
            assert item.correction.split("\n")[0].split(" = ")[0] in answer


def test_the_same_seed_spoils_the_same_remarks_and_another_one_others(made: Made) -> None:
    first = [said(made, 0.5, 1, answer) for answer in answers(made)]
    assert first == [said(made, 0.5, 1, answer) for answer in answers(made)]
    other = [said(made, 0.5, 2, answer) for answer in answers(made)]
    assert [one.items for one in first] != [one.items for one in other]
    assert not any(map(withheld, first))


def test_the_name_tells_share_and_seed() -> None:
    name = NoisyResearcher(DeterministicResearcher(), 0.25, 3).name
    assert name == "deterministic+noise=0.25/3"


@pytest.mark.parametrize("noise", [-0.1, 1.5])
def test_a_share_out_of_range_is_refused(noise: float) -> None:
    with pytest.raises(InputError, match="from 0 to 1"):
        NoisyResearcher(DeterministicResearcher(), noise)

import json
from collections.abc import Callable
from pathlib import Path

from recodeh.cards.benchmark_card import benchmark_card
from recodeh.cards.dataset_card import DatasetFacts
from recodeh.cards.runs import read_run
from recodeh.data.records import Paper, PaperRow, Source
from recodeh.data.store import CONFIGS, dataset_digest
from recodeh.eval.metrics import score

SECTIONS = {
    "benchmark_details": "name overview data_type domains languages similar_benchmarks resources",
    "purpose_and_intended_users": "goal audience tasks limitations out_of_scope_uses",
    "data": "source size format annotation",
    "methodology": "methods metrics calculation interpretation baseline_results validation",
    "targeted_risks": "risk_categories atlas_risks demographic_analysis harm",
    "ethical_and_legal_considerations": "privacy_and_anonymity data_licensing consent_procedures"
    " compliance_with_regulations",
}
SOURCE = Source(kind="git", name="ridgepath", version="a" * 40, sha256="b" * 64, licence="MIT")
FACTS = DatasetFacts(
    name="recode-h",
    version="v1.2.0",
    digests={config: "c" * 64 for config in CONFIGS},
    counts=dict.fromkeys(CONFIGS, 0),
    tasks=(),
    papers=(
        PaperRow(
            source_key="s",
            paper=Paper(title="Ridges", authors=()),
            source=SOURCE,
            licence_text="MIT",
        ),
    ),
)


def test_the_card_has_the_fields_of_the_standard_and_none_is_empty() -> None:
    card = json.loads(benchmark_card(FACTS))
    assert {name: set(section) for name, section in card.items()} == {
        name: set(fields.split()) for name, fields in SECTIONS.items()
    }
    empty = {field for section in card.values() for field, value in section.items() if not value}
    assert empty == {"domains", "resources"}  # of a dataset without tasks and without addresses


def test_the_card_names_version_digest_and_licences() -> None:
    card = json.loads(benchmark_card(FACTS))
    assert f"version 1.2.0, sha256:{dataset_digest(FACTS.digests)}" in card["data"]["size"]
    assert "(MIT)" in card["ethical_and_legal_considerations"]["data_licensing"]


def test_first_scores_come_with_interval_and_denominator(synthetic: Callable[..., Path]) -> None:
    run = read_run(synthetic(models=["example/small-model"], levels=[0, 4]), episodes=False)
    card = json.loads(benchmark_card(FACTS, baselines=score(run.results, turns=run.turns)))
    first, second = card["methodology"]["baseline_results"]
    assert first == "example/small-model, L0: Recall@6 22.2% (9 to 45), 4 of 18 tasks"
    assert second.startswith("example/small-model, L4: Recall@6 100.0% (82 to 100), ")

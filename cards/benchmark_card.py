"""The facts of a dataset and its first scores in, a BenchmarkCard as JSON out.

The fields are those of BenchmarkCards (arXiv 2410.12974). What does not apply says so.
"""

import json
from collections.abc import Sequence
from typing import Any

from recodeh.cards.dataset_card import OWN_LICENCE, DatasetFacts, proof
from recodeh.data.store import dataset_digest
from recodeh.eval.metrics import Score

NONE = "Not applicable: the tasks hold code and published papers, and no data about persons."


def benchmark_card(facts: DatasetFacts, *, baselines: Sequence[Score] = ()) -> str:
    """The text of `benchmark_card.json`, the same for the same facts and scores."""
    card = {
        "benchmark_details": _details(facts),
        "purpose_and_intended_users": _purpose(),
        "data": _data(facts),
        "methodology": _methodology(facts, baselines),
        "targeted_risks": _risks(),
        "ethical_and_legal_considerations": _legal(facts),
    }
    return json.dumps(card, indent=2, ensure_ascii=False) + "\n"


def _details(facts: DatasetFacts) -> dict[str, Any]:
    return {
        "name": facts.name,
        "overview": "A piece of a paper's own code is taken away, and a model writes it back "
        "from the paper's words and the code around it, over several turns of feedback.",
        "data_type": "code and text",
        "domains": sorted({task.domain for task in facts.tasks}),
        "languages": ["English", *sorted({task.snippet.language for task in facts.tasks})],
        "similar_benchmarks": ["RECODE-H", "ResearchCodeBench", "SciReplicate-Bench"],
        "resources": sorted({row.source.url for row in facts.papers if row.source.url}),
    }


def _purpose() -> dict[str, Any]:
    return {
        "goal": "Measure how well a model implements what a paper describes, and how much "
        "feedback of a given kind helps it.",
        "audience": ["researchers in machine learning", "developers of models and of agents"],
        "tasks": ["code generation in a repository", "repair after feedback"],
        "limitations": "Passing means agreement with the authors' code on the tested inputs. "
        "The sources are public, so that a model may have been trained on them.",
        "out_of_scope_uses": [
            "training on the tasks or their references",
            "judging the correctness of a paper",
            "comparing scores of two versions of the dataset",
        ],
    }


def _data(facts: DatasetFacts) -> dict[str, str]:
    return {
        "source": f"Repositories of {len(facts.papers)} papers, pinned by version and sha256.",
        "size": f"{len(facts.tasks)} tasks, version {facts.version.removeprefix('v')}, "
        f"sha256:{dataset_digest(facts.digests)}",
        "format": "Parquet",
        "annotation": "Chosen regions, instructions and tests; every task carries the record "
        "of its verification.",
    }


def _methodology(facts: DatasetFacts, baselines: Sequence[Score]) -> dict[str, Any]:
    shown = proof(facts.tasks)
    return {
        "methods": ["hidden tests in a sandbox", "up to n turns with feedback of levels L0 to L4"],
        "metrics": ["Recall@1..n", "area under it", "MRR", "share of tests passed"],
        "calculation": "Recall@k is the share of all tasks that one of the first k turns solved; "
        "a task without a verdict counts as unsolved. Intervals: Wilson over tasks, and a "
        "bootstrap over papers.",
        "interpretation": "Higher is better. The difference between levels is what the feedback "
        "is worth to a model. Overlapping intervals decide nothing; use the paired comparison.",
        "baseline_results": [_baseline(score) for score in baselines] or "None yet.",
        "validation": f"The reference passed {shown['passes']} of {shown['runs']} runs; an empty "
        f"implementation failed for {shown['stubs']} of {shown['tasks']} tasks; "
        f"{shown['killed']} of {shown['mutants']} faults put into references were caught; "
        f"{shown['rewrites_passed']} of {shown['rewrites']} equivalent rewrites passed.",
    }


def _baseline(score: Score) -> str:
    low, high = 100 * score.interval.low, 100 * score.interval.high
    return (
        f"{score.setting.model}, L{score.setting.level}: Recall@{len(score.recall)} "
        f"{100 * score.recall[-1]:.1f}% ({low:.0f} to {high:.0f}), "
        f"{score.solved:g} of {score.tasks} tasks"
    )


def _risks() -> dict[str, Any]:
    return {
        "risk_categories": ["Accuracy", "Transparency"],
        "atlas_risks": {
            "risks": [
                {"category": "Accuracy", "subcategory": ["Data contamination"]},
                {"category": "Transparency", "subcategory": ["Lack of testing diversity"]},
            ]
        },
        "demographic_analysis": NONE,
        "harm": "A score may be read as proof that generated research code is right. It is not.",
    }


def _legal(facts: DatasetFacts) -> dict[str, str]:
    names = sorted({row.source.licence or "unknown" for row in facts.papers})
    return {
        "privacy_and_anonymity": NONE,
        "data_licensing": f"Code of the sources under their own licences ({', '.join(names)}); "
        f"instructions and tests under {OWN_LICENCE}.",
        "consent_procedures": "Only sources whose licence allows redistribution are published.",
        "compliance_with_regulations": NONE,
    }

"""The facts of a dataset in, its README.md out: YAML for the Hub, and a body for people.

The YAML stamps version and digest into every config. `datasets` keys its cache of a local folder
by the YAML and not by the files, so without the stamp a rebuilt folder would serve its old rows.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from recodeh.cards.licences import OTHER, hub_ids
from recodeh.cards.templates import render
from recodeh.data.records import PaperRow, Task
from recodeh.data.store import CONFIGS, SPLIT, dataset_digest, parquet_path

OWN_LICENCE = "Apache-2.0"
"""Of what this project wrote itself: instructions and tests."""
TAGS = ("benchmark", "code", "code-generation", "research-code", "scientific-code", "multi-turn")
SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"))


@dataclass(frozen=True)
class DatasetFacts:
    """What a card says about a dataset; all but the names is counted from the rows."""

    name: str
    """Name of the folder and of the repository on the Hub."""
    version: str
    """As `1.2.0` or `v1.2.0`."""
    digests: Mapping[str, str]
    """The sha256 of every config's rows, by config."""
    counts: Mapping[str, int]
    """Rows of every config."""
    tasks: tuple[Task, ...]
    papers: tuple[PaperRow, ...]
    dropped: int = 0
    """Candidates that did not become tasks."""
    repository: str = ""
    """Id on the Hub, e.g. `org/recode-h`, once it is known."""


def dataset_card(facts: DatasetFacts) -> str:
    """The text of README.md, the same for the same facts."""
    from huggingface_hub import DatasetCard

    body = render("dataset_card.md.j2", _values(facts))
    return str(DatasetCard(f"---\n{_yaml(facts)}\n---\n\n{body}"))


def _yaml(facts: DatasetFacts) -> str:
    from huggingface_hub import DatasetCardData

    licences = hub_ids([OWN_LICENCE, *(row.source.licence for row in facts.papers)])
    data = DatasetCardData(
        pretty_name=facts.name,
        language=["en", "code"],
        license=licences,
        task_categories=["text-generation"],
        size_categories=[_size(len(facts.tasks))],
        tags=list(TAGS),
        configs=[_config(facts, name) for name in CONFIGS],
    )
    if OTHER in licences:
        data["license_name"], data["license_link"] = "per-source", "#licences"
    return data.to_yaml()


def _config(facts: DatasetFacts, name: str) -> dict[str, Any]:
    default = {"default": True} if name == next(iter(CONFIGS)) else {}
    return {
        "config_name": name,
        **default,
        "data_files": [{"split": SPLIT, "path": parquet_path(name)}],
        "version": facts.version.removeprefix("v"),
        "description": f"sha256:{facts.digests[name]}",
    }


def _size(rows: int) -> str:
    return next((name for limit, name in SIZES if rows < limit), "n>1M")


def _values(facts: DatasetFacts) -> dict[str, Any]:
    return {
        "facts": facts,
        "version": facts.version.removeprefix("v"),
        "digest": dataset_digest(facts.digests),
        "where": facts.repository or facts.name,
        "split": SPLIT,
        "domains": sorted(Counter(task.domain for task in facts.tasks).items()),
        "sources": [_source(row, facts.tasks) for row in _sorted(facts.papers)],
        "lines": _spread([task.snippet.loc for task in facts.tasks]),
        "tests": _spread([len(task.test_ids) for task in facts.tasks]),
        "proof": proof(facts.tasks),
        "canaries": sorted({task.canary for task in facts.tasks}),
        "builders": sorted({task.built_with for task in facts.tasks}),
        "paper_names": [_paper(row) for row in _sorted(facts.papers)],
        "own_licence": OWN_LICENCE,
    }


def _sorted(papers: Iterable[PaperRow]) -> list[PaperRow]:
    return sorted(papers, key=lambda row: (row.source.name, row.source.version))


def _source(row: PaperRow, tasks: Sequence[Task]) -> dict[str, str]:
    source = row.source
    return {
        "name": _cell(f"[{source.name}]({source.url})" if source.url else source.name),
        "version": _cell(source.version[:12]),
        "kind": source.kind,
        "licence": _cell(source.licence or "unknown"),
        "first_public": str(source.first_public or "unknown"),
        "tasks": str(sum(task.source_key == row.source_key for task in tasks)),
        "sha256": source.sha256[:12],
    }


def _paper(row: PaperRow) -> str:
    paper = row.paper
    many = " et al." if len(paper.authors) > 3 else ""
    link = paper.url or (f"https://arxiv.org/abs/{paper.arxiv}" if paper.arxiv else "")
    title = f"[{paper.title}]({link})" if link else paper.title
    when = str(paper.published.year) if paper.published else ""
    place = ", ".join(part for part in (paper.venue or "", when) if part)
    return _line(
        f"{', '.join(paper.authors[:3])}{many}: {title}" + (f". {place}." if place else ".")
    )


def proof(tasks: Sequence[Task]) -> dict[str, int]:
    """What the gates showed, added up over the tasks that carry a proof."""
    proofs = [task.verification for task in tasks if task.verification]
    mutated = [proof for proof in proofs if proof.mutants_total is not None]
    rewritten = [proof for proof in proofs if proof.rewrites_total is not None]
    return {
        "tasks": len(proofs),
        "runs": sum(proof.reference_runs for proof in proofs),
        "passes": sum(proof.reference_passes for proof in proofs),
        "stubs": sum(proof.stub_fails for proof in proofs),
        "mutated": len(mutated),
        "killed": sum(proof.mutants_killed or 0 for proof in mutated),
        "mutants": sum(proof.mutants_total or 0 for proof in mutated),
        "equivalent": sum(proof.mutants_equivalent or 0 for proof in mutated),
        "rewritten": len(rewritten),
        "rewrites_passed": sum(proof.rewrites_passed or 0 for proof in rewritten),
        "rewrites": sum(proof.rewrites_total or 0 for proof in rewritten),
    }


def _spread(numbers: Sequence[int]) -> str:
    if not numbers:
        return "none"
    if min(numbers) == max(numbers):
        return f"{numbers[0]}"
    return f"{min(numbers)} to {max(numbers)}, median {median(numbers):g}, {sum(numbers)} in all"


def _line(text: str) -> str:
    """Text from elsewhere on one line, so that it cannot start a block of its own."""
    return " ".join(text.split()).replace("<", "&lt;")


def _cell(text: str) -> str:
    return _line(text).replace("|", "\\|")

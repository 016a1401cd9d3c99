"""The card of a small dataset, parsed by the Hub's own classes and loaded by `datasets`."""

import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import yaml
from huggingface_hub import DatasetCard

from recodeh.cards.dataset_card import DatasetFacts, dataset_card
from recodeh.data.records import (
    Environment,
    Instruction,
    Paper,
    PaperRow,
    Record,
    Reference,
    Snippet,
    Source,
    SourceFile,
    Task,
    TestFile,
    Verification,
)
from recodeh.data.store import open_dataset, rows_digest, write_rows

PAPER = Paper(
    title="Ridges | and <valleys>",
    authors=("A. Author", "B. Writer"),
    venue="TESTCONF",
    published=date(2025, 3, 1),
    arxiv="2503.00001",
)
SOURCE = Source(
    kind="pypi",
    name="ridgepath",
    version="1.2.0",
    sha256="ab" * 32,
    url="https://pypi.org/project/ridgepath/",
    licence="BSD-3-Clause",
    first_public=date(2025, 2, 1),
)
PROOF = Verification(
    reference_passes=3,
    reference_runs=3,
    stub_fails=True,
    mutants_killed=9,
    mutants_total=10,
    mutants_equivalent=2,
    rewrites_passed=4,
    rewrites_total=4,
    seconds=5,
)
CODE = "    y = x\n    return y\n"


def task(name: str, summary: str = "Walk the ridge.") -> Task:
    return Task(
        task_id=f"ridgepath/{name}#body",
        task_key="",
        source_key="s" * 64,
        paper=PAPER,
        source=SOURCE,
        domain="optimisation",
        target_file="ridgepath/walk.py",
        symbol=name,
        snippet=Snippet(
            name="body", start=2, end=3, mask_start=2, mask_end=2, indent="    ", loc=2
        ),
        masked_file="def walk(x):\n    raise NotImplementedError\n",
        instruction=Instruction(summary=summary, signature="walk(x)"),
        tests=(TestFile(path="test_walk.py", content="def test_walk(submission): ...\n"),),
        test_ids=("test_walk.py::test_walk", "test_walk.py::test_far"),
        environment=Environment(python=">=3.11", requirements_lock=""),
        verification=PROOF,
        canary="recodeh-canary 00000000-0000-0000-0000-000000000000",
        built_with="recodeh 0.1.0",
    ).keyed()


def write(folder: Path, *tasks: Task) -> DatasetFacts:
    """Write a dataset folder as a build does, with its card."""
    key, file = tasks[0].source_key, f"def walk(x):\n{CODE}".encode()
    papers = (PaperRow(source_key=key, paper=PAPER, source=SOURCE, licence_text="BSD 3-Clause\n"),)
    rows: dict[str, Sequence[Record]] = {
        "tasks": tasks,
        "references": [
            Reference(task_key=row.task_key, task_id=row.task_id, code=CODE) for row in tasks
        ],
        "files": [SourceFile(source_key=key, path="ridgepath/walk.py", content=file)],
        "papers": papers,
    }
    for config, some in rows.items():
        write_rows(folder, config, some)
    facts = DatasetFacts(
        name=folder.name,
        version="v1.2.0",
        digests={config: rows_digest(some) for config, some in rows.items()},
        counts={config: len(some) for config, some in rows.items()},
        tasks=tasks,
        papers=papers,
        dropped=7,
    )
    (folder / "README.md").write_text(dataset_card(facts), encoding="utf-8")
    return facts


def test_the_yaml_names_each_config_with_its_version_and_digest(tmp_path: Path) -> None:
    facts = write(tmp_path / "recode-h", task("walk"))
    card = DatasetCard((tmp_path / "recode-h" / "README.md").read_text(encoding="utf-8"))
    meta = yaml.safe_load(card.data.to_yaml())
    assert [config["config_name"] for config in meta["configs"]] == [
        "tasks",
        "references",
        "files",
        "papers",
    ]
    assert meta["configs"][0]["default"] is True
    assert {config["version"] for config in meta["configs"]} == {"1.2.0"}
    assert {config["config_name"]: config["description"] for config in meta["configs"]} == {
        name: f"sha256:{digest}" for name, digest in facts.digests.items()
    }
    assert meta["license"] == ["apache-2.0", "bsd-3-clause"]
    assert meta["size_categories"] == ["n<1K"]


def test_the_body_gives_the_numbers_of_the_proof(tmp_path: Path) -> None:
    write(tmp_path / "recode-h", task("walk"), task("run"))
    text = (tmp_path / "recode-h" / "README.md").read_text(encoding="utf-8")
    assert "The reference passed 6 of 6 runs." in text
    assert "An empty implementation failed for 2 of 2 tasks." in text
    assert (
        "18 of 20 were caught (2 tasks); 4 more that do not change behaviour are set apart." in text
    )
    assert "7 candidates did not pass" in text
    assert "Tests per task: 2." in text
    assert "recodeh-canary 00000000-0000-0000-0000-000000000000" in text
    assert 'load_dataset("recode-h", split="test")' in text


def test_text_of_a_source_cannot_break_the_cards_tables(tmp_path: Path) -> None:
    facts = write(tmp_path / "recode-h", task("walk"))
    row = facts.papers[0]
    hostile = row.source.model_copy(
        update={"name": "a | b\n\n# c <script>", "url": None, "licence": None}
    )
    text = dataset_card(
        DatasetFacts(
            name="recode-h",
            version="1.0.0",
            digests=facts.digests,
            counts=facts.counts,
            tasks=facts.tasks,
            papers=(row.model_copy(update={"source": hostile}),),
        )
    )
    [line] = [line for line in text.splitlines() if line.startswith("| a ")]
    assert line.startswith("| a \\| b # c &lt;script> | pypi |")
    assert "| unknown |" in line
    assert "license_name: per-source" in text


def test_the_same_facts_give_the_same_bytes(tmp_path: Path) -> None:
    facts = write(tmp_path / "recode-h", task("walk"))
    assert dataset_card(facts) == dataset_card(facts)


def test_the_store_opens_what_the_card_describes(tmp_path: Path) -> None:
    write(tmp_path / "recode-h", task("walk"))
    dataset = open_dataset(tmp_path / "recode-h")
    assert dataset.version == "1.2.0"
    assert list(dataset.tasks) == ["ridgepath/walk#body"]


LOAD = """
import sys
from datasets import load_dataset
for config in ("tasks", "references", "files", "papers"):
    data = load_dataset("recode-h", config, split="test", cache_dir=sys.argv[1])
data = load_dataset("recode-h", split="test", cache_dir=sys.argv[1])
print(data.info.version, data[0]["instruction"]["summary"])
"""


def test_datasets_loads_the_folder(tmp_path: Path) -> None:
    write(tmp_path / "recode-h", task("walk"))
    assert load(tmp_path) == "1.2.0 Walk the ridge."


def test_a_rebuilt_folder_is_not_served_from_the_cache(tmp_path: Path) -> None:
    write(tmp_path / "recode-h", task("walk", "Before."))
    before = load(tmp_path)
    write(tmp_path / "recode-h", task("walk", "After."))
    assert (before, load(tmp_path)) == ("1.2.0 Before.", "1.2.0 After.")


def load(folder: Path) -> str:
    """Load the folder as a user does: by name from the working directory, in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(folder / "cache")],
        cwd=folder,
        env={"HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "home"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()

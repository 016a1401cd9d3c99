"""What a card says about a build: versions, digests, counts, tasks and papers."""

from recodeh.builders.build import Built
from recodeh.builders.dataset import digests_of, rows_of
from recodeh.cards.dataset_card import DatasetFacts, dataset_card


def card_of(built: Built) -> str:
    """The text of the dataset's README.md."""
    return dataset_card(
        DatasetFacts(
            name=built.name,
            version=built.release,
            digests=digests_of(built),
            counts={config: len(rows) for config, rows in rows_of(built).items()},
            tasks=built.tasks,
            papers=built.papers,
            dropped=len(built.faults),
        )
    )

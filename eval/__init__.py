"""From a dataset to episodes, verdicts and metrics."""

"""From snippets to instructions, tests, verified tasks and a dataset."""

.PHONY: check format lint types test

check: lint types test

format:
	uv run ruff format
	uv run ruff check --fix

lint:
	uv run ruff format --check
	uv run ruff check

types:
	uv run mypy

test:
	uv run pytest

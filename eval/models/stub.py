"""`builtin/stub`: answers with code that does nothing. What it solves tests nothing."""

from recodeh.eval.models.model import Reply, Request


class StubModel:
    """Raises NotImplementedError, whatever it is asked."""

    name = "builtin/stub"

    def answer(self, request: Request) -> Reply:
        """The same answer to every request."""
        return Reply("```python\nraise NotImplementedError\n```")

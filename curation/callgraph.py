"""Who calls whom in a source: by what the imports say, by the file, and at last by the name alone.

A call of a plain or dotted name is looked up in the scopes of its file, then among the modules of
the source. Only what has no name to follow (a method of some value, a name from a star import) is
matched by its last part, within one language.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from recodeh.curation.functions import Function

_SELF: Final = frozenset(("self", "cls", "super", "this"))
_MANY: Final = 8
"""A method name that more functions share says nothing about which of them is called."""


@dataclass
class Index:
    """The functions of a source by all the names that a call may use."""

    by_place: dict[tuple[str, str], list[Function]] = field(
        default_factory=lambda: defaultdict(list)
    )
    by_target: dict[str, list[Function]] = field(default_factory=lambda: defaultdict(list))
    by_last: dict[tuple[str, str], list[Function]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def add(self, function: Function) -> None:
        """Put one function into all three."""
        target = function.target.removesuffix(".__init__")
        symbol = function.symbol.removesuffix(".__init__")
        self.by_place[function.path, symbol].append(function)
        self.by_last[function.language, symbol.rpartition(".")[2]].append(function)
        parts = target.split(".")
        # A module may be imported from any folder above it.
        for start in range(max(1, len(parts) - 1)):
            self.by_target[".".join(parts[start:])].append(function)

    def called(self, caller: Function, call: str) -> Sequence[Function]:
        """The functions that one call of a function may mean."""
        head, _, rest = call.partition(".")
        if head in _SELF and rest:
            owner = caller.symbol.rpartition(".")[0]
            return self.by_place.get((caller.path, f"{owner}.{rest}")) or self._last(caller, rest)
        for scope in _scopes(caller.symbol):
            found = self.by_place.get((caller.path, f"{scope}{call}"))
            if found and head:
                return found
        if "." in call and head:
            return self.by_target.get(call, ()) or self._method(caller, call)
        return self._last(caller, call)

    def _method(self, caller: Function, call: str) -> Sequence[Function]:
        """`value.method`: a name that no import gave can only be a method's."""
        return [f for f in self._last(caller, call) if f.kind in ("method", "property")]

    def _last(self, caller: Function, call: str) -> Sequence[Function]:
        found = self.by_last.get((caller.language, call.rpartition(".")[2]), ())
        return found if len(found) <= _MANY else ()


def callees(functions: Iterable[Function]) -> dict[Function, list[Function]]:
    """For each function, the other functions of the source that it calls, in order of first use."""
    found = list(functions)
    index = Index()
    for function in found:
        index.add(function)
    return {
        function: list(
            dict.fromkeys(
                other for call in function.calls for other in index.called(function, call)
                if other is not function
            )
        )
        for function in found
    }  # fmt: skip


def callers(called: dict[Function, list[Function]]) -> dict[Function, list[Function]]:
    """The same the other way round."""
    found: dict[Function, list[Function]] = defaultdict(list)
    for function, others in called.items():
        for other in others:
            found[other].append(function)
    return dict(found)


def _scopes(symbol: str) -> Iterator[str]:
    """The prefixes of the scopes that a function can see, its own first."""
    while symbol:
        yield f"{symbol}."
        symbol = symbol.rpartition(".")[0]
    yield ""

"""What a function takes from around it: names of its module, star imports, enclosing functions.

Read off Python's own symbol tables; nothing of the file is run.
"""

import ast
import builtins
import symtable
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from recodeh.curation.functions import Function
from recodeh.data.syntax import parse_python

_BUILTINS: Final = frozenset(dir(builtins)) | {"__file__", "__name__", "__class__"}


@dataclass(frozen=True)
class Surroundings:
    """What the code of one function needs that is not in it."""

    constants: tuple[str, ...]
    """Names that the module assigns, neither imported nor defined."""
    unknown: tuple[str, ...]
    """Names that nothing in the file binds: from a star import, or a mistake."""
    stars: bool
    """Whether the file has a star import."""
    enclosing: tuple[str, ...]
    """Names of the function around it."""
    returned: tuple[str, ...]
    """Functions defined inside it that it returns: the core is in them."""

    def told(self) -> Iterator[str]:
        """One phrase for each kind of need."""
        if self.constants:
            yield f"reads the module's {', '.join(self.constants[:5])}"
        if self.unknown:
            source = "from a star import" if self.stars else "from nowhere in its file"
            yield f"takes {', '.join(self.unknown[:5])} {source}"
        if self.enclosing:
            yield f"closes over {', '.join(self.enclosing[:5])} of the function around it"
        if self.returned:
            yield f"returns the inner function {', '.join(self.returned)}, which is the core"


def surroundings(data: bytes, functions: list[Function]) -> dict[Function, Surroundings]:
    """The needs of the functions of one file; nothing where Python cannot read the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other people's escape sequences
        try:
            module = symtable.symtable(data, "module", "exec")  # type: ignore[arg-type] # the stubs know no bytes, which carry the file's own codec
            tree = parse_python(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last two: deep nesting
            return {}
    bound = {s.get_name() for s in module.get_symbols() if s.is_assigned()}
    taken = {s.get_name() for s in module.get_symbols() if s.is_imported() or s.is_namespace()}
    tables = dict(_tables(module))
    returned = dict(_returned(tree))
    stars = any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in ast.walk(tree))
    found = ((function, tables.get((function.symbol, function.ordinal))) for function in functions)
    return {
        function: _needs(
            table, bound - taken, bound | taken, stars, returned.get(function.symbol, ())
        )
        for function, table in found
        if table is not None
    }


def _needs(
    table: symtable.Function,
    constants: set[str],
    known: set[str],
    stars: bool,
    returned: tuple[str, ...],
) -> Surroundings:
    names = set(_globals(table)) - _BUILTINS
    return Surroundings(
        constants=tuple(sorted(names & constants)),
        unknown=tuple(sorted(names - known)),
        stars=stars,
        enclosing=tuple(sorted(set(table.get_frees()) - {"__class__"})),
        returned=returned,
    )


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    """The global names that a scope and those inside it, comprehensions too, look up."""
    yield from (s.get_name() for s in table.get_symbols() if s.is_global() and s.is_referenced())
    for child in table.get_children():
        yield from _globals(child)


def _tables(
    module: symtable.SymbolTable,
) -> Iterator[tuple[tuple[str, int], symtable.Function]]:
    """The tables of a module's functions by symbol and ordinal."""
    seen: dict[str, int] = {}
    stack = [(child, child.get_name()) for child in reversed(module.get_children())]
    while stack:
        table, symbol = stack.pop()
        if isinstance(table, symtable.Function) and table.get_name() != "lambda":
            seen[symbol] = seen.get(symbol, 0) + 1
            yield (symbol, seen[symbol]), table
        below = ((child, f"{symbol}.{child.get_name()}") for child in table.get_children())
        stack += reversed(list(below))


def _returned(tree: ast.AST, symbol: str = "") -> Iterator[tuple[str, tuple[str, ...]]]:
    """For each function that ends in returning functions of its own, their names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{symbol}.{node.name}" if symbol else node.name
            if not isinstance(node, ast.ClassDef) and isinstance(node.body[-1], ast.Return):
                inner = {d.name for d in node.body if isinstance(d, ast.FunctionDef)}
                names = (n.id for n in ast.walk(node.body[-1]) if isinstance(n, ast.Name))
                yield name, tuple(dict.fromkeys(n for n in names if n in inner))
            yield from _returned(node, name)
        else:
            yield from _returned(node, symbol)

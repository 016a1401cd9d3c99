"""The grammars of languages other than Python, and where in their trees the functions are.

The grammars come with the extra `langs`; without it there is none, and nothing else is missing.
"""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Language, Query

MEND: Final = "install the grammars: pip install 'recodeh[langs]'"


@dataclass(frozen=True)
class Shape:
    """What a language's tree calls things: queries that capture `function`, `scope`, `call`."""

    functions: str
    scopes: str = ""
    calls: str = "(call_expression function: (_) @call)"
    comments: tuple[str, ...] = ("comment",)
    documents: str = "above"
    """`above` or `below` a function's header: where its comment is its documentation."""
    outer: tuple[str, ...] = ()
    """Nodes round a function that belong to it."""
    end: str = "}"
    """What closes a body."""

    @property
    def query(self) -> str:
        """All of it as one query."""
        return f"{self.functions}\n{self.scopes}\n{self.calls}"


_C: Final = "(function_definition) @function"
_CPP: Final = Shape(
    f"{_C} (init_declarator declarator: (identifier) value: (lambda_expression)) @function",
    scopes="[(namespace_definition) (class_specifier body: (_)) (struct_specifier body: (_))]"
    " @scope",
    outer=("template_declaration",),
)
_SHAPES: Final = {
    "c": Shape(_C),
    "cpp": _CPP,
    "cuda": _CPP,
    "rust": Shape(
        "(function_item) @function (let_declaration pattern: (identifier)"
        " value: (closure_expression)) @function",
        scopes="[(mod_item) (impl_item) (trait_item)] @scope",
        comments=("line_comment", "block_comment"),
    ),
    "r": Shape(
        "(binary_operator rhs: (function_definition)) @function"
        " ((call function: (identifier) @_list arguments: (arguments"
        " (argument name: (_) value: (function_definition)) @function))"
        ' (#eq? @_list "list"))'
        " ((call function: (identifier) @_set arguments: (arguments . (argument value: (string))"
        ' (argument value: (function_definition)))) @function (#match? @_set "^set[A-Z]"))',
        scopes="((binary_operator lhs: (identifier) rhs: (call function: (identifier) @_class))"
        ' @scope (#match? @_class "^(R6Class|setRefClass)$"))',
        calls="(call function: (_) @call)",
    ),
    "julia": Shape(
        "[(function_definition) (macro_definition)] @function"
        " (assignment . (call_expression)) @function"
        " (assignment . (where_expression (call_expression))) @function"
        " (assignment . (typed_expression . (call_expression))) @function"
        " (assignment . (identifier) (arrow_function_expression)) @function",
        scopes="[(module_definition) (struct_definition)] @scope",
        calls="(call_expression . (_) @call)",
        comments=("line_comment", "block_comment", "string_literal"),
        end="end",
    ),
    "matlab": Shape(
        "(function_definition) @function (assignment left: (identifier) right: (lambda)) @function",
        scopes="(class_definition) @scope",
        calls="(function_call name: (_) @call)",
        documents="below",
        end="end",
    ),
}


def shape(language: str) -> Shape | None:
    """How to read a language; None where we cannot, whatever is installed."""
    return _SHAPES.get(language)


@cache
def grammar(language: str) -> "Language | None":
    """The grammar of a language; None where the extra is not installed."""
    try:
        from tree_sitter_language_pack import get_binding
    except ImportError:
        return None
    from tree_sitter import Language

    return Language(get_binding(language))


@cache
def query(language: str) -> "Query":
    """The compiled query of a language whose grammar is there."""
    from tree_sitter import Query

    spoken = grammar(language)
    assert spoken is not None  # the caller has looked
    return Query(spoken, _SHAPES[language].query)

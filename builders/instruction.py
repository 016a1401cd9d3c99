"""The instruction of a task: what its recipe says, what the visible code and the paper's text say.

Nothing here reads the masked region except for the names that it uses.
"""

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from recodeh.data.errors import RecipeError
from recodeh.data.recipe import Passage, SnippetRecipe
from recodeh.data.records import Argument, Dependencies, Excerpt, Instruction
from recodeh.data.syntax import parse_python

EXCERPT_CHARACTERS = 1500


def instruct(
    recipe: SnippetRecipe, *, source: str, code: str, modules: frozenset[str], texts: Sequence[str]
) -> Instruction:
    """The instruction for one snippet.

    `source` is the original file, `code` the region's text, `modules` the top-level modules of the
    paper's own source, `texts` the paper's text or README. Raises RecipeError when the symbol is
    not in the file or a passage is not in the text.
    """
    tree = parse_python(source)
    function = _function(tree, recipe)
    return Instruction(
        summary=recipe.summary,
        signature=signature(function),
        arguments=tuple(_arguments(function, recipe.arguments)),
        returns=recipe.returns,
        dependencies=dependencies(tree, code, modules),
        paper_excerpts=tuple(_excerpt(passage, texts) for passage in recipe.excerpts),
        missing_in_paper=recipe.missing_in_paper,
        contradicts_paper=recipe.contradicts_paper,
        hint=recipe.hint,
    )


def signature(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """The header of a function as one line: name, arguments, annotations."""
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    word = "async def" if isinstance(function, ast.AsyncFunctionDef) else "def"
    return f"{word} {function.name}({ast.unparse(function.args)}){returns}"


def dependencies(tree: ast.Module, code: str, modules: frozenset[str]) -> Dependencies:
    """The names that `code` uses: of its own file, of the source's other files, and of others."""
    used = {node.id for node in ast.walk(_statements(code)) if isinstance(node, ast.Name)}
    imported = dict(_imports(tree))
    own = {name for name, module in imported.items() if _is_own(module, modules)}
    return Dependencies(
        in_file=tuple(sorted(used & set(_definitions(tree)))),
        across_files=tuple(sorted(f"{imported[name]}:{name}" for name in used & own)),
        external=tuple(sorted({imported[name] for name in used & (imported.keys() - own)})),
    )


def _function(tree: ast.Module, recipe: SnippetRecipe) -> ast.FunctionDef | ast.AsyncFunctionDef:
    node: ast.AST = tree
    for part in recipe.symbol.split("."):
        found = [
            child
            for child in ast.walk(node)
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and child.name == part
            and child is not node
        ]
        if not found:
            raise RecipeError(f"no symbol {recipe.symbol!r} in the file", where=recipe.file)
        node = found[0]
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        raise RecipeError(f"{recipe.symbol!r} is not a function or method", where=recipe.file)
    return node


def _arguments(
    function: ast.FunctionDef | ast.AsyncFunctionDef, described: Mapping[str, str]
) -> Iterator[Argument]:
    spec = function.args
    plain = [*spec.posonlyargs, *spec.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(spec.defaults))
    pairs = list(zip(plain, [*defaults, *spec.defaults], strict=True))
    pairs += [(spec.vararg, None)] if spec.vararg else []
    pairs += list(zip(spec.kwonlyargs, spec.kw_defaults, strict=True))
    pairs += [(spec.kwarg, None)] if spec.kwarg else []
    for argument, default in pairs:
        if argument.arg in {"self", "cls"}:
            continue
        yield Argument(
            name=argument.arg,
            annotation=ast.unparse(argument.annotation) if argument.annotation else "",
            default=ast.unparse(default) if default else "",
            description=described.get(argument.arg, ""),
        )


def _statements(code: str) -> ast.Module:
    """The region parsed as the body of a function, so that `return` and `yield` may stand in it."""
    body = textwrap.indent(textwrap.dedent(code), "    ")
    return parse_python(f"async def region():\n{body}\n")


def _definitions(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name.split(".")[0], alias.name
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                yield alias.asname or alias.name, module


def _is_own(module: str, modules: frozenset[str]) -> bool:
    return module.startswith(".") or module.split(".")[0] in modules


def _excerpt(passage: Passage, texts: Sequence[str]) -> Excerpt:
    for text in (text.replace("\r\n", "\n") for text in texts):
        found = re.search(passage.pattern, text)
        if found:
            paragraphs = _paragraphs(text, found.start(), found.end())
            return Excerpt(section=passage.section, text=paragraphs[:EXCERPT_CHARACTERS].strip())
    raise RecipeError(
        f"no passage of the paper's text matches {passage.pattern!r}",
        mend="the pattern is searched in the files named under `text`",
    )


def _paragraphs(text: str, start: int, end: int) -> str:
    """The whole paragraphs that the characters from `start` to `end` lie in."""
    begin = text.rfind("\n\n", 0, start) + 1
    finish = text.find("\n\n", end)
    return text[begin : len(text) if finish < 0 else finish]

"""Code in words: operators, places and statements, none of it long enough to be a solution."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "addition",
    ast.Sub: "subtraction",
    ast.Mult: "multiplication",
    ast.Div: "division",
    ast.FloorDiv: "floor division",
    ast.Mod: "remainder",
    ast.Pow: "power",
    ast.MatMult: "matrix product",
    ast.LShift: "left shift",
    ast.RShift: "right shift",
    ast.BitOr: "bitwise or",
    ast.BitXor: "bitwise exclusive or",
    ast.BitAnd: "bitwise and",
}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "equality",
    ast.NotEq: "inequality",
    ast.Lt: "less than",
    ast.LtE: "at most",
    ast.Gt: "greater than",
    ast.GtE: "at least",
    ast.Is: "identity",
    ast.IsNot: "non-identity",
    ast.In: "membership",
    ast.NotIn: "non-membership",
}
JOINS: dict[type[ast.boolop], str] = {ast.And: "a logical and", ast.Or: "a logical or"}
_STATEMENTS: dict[type[ast.stmt], str] = {
    ast.If: "`if` statement",
    ast.For: "`for` loop",
    ast.AsyncFor: "`for` loop",
    ast.While: "`while` loop",
    ast.With: "`with` statement",
    ast.AsyncWith: "`with` statement",
    ast.Try: "`try` statement",
    ast.Return: "statement that returns",
    ast.Assert: "assertion",
    ast.Delete: "deletion",
    ast.Import: "import",
    ast.ImportFrom: "import",
    ast.Break: "`break` statement",
    ast.Continue: "`continue` statement",
    ast.Raise: "statement that raises",
}
_LONGEST, _NODES, _LISTED = 40, 5, 6
VAGUE = "that value"


def quote(node: ast.AST | str) -> str:
    """A short piece of code between backticks, or `that value` when it is not short."""
    if isinstance(node, ast.AST) and any(islice(_expressions(node), _NODES, None)):
        return VAGUE
    text = node if isinstance(node, str) else ast.unparse(node)
    fits = 0 < len(text) <= _LONGEST and "`" not in text and "\n" not in text
    return f"`{text}`" if fits else VAGUE


def size(node: ast.AST) -> int:
    """How many expressions a node is made of, itself included."""
    return sum(1 for _ in _expressions(node))


def _expressions(node: ast.AST) -> Iterator[ast.expr]:
    return (part for part in ast.walk(node) if isinstance(part, ast.expr))


def value(node: ast.AST) -> str:
    """An expression: quoted when it is short, else what it is made from."""
    text = quote(node)
    return f"a value {made_from(node)}".rstrip() if text == VAGUE else text


def statement(node: ast.stmt) -> str:
    """What a statement is called where a place is named."""
    match node:
        case ast.Assign(targets=[*_, target]) | ast.AnnAssign(target=target):
            return f"statement that assigns {quote(target)}"
        case ast.AugAssign(target=target):
            return f"statement that updates {quote(target)}"
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return f"definition of `{name}`"
        case ast.Expr(value=ast.Call(func=function)):
            return f"statement that calls {quote(function)}"
    return _STATEMENTS.get(type(node), "statement")


def deed(node: ast.stmt) -> str:
    """What a statement does, after the word "that"."""
    match node:
        case ast.Assign(targets=targets, value=source):
            return f"assigns {listed(map(quote, targets))} {made_from(source)}".rstrip()
        case ast.AnnAssign(target=target, value=ast.expr() as source):
            return f"assigns {quote(target)} {made_from(source)}".rstrip()
        case ast.AugAssign(target=target, op=op, value=source):
            made = made_from(source)
            return f"updates {quote(target)} by {OPERATIONS[type(op)]} {made}".rstrip()
        case ast.Return(value=None):
            return "returns nothing"
        case ast.Return(value=ast.expr() as source):
            return f"returns {value(source)}"
        case ast.Expr(value=ast.Call(func=function) as call):
            parts = [*call.args, *(keyword.value for keyword in call.keywords)]
            names = _names(parts)
            return f"calls {quote(function)}" + (f" with {listed(names)}" if names else "")
        case ast.If(test=test) | ast.While(test=test):
            word = "decides" if isinstance(node, ast.If) else "loops while"
            return f"{word} on a condition {made_from(test)}".rstrip()
        case ast.For(target=target, iter=source):
            return f"loops with {quote(target)} over {value(source)}"
        case ast.Raise(exc=ast.Call(func=function)):
            return f"raises {quote(function)}"
        case ast.FunctionDef(name=name):
            return f"defines the function `{name}`"
        case ast.Import() | ast.ImportFrom():
            return f"imports {listed(f'`{alias.name}`' for alias in node.names)}"
    return f"is a {_STATEMENTS.get(type(node), 'statement')}".replace("is a import", "imports")


def made_from(node: ast.AST) -> str:
    """What an expression is made from: names, calls and operations, without their arrangement."""
    names, calls = _names([node]), list(_calls(node))
    steps = [f"a call of {call}" for call in calls[:_LISTED]]
    steps += [f"the attribute `{name}`" for name in _attributes(node)][:_LISTED]
    steps += [f"{_article(name)} {name}" for name in _operations(node)][:_LISTED]
    parts = [f"from {listed(names)}"] if names else []
    parts += [f"by {listed(steps)}"] if steps else []
    if not parts and isinstance(node, ast.Constant):
        return f"as {quote(node)}"
    return " ".join(parts)


def _names(nodes: Sequence[ast.AST]) -> list[str]:
    whole = [node for part in nodes for node in ast.walk(part)]
    callees = {id(node.func) for node in whole if isinstance(node, ast.Call)}
    used = [node for node in whole if isinstance(node, ast.Name) and id(node) not in callees]
    found = (f"`{node.id}`" for node in used)
    modules = {f"`{call.split('.')[0].strip('`')}`" for part in nodes for call in _calls(part)}
    return [name for name in dict.fromkeys(found) if name not in modules][:_LISTED]


def _calls(node: ast.AST) -> Iterator[str]:
    texts = (
        quote(part.func)
        for part in ast.walk(node)
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name | ast.Attribute)
    )
    return (text for text in dict.fromkeys(texts) if text != VAGUE)


def _attributes(node: ast.AST) -> list[str]:
    callees = {id(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
    found = (
        part.attr
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute) and id(part) not in callees
    )
    return list(dict.fromkeys(found))


def _operations(node: ast.AST) -> list[str]:
    words = (_operation(part) for part in ast.walk(node))
    return [word for word in dict.fromkeys(words) if word]


def _operation(node: ast.AST) -> str:
    match node:
        case ast.operator():
            return OPERATIONS[type(node)]
        case ast.cmpop():
            return f"test for {COMPARISONS[type(node)]}"
        case ast.boolop():
            return JOINS[type(node)].removeprefix("a ")
        case ast.Subscript():
            return "selection of elements"
    return ""


def _article(word: str) -> str:
    return "an" if word[:1] in "aeiou" else "a"


def listed(words: Iterable[str]) -> str:
    """Words with commas and an "and" between them."""
    *first, last = list(words) or [""]
    return f"{', '.join(first)} and {last}" if first else last

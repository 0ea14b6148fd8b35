"""The small faults that `make mutants` plants: which places of a source file are changed, and into what.

A mutation replaces one expression or statement. Nothing that only speaks to people is changed: docstrings, type hints,
decorators, f-strings, and what is handed to an exception, a warning or a log. Seconds after which something is given up
stay as they are too: no test here asserts a time. So does the ``strict`` of ``zip``, which guards what is equally long.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], list[type[ast.cmpop]]] = {
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
OPPOSITES = {
    "any": "all",
    "min": "max",
    "argmin": "argmax",
    "nanmin": "nanmax",
    "minimum": "maximum",
    "floor": "ceil",
}
OPPOSITES |= {new: old for old, new in OPPOSITES.items()} | {"reversed": "list"}
SPEAKING = {"warn", "warning", "info", "debug", "error", "print", "log", "echo"}
KEPT_KEYWORDS = {"encoding", "stacklevel", "strict", "timeout"}
UNMUTATED = {"annotation", "returns", "decorator_list", "bases"}
NAMELIKE = (ast.Name, ast.Attribute, ast.Call, ast.NamedExpr, ast.Subscript)
SPLITTING = (ast.If, ast.For, ast.While, ast.Try, ast.With, ast.Match)


@dataclass(frozen=True)
class Mutation:
    """One change of one file: bytes `start` to `end` become `text`; `block` is what must run for it to matter."""

    path: str
    scope: str
    line: int
    start: int
    end: int
    text: str
    before: str
    after: str
    block: int | None

    def apply(self, source: bytes) -> bytes:
        """The source with this change."""
        return source[: self.start] + self.text.encode() + source[self.end :]


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _without(items: list, index: int) -> list:
    return items[:index] + items[index + 1 :]


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _called(node: ast.AST) -> str:
    function = node.func if isinstance(node, ast.Call) else None
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def _statement_changes(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Return(value=ast.expr() as value) if not (
            isinstance(value, ast.Constant) and value.value is None
        ):
            yield ast.Return(value=None)
        case ast.Expr(value=ast.Call()) | ast.Raise() | ast.AugAssign() | ast.Return(value=None):
            yield ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield ast.Pass()
        case ast.Continue():
            yield ast.Break()
        case ast.Break():
            yield ast.Continue()


def _call_changes(node: ast.Call) -> Iterator[ast.AST]:
    name = _called(node)
    if name in OPPOSITES and isinstance(node.func, ast.Name):
        yield _with(node, func=ast.Name(OPPOSITES[name]))
    elif name in OPPOSITES and isinstance(node.func, ast.Attribute):
        yield _with(node, func=_with(node.func, attr=OPPOSITES[name]))
    if name == "sorted" and not any(keyword.arg == "reverse" for keyword in node.keywords):
        yield _with(node, keywords=[*node.keywords, ast.keyword("reverse", ast.Constant(True))])
    for i, keyword in enumerate(node.keywords):
        if keyword.arg not in KEPT_KEYWORDS:
            yield _with(node, keywords=_without(node.keywords, i))


def _expression_changes(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare():
            for i, operator in enumerate(node.ops):
                for other in COMPARISONS[type(operator)]:
                    yield _with(node, ops=[*node.ops[:i], other(), *node.ops[i + 1 :]])
        case ast.BinOp(left=left, right=right) if type(node.op) in ARITHMETIC:
            if not any(_is_text(side) or isinstance(side, ast.List | ast.Tuple) for side in (left, right)):
                yield _with(node, op=ARITHMETIC[type(node.op)]())
        case ast.BoolOp():
            yield _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.UnaryOp(op=ast.USub()):
            yield node.operand
        case ast.IfExp():
            yield _with(node, body=node.orelse, orelse=node.body)
        case ast.Subscript(slice=ast.Constant(value=0)):
            yield _with(node, slice=ast.Constant(-1))
        case ast.Subscript(slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1))):
            yield _with(node, slice=ast.Constant(0))
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int()):
            yield from (ast.Constant(node.value + 1), ast.Constant(node.value - 1))
        case ast.Constant(value=float()):
            yield ast.Constant(node.value + 1)
        case ast.Call():
            yield from _call_changes(node)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            for i, loop in enumerate(node.generators):
                for j in range(len(loop.ifs)):
                    without = _with(loop, ifs=_without(loop.ifs, j))
                    yield _with(node, generators=[*node.generators[:i], without, *node.generators[i + 1 :]])


def _for_people(node: ast.AST) -> bool:
    """Whether what is below a node speaks to people or to type checkers alone, starts a script, or is a time limit."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) in ("TYPE_CHECKING", "__name__ == '__main__'")
    if isinstance(node, ast.keyword):
        return node.arg in KEPT_KEYWORDS
    return isinstance(node, ast.JoinedStr | ast.Raise | ast.Assert | ast.Import) or _called(node) in SPEAKING


def _children(node: ast.AST) -> Iterator[ast.AST]:
    if _for_people(node):
        return
    for name, value in ast.iter_fields(node):
        if name not in UNMUTATED and not (isinstance(node, ast.ClassDef) and name == "keywords"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield child


class _Blocks:
    """Numbers the stretches of statements of functions that run together, and can make each say that it ran."""

    def __init__(self, first: int):
        self.next = first
        self.of: dict[ast.AST, int] = {}
        self.starts: list[tuple[list[ast.stmt], int, int]] = []

    def add(self, node: ast.AST, inside: bool = False) -> None:
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            items = getattr(node, name, None)
            number = None
            for i, item in enumerate(items if isinstance(items, list) else []):
                if inside and isinstance(item, ast.stmt):
                    if number is None:
                        number, self.next = self.next, self.next + 1
                        self.starts.append((items, i, number))
                    self.of[item] = number
                    number = None if isinstance(item, SPLITTING) else number
                self.add(item, inside)

    def report(self, name: str) -> None:
        """Insert a call of `name` with the block's number at the start of each block."""
        for items, i, block in reversed(self.starts):
            docstring = i == 0 and isinstance(items[0], ast.Expr) and _is_text(items[0].value)
            call = ast.Call(ast.Name(name, ast.Load()), [ast.Constant(block)], [])
            items.insert(i + docstring, ast.Expr(call))


def instrumented(source: bytes, first: int, name: str) -> tuple[str, int]:
    """The source where each block of statements calls `name` with its number, and the next free number."""
    tree = ast.parse(source)
    blocks = _Blocks(first)
    blocks.add(tree)
    blocks.report(name)
    return ast.unparse(ast.fix_missing_locations(tree)), blocks.next


def _shorter(before: str, after: str, around: int = 30) -> tuple[str, str]:
    """Both texts without most of what they begin and end with alike."""
    shortest = min(len(before), len(after))
    head = next((i for i in range(shortest) if before[i] != after[i]), shortest)
    tail = next((i for i in range(shortest - head) if before[-1 - i] != after[-1 - i]), shortest - head)
    left, right = max(0, head - around), max(0, tail - around)

    def inner(text: str) -> str:
        return ("…" if left else "") + text[left : len(text) - right] + ("…" if right else "")

    return inner(before), inner(after)


def mutations(source: bytes, path: str, first: int) -> list[Mutation]:
    """All mutations of a file, in order; blocks are numbered from `first` as `instrumented` numbers them."""
    tree = ast.parse(source)
    blocks = _Blocks(first)
    blocks.add(tree)
    starts = [0]
    for line in source.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    found: list[Mutation] = []
    made: set[bytes] = set()

    def put(node: ast.AST, new: ast.AST, scope: str, block: int | None) -> None:
        start, end = (
            starts[node.lineno - 1] + node.col_offset,
            starts[node.end_lineno - 1] + node.end_col_offset,
        )
        text = ast.unparse(new)
        before, after = _shorter(ast.unparse(node), text)
        mutation = Mutation(path, scope, node.lineno, start, end, text, before, after, block)
        mutant = hashlib.sha256(mutation.apply(source)).digest()
        if mutant not in made:
            made.add(mutant)
            found.append(mutation)

    def look(node: ast.AST, scope: str, block: int | None) -> None:
        block = blocks.of.get(node, block)
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            scope = f"{scope}.{node.name}" if scope else node.name
        if isinstance(node, ast.stmt) and not (isinstance(node, ast.Expr) and _for_people(node.value)):
            for new in _statement_changes(node):
                put(node, new, scope, block)
        if isinstance(node, ast.expr) and not _for_people(node):
            for new in _expression_changes(node):
                put(node, new, scope, block)
        test = node.test if isinstance(node, ast.If) else None
        if isinstance(test, NAMELIKE) and not _for_people(node):
            put(test, ast.UnaryOp(ast.Not(), test), scope, block)
        for child in _children(node):
            look(child, scope, block)

    look(tree, "", None)
    return found


def changes_bytecode(mutation: Mutation, source: bytes) -> bool:
    """Whether the mutant compiles, and to something else than the source does, line numbers aside."""
    try:
        return _bytecode(mutation.apply(source)) != _bytecode(source)
    except SyntaxError:
        return False


def _bytecode(source: bytes) -> object:
    def plain(code: object) -> object:
        if not hasattr(code, "co_code"):
            return repr(code)
        return code.co_code, code.co_names, code.co_varnames, [plain(constant) for constant in code.co_consts]

    return plain(compile(source, "source", "exec", dont_inherit=True))

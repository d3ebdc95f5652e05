"""Small faults, one at a time, in the tree of a module."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass

_OTHER: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Add,
    ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip


_IN_SQL = {
    " <= ": " < ", " < ": " <= ", " >= ": " > ", " > ": " >= ", " = ": " <> ", " && ": " @ ", " + ": " - ",
    " - ": " + ",
    " * ": " + ", " / ": " * ", " AND ": " OR ", " OR ": " AND ", " DESC": " ASC", " ASC": " DESC", " FIRST": " LAST",
    " LAST": " FIRST", "IS NOT NULL": "IS NULL", "IS NULL": "IS NOT NULL", "WHERE NOT ": "WHERE ", "AND NOT ": "AND ",
    "IS NOT TRUE": "IS TRUE", "min(": "max(", "max(": "min(", "Min(": "Max(", "Max(": "Min(", "greatest(": "least(",
    "least(": "greatest(", "UNION ALL": "UNION", "DISTINCT ": "", "FALSE": "TRUE",
}  # fmt: skip
_SQL = re.compile("|".join(re.escape(words) for words in sorted(_IN_SQL, key=len, reverse=True)))


@dataclass(frozen=True)
class Mutation:
    """One fault: its place, the original code and the changed code."""

    place: str
    """The function or class around it, and the line."""
    line: int
    before: str
    after: str
    tree: ast.Module

    def key(self) -> str:
        """Return a name for the mutation that does not depend on the line number."""
        return f"{self.place}: {self.before} -> {self.after}"


def mutations(source: str) -> Iterator[Mutation]:
    """Every fault that can be made in a module."""
    tree = ast.parse(source)
    parents: dict[ast.AST, tuple[ast.AST, str, int | None]] = {}
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            for place, child in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(child, ast.AST):
                    parents[child] = (parent, field, place if isinstance(value, list) else None)
    nodes = [node for node in ast.walk(tree) if not _is_left_alone(node, parents)]
    for faults, node in [(faults, node) for faults in (_faults, _faults_in_sql) for node in nodes]:
        for new in faults(node):
            parent, field, index = parents[node]
            old_value = getattr(parent, field)
            ast.copy_location(new, node)
            setattr(parent, field, new if index is None else [*old_value[:index], new, *old_value[index + 1 :]])
            mutated = ast.fix_missing_locations(copy.deepcopy(tree))
            setattr(parent, field, old_value)
            yield Mutation(_place(node, parents), getattr(node, "lineno", 1), _text(node), _text(new), mutated)


def _faults(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield ast.Compare(node.left, [_OTHER[type(node.ops[0])]()], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(_OTHER[type(node.op)](), node.values)
    elif isinstance(node, ast.BinOp) and type(node.op) in _OTHER:
        yield ast.BinOp(node.left, _OTHER[type(node.op)](), node.right)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.Constant):
        yield from _other_constants(node.value)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        new = copy.copy(node)
        new.test = ast.UnaryOp(ast.Not(), node.test)
        yield new
    elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        yield ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Expr | ast.AugAssign):
        yield ast.Pass()
    elif isinstance(node, ast.Continue):
        yield ast.Break()


def _faults_in_sql(node: ast.AST) -> Iterator[ast.AST]:
    """Yield copies of a statement with one operator or word changed."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) > len(" <= "):
        for found in _SQL.finditer(node.value):
            yield ast.Constant(f"{node.value[: found.start()]}{_IN_SQL[found[0]]}{node.value[found.end() :]}")


def _other_constants(value: object) -> Iterator[ast.AST]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int | float):
        yield ast.Constant(value + 1)
    elif isinstance(value, str):
        yield ast.Constant(f"{value} X" if value else "X")


def _is_left_alone(node: ast.AST, parents: dict[ast.AST, tuple[ast.AST, str, int | None]]) -> bool:
    """Texts for people, types, what only runs when types are checked, and `strict=` of zip, which checks the caller."""
    if node not in parents or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        return True
    while node in parents:
        parent, field, _ = parents[node]
        if field in ("annotation", "returns", "decorator_list", "bases") or isinstance(parent, ast.Assert | ast.Raise):
            return True
        if isinstance(parent, ast.Expr) and isinstance(node, ast.Constant):
            return True
        if isinstance(parent, ast.Call) and _is_for_people(node, parent):
            return True
        if isinstance(parent, ast.JoinedStr) or (isinstance(parent, ast.keyword) and parent.arg == "strict"):
            return True
        node = parent
    return False


def _is_for_people(argument: ast.AST, call: ast.Call) -> bool:
    """Return whether an argument is only a text for people or for type checkers.

    The description of a metric is one; its name and labels are not.
    """
    called = getattr(call.func, "id", "")
    if called in ("Counter", "Gauge", "Histogram"):
        return argument in call.args[1:2]
    return called in ("TypeVar", "cast", "fault", "CqlError")


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _place(node: ast.AST, parents: dict[ast.AST, tuple[ast.AST, str, int | None]]) -> str:
    names = []
    while node in parents:
        node = parents[node][0]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.append(node.name)
    return ".".join(reversed(names)) or "module"


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.If | ast.While):
        return f"if {ast.unparse(node.test)}"
    return ast.unparse(node)

"""Parse CQL2 text into pygeofilter's AST."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput, UnexpectedToken, v_args
from lark.lexer import BasicLexer, LexerState
from pygeofilter import ast

from libs.cql.errors import CASELESS, CqlError, excerpt, fault, one_of
from libs.cql.guard import check_source, check_tokens, number
from libs.cql.nodes import Ast, Part, mark_place
from libs.cql.parsing import builders
from libs.cql.parsing.geometry_literals import from_wkt


def parse_text(text: str) -> Ast:
    """Return the AST of a CQL2 text filter. Raises CqlError with the position of the first fault."""
    check_source(text)
    try:
        part: Part = _PARSER.parse(text)  # type: ignore[assignment]  # the transformer makes Parts of trees
    except UnexpectedInput as error:
        raise _syntax_error(error, text) from None
    return Ast(part.value, part.at)


_ESCAPE = re.compile(r"''|\\([abtnvfr'\\])")
_ESCAPED = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "\\": "\\"}


def _unescape(match: re.Match[str]) -> str:
    """/req/cql2-text/escaping. A backslash before anything else stays, so that patterns can be written `\\%`."""
    return _ESCAPED.get(match[1], "'")


@v_args(inline=True)
class _TreeBuilder(Transformer[Token, Part]):
    """Builds the AST while lark reduces, so that no parse tree is stored or walked."""

    def disjunction(self, *parts: Part) -> Part:
        return builders.combine(ast.Or, parts)

    def conjunction(self, *parts: Part) -> Part:
        return builders.combine(ast.And, parts)

    def negation(self, word: Token, part: Part) -> Part:
        return builders.negate(part, word.start_pos or 0)

    def comparison(self, left: Part, op: Token, right: Part) -> Part:
        return builders.comparison("".join(op.split()), left, right)

    def like(self, value: Part, _like: Token, pattern: Part) -> Part:
        return builders.like(value, pattern)

    def not_like(self, value: Part, _not: Token, _like: Token, pattern: Part) -> Part:
        return builders.like(value, pattern, negated=True)

    def between(self, value: Part, _between: Token, low: Part, high: Part) -> Part:
        return builders.between(value, low, high)

    def not_between(self, value: Part, _not: Token, _between: Token, low: Part, high: Part) -> Part:
        return builders.between(value, low, high, negated=True)

    def is_in(self, value: Part, _in: Token, members: list[Part]) -> Part:
        return builders.is_in(value, members)

    def is_not_in(self, value: Part, _not: Token, _in: Token, members: list[Part]) -> Part:
        return builders.is_in(value, members, negated=True)

    def is_null(self, value: Part, _is: Token, _null: Token) -> Part:
        return builders.is_null(value)

    def is_not_null(self, value: Part, _is: Token, _not: Token, _null: Token) -> Part:
        return builders.is_null(value, negated=True)

    def arithmetic(self, left: Part, op: Token, right: Part) -> Part:
        return builders.arithmetic(op.lower(), left, right)

    def negative(self, sign: Token, part: Part) -> Part:
        return builders.negative(part, sign.start_pos or 0)

    def positive(self, sign: Token, part: Part) -> Part:
        return Part(part.value, sign.start_pos or 0, part.depth)

    def call(self, name: Token, members: list[Part] | Token) -> Part:
        arguments = members if isinstance(members, list) else []
        return builders.call(str(name), arguments, name.start_pos or 0)

    def members(self, *parts: Part) -> list[Part]:
        return list(parts)

    def parentheses(self, part: Part) -> Part:
        return part._replace(in_parentheses=True)

    def array(self, first: Part, rest: list[Part]) -> Part:
        return builders.array([first, *rest], first.at)

    def empty_array(self, parentheses: Token) -> Part:
        return builders.array([], parentheses.start_pos or 0)

    def property(self, name: Token) -> Part:
        return mark_place(ast.Attribute(str(name)), name.start_pos or 0)

    def quoted(self, name: Token) -> Part:
        return mark_place(ast.Attribute(name[1:-1].replace('""', '"')), name.start_pos or 0)

    def number(self, digits: Token) -> Part:
        at = digits.start_pos or 0
        return Part(number(str(digits), at), at)

    def string(self, literal: Token) -> Part:
        return Part(_ESCAPE.sub(_unescape, literal[1:-1]), literal.start_pos or 0)

    def true(self, word: Token) -> Part:
        return Part(True, word.start_pos or 0)

    def false(self, word: Token) -> Part:
        return Part(False, word.start_pos or 0)

    def geometry(self, wkt: Token) -> Part:
        at = wkt.start_pos or 0
        return builders.geometry(from_wkt(str(wkt), at), at)


class _BoundedLexer(BasicLexer):
    """lark's lexer, limited in the number of tokens: parsing costs 10 µs per token."""

    __future_interface__ = 2  # lark passes its state instead of the bare text

    def lex(self, state: LexerState, parser_state: Any) -> Iterator[Token]:
        for count, token in enumerate(super().lex(state, parser_state), start=1):
            check_tokens(count, token.start_pos or 0)
            yield token


_PARSER = Lark(
    (Path(__file__).with_name("grammar.lark")).read_text(encoding="utf-8"),
    parser="lalr",
    lexer=_BoundedLexer,
    maybe_placeholders=False,
    transformer=_TreeBuilder(),
)

_WORDS = {"_AND": "AND", "_OR": "OR", "_RPAR": "')'", "_COMMA": "','", "_LPAR": "'('", "NULL": "NULL", "NOT": "NOT"}


def _syntax_error(error: UnexpectedInput, text: str) -> CqlError:
    if isinstance(error, UnexpectedCharacters):
        return _lexical_error(text, error.pos_in_stream or 0)
    if not isinstance(error, UnexpectedToken) or error.token.type == "$END":
        at, found, terminal = len(text), "the end of the filter", "$END"
    else:
        at, found, terminal = error.token.start_pos or 0, f"'{excerpt(error.token)}'", error.token.type
    names = set(error.expected) if isinstance(error, UnexpectedToken) else set()
    if terminal == "NULL" and "NAME" in names:
        return fault("NULL is not a value; write IS NULL", at)
    if terminal == "EMPTY" and names == {"_LPAR"}:
        return fault("IN needs at least one value", at)
    if isinstance(error, UnexpectedToken) and error.token.upper() == "ILIKE":
        return fault(CASELESS, at)
    expected = _valid_terminals(names, text, at)
    return fault(f"expected {one_of(expected)}, found {found}", at)


def _valid_terminals(names: set[str], text: str, at: int) -> tuple[str, ...]:
    """Return the terminals that would have been valid there, in plain words."""
    if "NAME" in names:
        return ("a property", "a value", "a function")
    words = []
    if "COMPARISON" in names:
        words.append("a comparison")
    # After a complete predicate, both an arithmetic operator and AND would be valid; one hint is enough.
    is_open = text.count("(", 0, at) > text.count(")", 0, at)
    words += [
        word
        for name, word in _WORDS.items()
        if name in names and (is_open or name not in ("_RPAR", "_COMMA")) and not (name in ("NOT", "_LPAR") and words)
    ]
    if "$END" in names and not is_open:
        words.append("the end of the filter")
    return tuple(words) or tuple(sorted(names))


_HINTS: tuple[tuple[str, str], ...] = (
    ("'", "the string that starts here has no closing quote"),
    ('"', "the property name that starts here has no closing quote"),
    ("!", "'!=' is written '<>' in CQL2"),
)


def _lexical_error(text: str, at: int) -> CqlError:
    for start, message in _HINTS:
        if text.startswith(start, at):
            return fault(message, at)
    return fault(f"the character '{excerpt(text[at : at + 1])}' has no meaning here", at)

"""CQL2, text and JSON (OGC 21-065): parse a filter, compile it to SQL with binds.

    ast = parse("magnitude >= 6 AND S_INTERSECTS(geom, BBOX(-125, 32, -114, 42))")
    where = compile_filter(ast, {"magnitude": queryable("magnitude", "double precision"), ...})

Everything a client can write wrongly is a `CqlError` with its place. The SQL can still fail in the database
for the values of a row, with SQLSTATE class 22 (floating point overflow) or, from PostGIS, XX000 (a stored
geometry that cannot be transformed or is broken): answer those as a fault of the request, not of the server.

Stands on geo, ogc, pg.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from libs.cql.compiling.compiler import Target, compile_ast
from libs.cql.coords import coords_predicate, metres_of
from libs.cql.errors import CqlError
from libs.cql.nodes import Ast
from libs.cql.parsing.in_utc import in_utc
from libs.cql.parsing.json import parse_json
from libs.cql.parsing.text import parse_text
from libs.cql.predicates import bbox_predicate, datetime_predicate, height_predicate, lasting_predicate, value_predicate
from libs.cql.queryable import Queryable, kind_of, queryable
from libs.geo.crs import CRS84, Crs
from libs.pg.sql import Sql
from libs.pg.text_folding import UNTRIED, TextFolding

FilterLang = Literal["cql2-text", "cql2-json"]


def parse(text: str, lang: FilterLang = "cql2-text") -> Ast:
    """A filter as a tree, without knowing any properties or the CRS of its geometries. Raises CqlError."""
    return parse_text(text) if lang == "cql2-text" else parse_json(text)


def compile_filter(
    filter_: Ast,
    queryables: Mapping[str, Queryable],
    *,
    folding: TextFolding = UNTRIED,
    crs: Crs = CRS84,
) -> Sql:
    """The boolean SQL expression of a filter over the columns of `queryables`. Raises CqlError.

    `folding` is what the database has for CASEI and ACCENTI; what it has not is an error. `crs` is that of the
    filter's geometries.
    """
    return compile_ast(filter_, Target(queryables, folding, crs))


def filter_sql(
    text: str,
    lang: FilterLang,
    queryables: Mapping[str, Queryable],
    *,
    folding: TextFolding = UNTRIED,
    crs: Crs = CRS84,
) -> Sql:
    """`parse` and `compile_filter` in one. Raises CqlError."""
    return compile_filter(parse(text, lang), queryables, folding=folding, crs=crs)


__all__ = [
    "Ast",
    "CqlError",
    "FilterLang",
    "Queryable",
    "bbox_predicate",
    "compile_filter",
    "coords_predicate",
    "datetime_predicate",
    "filter_sql",
    "height_predicate",
    "in_utc",
    "kind_of",
    "lasting_predicate",
    "metres_of",
    "parse",
    "queryable",
    "value_predicate",
]

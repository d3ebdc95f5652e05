"""A database with a small table, relations made from it, and queries for its rows."""

from __future__ import annotations

from dataclasses import replace

import asyncpg

from libs.catalogue.model import Collection, Column
from libs.pg.pool import Database
from libs.pg.sql import Sql
from libs.selection.selection import Selection, SortTerm
from services.features.request.cursor import Position
from services.features.request.items_query import AS_STORED, ItemsQuery, total_order
from services.features.rows.counts import Counts
from services.features.rows.failing_rows import FailingRows
from services.features.rows.feature_cache import FeatureCache
from services.features.rows.items_store import ItemsStore
from services.features.rows.layout import Rows
from tests.services.features.rows.set_versions import SetVersions

ROWS = 60
ID = Column("id", "integer", "integer", not_null=True)
KIND = Column("kind", "text", "string")
BODY = Column("body", "text", "string")
KEYED = Collection("public.few", "public", "few", 1, "table", "F", None, (ID, KIND, BODY), key="id", sources=(1,))
VIEW = replace(KEYED, id="public.alike", name="alike", kind="view", key=None, columns=(KIND,))
"""A view with equal rows, which are therefore numbered."""
UNEVEN = replace(VIEW, id="public.uneven", name="uneven")
"""Fifty equal rows, and ten others."""
PAIRED = replace(VIEW, id="public.paired", name="paired")
"""Rows of which only the 20th and the 21st are equal."""
UNKNOWN = replace(VIEW, sources=())
"""A view whose rows nothing distinguishes."""


async def few_tables(owner: asyncpg.Connection) -> None:
    """Rows 1 to 60, of three kinds, with long texts; and some of other sizes."""
    await owner.execute(
        "CREATE TABLE few (id integer PRIMARY KEY, kind text, body text);"  # noqa: S608 - our own number
        " INSERT INTO few SELECT n, chr(97 + n % 3), repeat('x', 2000) || n % 7"
        f" FROM generate_series(1, {ROWS}) n; CREATE VIEW alike AS SELECT kind FROM few;"
        " CREATE VIEW uneven AS SELECT CASE WHEN id <= 50 THEN 'a' ELSE 'b' END AS kind FROM few;"
        " CREATE VIEW late AS SELECT CASE WHEN id <= 20 THEN 'a' ELSE 'b' END AS kind FROM few;"
        " CREATE VIEW paired AS SELECT chr(CASE id WHEN 21 THEN 20 ELSE id END + 60) AS kind FROM few;"
        " CREATE TABLE short AS SELECT n AS id, 'a' AS kind, 'b' AS body FROM generate_series(1, 3000) n;"
        " CREATE FUNCTION is_right(id integer) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN"
        " IF id IN (7, 13) THEN RAISE EXCEPTION 'no place' USING ERRCODE = 'XX000'; END IF; RETURN true; END $$;"
        " CREATE TABLE wide AS SELECT n AS id, 'a' AS kind, repeat('x', 8000) AS body, geom"
        " FROM generate_series(1, 900) n, ST_Buffer('SRID=4326;POINT(1 1)', 1, 125) AS geom;"
    )


def store_of(database: Database, cache: FeatureCache | None = None) -> ItemsStore:
    """Return a store as the service has it."""
    versions = SetVersions(database)
    return ItemsStore(database, Counts(database, versions, seconds=10, at_once=2), cache, FailingRows(versions))


def query(
    collection: Collection = KEYED,
    limit: int = 10,
    *,
    after: Position | None = None,
    offset: int = 0,
    sort: tuple[SortTerm, ...] = (),
    conditions: tuple[Sql, ...] = (),
    counted: bool = True,
) -> ItemsQuery:
    """A request for a page."""
    selection = Selection(collection, None, conditions, collection.columns, sort)
    order = total_order(selection)
    return ItemsQuery(selection, order, limit, offset, after, AS_STORED, {}, repr(conditions), counted)


def ids(found: Rows) -> list[int]:
    """The first value of each row."""
    return [row[0] for row in found.rows]


def behind(number: int) -> Position:
    """Return the position of a page that starts after that row."""
    return Position((str(number),))


def before(number: int) -> Position:
    """Return the position of a page that ends before it."""
    return Position((str(number),), backwards=True)

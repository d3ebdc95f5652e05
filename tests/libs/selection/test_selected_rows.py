"""The rows that parameters select in PostgreSQL, and their order."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

import asyncpg
import pytest

from libs.catalogue.model import Argument, Collection, Column, GeometryColumn
from libs.ogc.crs import crs_uri
from libs.pg.sql import Sql, ident, join, sql
from libs.pg.text_folding import Folding, TextFolding
from libs.selection.ids import composite_id, key_condition
from libs.selection.selection import Selection, configured_order, select
from tests.conftest import MakeDatabase
from tests.libs.selection.selecting import COLUMNS, Query, collection, selected

DEGREES = crs_uri(4326) or ""
_TABLE = """
CREATE SCHEMA s;
CREATE SCHEMA x;
CREATE FUNCTION x.plain(text) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT translate($1, 'Á', 'a') $$;
CREATE TABLE s.t (id integer PRIMARY KEY, mag float8, place text, began timestamptz NOT NULL, ended date, reported date,
    doc jsonb, tags text[], spot point, geom geometry(Point, 4326), area geometry(Polygon, 3857), "Mag" integer);
INSERT INTO s.t (id, mag, place, began, ended, geom, "Mag") VALUES
    (1, 7, 'x', '2020-01-10Z', '2020-01-12', 'SRID=4326;POINT(1 2)', 1),
    (2, 6, 'y', '2020-01-10Z', '2020-01-12', 'SRID=4326;POINT(1 2)', 2),
    (3, 7, 'x', '2020-01-10Z', '2020-01-12', 'SRID=4326;POINT(9 9)', NULL),
    (4, 8, 'x', '2019-01-10Z', '2019-12-12', 'SRID=4326;POINT(3 4)', NULL),
    (5, 5, 'x', '2020-01-10Z', '2020-01-12', 'SRID=4326;POINT(2 3)', NULL),
    (6, 8, 'x', '2019-01-10Z', '2020-01-12', 'SRID=4326;POINT(1 2)', NULL),
    (-7, 9, 'a,b', '2020-02-10Z', NULL, NULL, NULL),
    (49, 'NaN', 'a%2Cb', '2021-01-10Z', '2021-01-12', 'SRID=4326;POINT(50 50)', NULL),
    (50, 'Infinity', 'Á', '2021-01-10Z', '2021-01-12', 'SRID=4326;POINT(50 50)', NULL),
    (51, NULL, '049', '2021-01-10Z', '2021-01-12', 'SRID=4326;POINT(50 50)', NULL);
UPDATE s.t SET area = ST_Transform(ST_MakeEnvelope(60, 60, 61, 61, 4326), 3857);
UPDATE s.t SET area = ST_Transform(ST_MakeEnvelope(0, 0, 5, 5, 4326), 3857) WHERE id = 51;
CREATE FUNCTION s.called(n integer, x float8 = 1, yes boolean = true, day date = '2000-01-01', place text = '-')
RETURNS SETOF text LANGUAGE sql AS $$ SELECT concat_ws('|', n, x, yes, day, place) $$;
CREATE FUNCTION s.called() RETURNS SETOF text LANGUAGE sql AS $$ SELECT 'nothing' $$;
"""
EVERY = {1, 2, 3, 4, 5, 6, -7, 49, 50, 51}


@dataclass
class Rows:
    """Reads what a selection selects."""

    connection: asyncpg.Connection

    async def fetch(self, statement: Sql) -> list[Any]:
        text, args = statement.render()
        return [row[0] for row in await self.connection.fetch(text, *args)]

    async def ids(self, selection: Selection) -> list[int]:
        """The ids of the rows in the order of the selection, then by id."""
        order = [
            sql("{by} DESC NULLS LAST" if term.descending else "{by}", by=term.expression or ident(term.column.name))
            for term in selection.sort
        ]
        return await self.fetch(
            sql(
                "SELECT id FROM {table} WHERE {where} ORDER BY {order}",
                table=selection.table,
                where=selection.where,
                order=join(", ", [*order, sql("id")]),
            )
        )

    async def by(self, chosen: Collection | None = None, **given: Any) -> set[int]:
        """The ids of the rows that parameters select."""
        return set(await self.ids(selected(chosen, **given)))


@pytest.fixture(scope="module")
async def rows(make_database: MakeDatabase) -> AsyncIterator[Rows]:
    connection = await asyncpg.connect(await make_database())
    await connection.execute(_TABLE)
    yield Rows(connection)
    await connection.close()


async def test_without_parameters_all_rows_are_selected(rows: Rows) -> None:
    assert await rows.by() == EVERY


@pytest.mark.parametrize(
    ("other", "found"),
    [
        ({}, [6, 1]),
        # a box and a shape of a filter have a CRS each
        ({"bbox": [2, 1, 4, 3], "bbox-crs": DEGREES}, [6, 1]),
        ({"filter": "mag > 5 AND S_INTERSECTS(geom, LINESTRING(2 1, 4 3, 9 9))", "filter-crs": DEGREES}, [6, 1]),
        ({"filter-crs": DEGREES}, []),
        # without one of them, the row that it alone excludes is selected too
        ({"ids": None}, [6, 1]),
        ({"ids": "1,3,4,5,6"}, [6, 1]),
        ({"ids": "3,4,5,2,1"}, [1]),
        ({"bbox": None}, [6, 1, 3]),
        ({"datetime": None}, [4, 6, 1]),
        ({"filter": None}, [6, 1, 5]),
    ],
)
async def test_conditions_of_all_parameters_apply_together(rows: Rows, other: dict[str, Any], found: list[int]) -> None:
    given = {
        "ids": "1, 2,3,4,5,6",
        "bbox": [1, 2, 3, 4],
        "datetime": "2020-01-01T00:00:00Z/2020-02-01T00:00:00Z",
        "filter": "mag > 5 AND S_INTERSECTS(geom, LINESTRING(1 2, 3 4, 9 9))",
        "sortby": ["-mag", "place"],
    }
    lasting = replace(collection(time_end="ended"), srids=(3857, 4326))
    query = Query(given | other, {"place": "x"})
    assert await rows.ids(select(lasting, query)) == found
    assert query.faults == []


@pytest.mark.parametrize(
    ("key", "ids", "found"),
    [
        ("id", "1, 2", {1, 2}),
        ("id", "49", {49}),
        # other spellings of a number are other ids, which no feature has
        ("id", "049", set()),
        ("id", "-0", set()),
        ("id", "-7", {-7}),
        ("place", "049", {51}),
        ("place", "a%2Cb", {-7, 49}),
        ("place", "a%252Cb", {49}),
        (("id", "place"), "1~x, 2~x,49~a%25252Cb", {1, 49}),
        (("id", "place"), "-7~a%2Cb,1~x", {-7, 1}),
    ],
)
async def test_ids(rows: Rows, key: str | tuple[str, ...], ids: str, found: set[int]) -> None:
    members = {"key": key} if isinstance(key, str) else {"key": None, "composite_key": key}
    chosen = collection(**members)
    assert await rows.by(chosen, ids=ids) == found


async def test_bbox_applies_to_the_chosen_geometry(rows: Rows) -> None:
    box = [1, 2, 3, 4]
    # a row without a geometry matches, unless there is said to be none
    assert await rows.by(bbox=box) == {1, 2, 4, 5, 6, -7}
    always = collection(geometries=(GeometryColumn("geom", "Point", 4326, not_null=True),))
    assert await rows.by(always, bbox=box) == {1, 2, 4, 5, 6}
    assert await rows.by(bbox=box, geom_column="area") == {51}
    # features without their geometry may be searched by it
    assert await rows.by(bbox=box, geom_column="none") == {1, 2, 4, 5, 6, -7}


async def test_datetime_applies_to_the_default_column_or_the_named_one(rows: Rows) -> None:
    assert await rows.by(datetime="2020-02-01T00:00:00Z/..") == {-7, 49, 50, 51}
    assert await rows.by(datetime="2020-02-01T00:00:00Z/..", datetime_column="ended") == {-7, 49, 50, 51}
    assert await rows.by(datetime="../2020-02-01", datetime_column="ended") == {1, 2, 3, 4, 5, 6, -7}
    assert await rows.by(datetime_column="ended") == EVERY
    # for features that last, both columns, unless one is named
    lasting = collection(time_end="ended")
    assert await rows.by(lasting, datetime="2020-01-01/2020-02-01") == {1, 2, 3, 5, 6}
    assert await rows.by(lasting, datetime="2020-01-01/..", datetime_column="began") == EVERY - {4, 6}
    known = replace(
        lasting, columns=tuple(replace(column, not_null=column.name in ("began", "ended")) for column in COLUMNS)
    )
    assert await rows.by(known, datetime="2020-01-01/2020-03-01") == {1, 2, 3, 5, 6}


@pytest.mark.parametrize("length", [0, 999, 1000, 1001, 4000])
async def test_a_filter_of_either_language_and_any_length(rows: Rows, length: int) -> None:
    text, as_json = "mag > 5".ljust(length), '{"op":">","args":[{"property":"mag"},5]}'.ljust(length)
    above = {1, 2, 3, 4, 6, -7}
    assert await rows.by(filter=text) == above
    assert await rows.by(filter=text, filter_lang="cql2-text") == above
    assert await rows.by(filter=as_json, filter_lang="cql2-json") == above
    # geometry columns are properties of filters, too
    assert await rows.by(filter="S_INTERSECTS(area, POINT(1 1))".ljust(length)) == {51}
    query = Query({"filter": "ACCENTI(place) = 'a'".ljust(length)})
    folding = TextFolding(accents=Folding("x.plain({text})"))
    assert await rows.ids(select(collection(), query, folding=folding)) == [50]
    assert await rows.ids(select(collection(), Query({"filter": "ACCENTI(place) = ACCENTI('Á')"}))) == [50]
    select(collection(), query, folding=TextFolding(accents=None))
    assert [name for name, *_ in query.faults] == ["filter"]


async def test_a_repeated_filter_uses_the_present_types_of_columns(rows: Rows) -> None:
    whole = collection(columns=(COLUMNS[0], Column("mag", "integer", "integer")))
    for _ in range(2):
        assert await rows.by(filter="mag > 5") == {1, 2, 3, 4, 6, -7}
        # a column of whole numbers has no values that features show as null
        assert await rows.by(whole, filter="mag > 5") == {1, 2, 3, 4, 6, -7, 49, 50}


async def test_properties_as_parameters(rows: Rows) -> None:
    query = Query({}, {"place": "x", "mag": "5"})
    assert await rows.ids(select(collection(), query)) == [5]
    both = collection(columns=(*COLUMNS, Column("Mag", "integer", "integer")))
    assert await rows.ids(select(both, Query({}, {"Mag": "1"}))) == [1]
    assert await rows.ids(select(both, Query({}, {"Mag": "1", "mag": "6"}))) == []
    assert query.faults == []


async def test_what_clients_see_as_null_is_last(rows: Rows) -> None:
    importance = configured_order(collection(), ("-mag", "gone", "place"))
    for selection in (selected(sortby=["-mag"]), replace(selected(), sort=importance)):
        found = await rows.ids(selection)
        assert (found[:7], set(found[7:])) == ([-7, 4, 6, 1, 3, 2, 5], {49, 50, 51})


async def test_arguments_of_a_function(rows: Rows) -> None:
    arguments = (
        Argument("n", "integer", "integer"),
        Argument("x", "double precision", "number", default="1"),
        Argument("yes", "boolean", "boolean", default="true"),
        Argument("day", "date", "string", "date", default="now()"),
        Argument("place", "text", "string", default="''"),
    )
    function = replace(collection(kind="function"), name="called")

    async def called(chosen: Collection, **given: str) -> list[Any]:
        query = Query({}, given)
        found = await rows.fetch(sql("SELECT * FROM {table}", table=select(chosen, query).table))
        assert query.faults == []
        return found

    chosen = replace(function, arguments=arguments)
    assert await called(chosen, n="5", x="-1.5e3", yes="FALSE", day="2020-01-31", place="it's") == [
        "5|-1500|f|2020-01-31|it's"
    ]
    assert await called(chosen, n="+1", x=".5") == ["1|0.5|t|2000-01-01|-"]
    assert await called(function) == ["nothing"]


@pytest.mark.parametrize(
    ("sql_type", "column", "text"),
    [
        ("bigint", Column("k", "integer", "integer"), "49"),
        ("bigint", Column("k", "integer", "integer"), "-1"),
        ("bigint", Column("k", "integer", "integer"), "1" * 19),
        ("numeric", Column("k", "numeric", "number"), "9" * 19),
        ("text", Column("k", "text", "string"), "a,b~%7E"),
        ("text", Column("k", "text", "string"), ""),
        ("date", Column("k", "date", "string", "date"), "2020-01-01"),
        ("timestamptz", Column("k", "timestamp with time zone", "string", "date-time"), "2020-01-01T00:00:00Z"),
        ("float8", Column("k", "double precision", "number"), "1.5"),
        # values that only the database can read
        ("interval", Column("k", "interval", "string"), "P1D"),
        ("bit(3)", Column("k", "bit(3)", "string"), "101"),
        # with its length it would be cut, and find another
        ("varbit", Column("k", "bit varying(3)", "string"), "1011"),
    ],
)
async def test_the_feature_with_an_id_is_found_by_its_key(rows: Rows, sql_type: str, column: Column, text: str) -> None:
    table = collection(columns=(column,), key="k")
    condition = key_condition(table, text)
    assert condition is not None
    stored = f"(SELECT $0::{sql_type} AS k UNION ALL SELECT NULL) AS stored"
    found, args = sql(
        "SELECT k::text FROM {stored} WHERE {condition}", stored=Sql((stored,)), condition=condition
    ).render()
    escaped = text.replace("'", "''")
    assert len(await rows.connection.fetch(found.replace("$0", f"'{escaped}'"), *args)) == 1
    if sql_type == "varbit":
        assert await rows.connection.fetch(found.replace("$0", "'101'"), *args) == []


async def test_an_id_is_found_by_the_index_of_its_key(rows: Rows) -> None:
    for chosen, text in ((collection(), "49"), (collection(key=None, composite_key=("id", "place")), "49~x")):
        condition = key_condition(chosen, text)
        async with rows.connection.transaction():
            await rows.connection.execute("SET LOCAL enable_seqscan = off")
            plan = await rows.fetch(sql("EXPLAIN SELECT * FROM s.t WHERE {one}", one=condition or sql("FALSE")))
        assert "Index Cond" in "\n".join(plan)


@pytest.mark.parametrize(
    ("columns", "row", "identifier"),
    [
        ({"id": "integer", "code": "text"}, "1, 'a~b,c%'", "1~a%7Eb%2Cc%25"),
        ({"cost": "money", "id": "integer"}, "1.5, 1", "1.50~1"),
        *(({"day": "date", "id": "integer"}, f"'{day}', 1", f"{day}~1") for day in ("infinity", "0044-03-15 BC")),
        ({"at": "timestamp with time zone", "id": "integer"}, "'2020-01-01 00:00Z', 1", "2020-01-01T00:00:00Z~1"),
        ({"at": "timestamp with time zone", "id": "integer"}, "'12345-01-01 00:00Z', 1", "12345-01-01T00:00:00Z~1"),
        *(
            ({"size": "double precision", "id": "integer"}, f"'{size}', 1", f"{size}~1")
            for size in ("NaN", "-Infinity")
        ),
    ],
)
async def test_the_id_of_several_columns_finds_its_row(
    rows: Rows, columns: dict[str, str], row: str, identifier: str
) -> None:
    json_types = {"integer": "integer", "double precision": "number", "money": "number"}
    formats = {"date": "date", "timestamp with time zone": "date-time"}
    key = tuple(Column(name, kind, json_types.get(kind, "string"), formats.get(kind)) for name, kind in columns.items())
    table = replace(collection(columns=key, key=None), composite_key=tuple(columns))
    definition = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    await rows.connection.execute("SET timezone = 'UTC'; SET lc_monetary = 'C'; DROP TABLE IF EXISTS keyed")
    await rows.connection.execute(f"CREATE TEMP TABLE keyed ({definition}); INSERT INTO keyed VALUES ({row})")  # noqa: S608
    condition = key_condition(table, identifier)
    assert condition is not None
    found = sql("SELECT {id} FROM keyed WHERE {condition}", id=composite_id(key), condition=condition)
    assert await rows.fetch(found) == [identifier]

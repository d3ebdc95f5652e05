"""The table of types says what PostgreSQL and PostGIS themselves say."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import mapbox_vector_tile
import pytest

from libs.pg.column_types import (
    COLUMN_TYPES,
    NUMERIC,
    SAFE_INTEGER,
    TEMPORAL,
    TEXTUAL,
    ColumnType,
    Kind,
    as_float8,
    base_type,
    column_type,
    internal_type,
    types_where,
)
from libs.pg.sql import sql
from tests.conftest import MakeDatabase

VALUES = {Kind.INTEGER: "7", Kind.NUMBER: "7.5", Kind.BOOLEAN: "true", Kind.STRING: "word"}
EVERY = pytest.mark.parametrize("known", COLUMN_TYPES, ids=lambda known: known.name)


@pytest.fixture(scope="module")
async def db(make_database: MakeDatabase) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(await make_database())
    await connection.execute("CREATE EXTENSION hstore; CREATE SCHEMA other; CREATE EXTENSION citext SCHEMA other")
    yield connection
    await connection.close()


async def format_type(db: asyncpg.Connection, internal: str) -> str:
    text = await db.fetchval("SELECT format_type(oid, NULL) FROM pg_type WHERE typname = $1", internal)
    return str(text)


@EVERY
async def test_both_names_are_the_databases(known: ColumnType, db: asyncpg.Connection) -> None:
    spelled = await format_type(db, known.internal)
    assert base_type(spelled).removeprefix("other.") == known.name
    assert column_type(spelled) is internal_type(known.internal) is known


@EVERY
async def test_ordered_types_can_be_sorted_by(known: ColumnType, db: asyncpg.Connection) -> None:
    statement = f"SELECT value FROM (SELECT NULL::{await format_type(db, known.internal)} AS value) AS t ORDER BY value"  # noqa: S608
    try:
        await db.execute(statement)
        sortable = True
    except asyncpg.UndefinedFunctionError:
        sortable = False
    # a cursor is made of texts, which the type must take back
    assert known.ordered is (sortable and await _takes_texts(db, known))


async def _takes_texts(db: asyncpg.Connection, known: ColumnType) -> bool:
    try:
        await db.execute(f"SELECT ' '::text::{await format_type(db, known.internal)}")
    except asyncpg.FeatureNotSupportedError:
        return False
    except asyncpg.PostgresError:
        # a space is not a value of that type
        return True
    return True


@EVERY
async def test_every_number_becomes_a_double(known: ColumnType, db: asyncpg.Connection) -> None:
    if known.json_type != "number":
        return
    value = sql("'7.5'::text::{type}", type=sql("money") if known.name == "money" else sql("numeric"))
    text, args = as_float8(value, known.name).render()
    assert await db.fetchval(f"SELECT {text}", *args) == 7.5
    direct = f"SELECT NULL::{known.name}::float8"
    if known.by_numeric:
        with pytest.raises(asyncpg.CannotCoerceError):
            await db.execute(direct)
    else:
        await db.execute(direct)


@EVERY
async def test_whole_numbers_have_as_many_bits(known: ColumnType, db: asyncpg.Connection) -> None:
    # an oid has no sign
    if known.kind is not Kind.INTEGER or known.name == "oid":
        assert known.bits is None
        return
    assert known.bits is not None
    largest = 2 ** (known.bits - 1) - 1
    assert await db.fetchval(f"SELECT {largest}::{known.name}::text") == str(largest)
    with pytest.raises(asyncpg.NumericValueOutOfRangeError):
        await db.execute(f"SELECT {largest + 1}::{known.name}")


@EVERY
async def test_vector_tiles_have_a_value_of_the_same_kind(known: ColumnType, db: asyncpg.Connection) -> None:
    text = VALUES.get(known.kind)
    if text is None:
        assert not known.in_tiles
        return
    point = "ST_SetSRID(ST_MakePoint(0, 0), 3857)"
    tile = await db.fetchval(
        f"SELECT ST_AsMVT(t, 'layer') FROM (SELECT ST_AsMVTGeom({point}, ST_TileEnvelope(0, 0, 0)) AS geom,"  # noqa: S608
        f" '{text}'::{await format_type(db, known.internal)} AS value) AS t"
    )
    (feature,) = mapbox_vector_tile.decode(tile)["layer"]["features"]
    written = feature["properties"].get("value")
    same = isinstance(written, str) is (known.kind is Kind.STRING) and written is not None
    assert same or not known.in_tiles


@pytest.mark.parametrize(
    ("spelled", "name", "kind"),
    [
        ("numeric(10,2)", "numeric", Kind.NUMBER),
        ("character varying(24)", "character varying", Kind.STRING),
        ("character(3)", "bpchar", Kind.STRING),
        ('"char"', '"char"', Kind.OTHER),
        ("timestamp(3) with time zone", "timestamp with time zone", Kind.TIMESTAMP),
        ("geometry(Point,4326)", "geometry", Kind.GEOMETRY),
        ("other.geography(Point,4326)", "geography", Kind.GEOMETRY),
        # a type of the same name in another schema is another type
        ("hazard.date", "hazard.date", Kind.OTHER),
        ("integer[]", "integer[]", Kind.OTHER),
        ("character(3)[]", "bpchar[]", Kind.OTHER),
        ('hazard."a(1) b"', 'hazard."a(1) b"', Kind.OTHER),
        ('hazard."a(1) b"(2)', 'hazard."a(1) b"', Kind.OTHER),
        ("hazard.alert", "hazard.alert", Kind.OTHER),
    ],
)
def test_types_are_known_whatever_their_modifier(spelled: str, name: str, kind: Kind) -> None:
    found = column_type(spelled)
    assert (found.name, found.kind) == (name, kind)


WHOLE = {"smallint", "integer", "bigint"}
DOUBLES = {"real", "double precision"}
DAYS = {"date", "timestamp without time zone", "timestamp with time zone"}


@pytest.mark.parametrize(
    ("kinds", "facts", "names"),
    [
        ((), {"native": True}, WHOLE | DOUBLES | {"oid", "boolean", "text", "name", "uuid"}),
        # of the others there are two texts of one value, such as 1.0 and 1.00, -0 and 0, a day and 24 hours
        (
            (),
            {"one_text": True},
            WHOLE | DAYS | {"oid", "boolean", "text", "character varying", "name", "uuid", "time without time zone"},
        ),
        ((), {"floating": True}, DOUBLES),
        ((), {"by_numeric": True}, {"money"}),
        ((), {"in_tiles": True}, DOUBLES | {"integer", "bigint", "boolean", "text"}),
        ((), {"extension": True}, {"citext", "hstore", "geometry", "geography"}),
        ((Kind.INTEGER,), {}, WHOLE | {"oid"}),
        ((Kind.NUMBER,), {"floating": False}, {"numeric", "money"}),
        ((Kind.STRING,), {"extension": False, "native": False}, {"character varying", "bpchar"}),
        ((Kind.DATE, Kind.TIMESTAMP), {}, DAYS),
        ((Kind.JSON,), {"ordered": True}, {"jsonb"}),
        ((Kind.GEOMETRY, Kind.BOOLEAN), {}, {"geometry", "geography", "boolean"}),
        ((Kind.PERIOD,), {}, {"daterange", "tsrange", "tstzrange"}),
        (
            (),
            {"ordered": False},
            {
                *("json", "xml", "point", "line", "lseg", "box", "path", "polygon", "circle", "xid", "cid", "aclitem"),
                *("pg_node_tree", "pg_ndistinct", "pg_dependencies", "pg_mcv_list"),
            },
        ),
    ],
)
def test_types_are_alike_by_kind_and_by_facts(kinds: tuple[Kind, ...], facts: dict[str, bool], names: set[str]) -> None:
    assert types_where(*kinds, **facts) == names


def test_kinds_are_numbers_times_texts_or_of_their_own() -> None:
    apart = {Kind.BOOLEAN, Kind.GEOMETRY, Kind.ARRAY, Kind.JSON}
    assert sorted(NUMERIC) == [Kind.INTEGER, Kind.NUMBER]
    assert sorted(TEMPORAL) == [Kind.DATE, Kind.TIMESTAMP]
    assert sorted(TEXTUAL) == sorted({*Kind} - apart - NUMERIC - TEMPORAL)


@EVERY
def test_clients_see_values_of_the_json_type_of_their_kind(known: ColumnType) -> None:
    of_kind = {Kind.INTEGER: "integer", Kind.NUMBER: "number", Kind.BOOLEAN: "boolean", Kind.JSON: "object"}
    formats = {
        **{"uuid": "uuid", "date": "date", "interval": "duration"},
        **dict.fromkeys(("time without time zone", "time with time zone"), "time"),
        **dict.fromkeys(DAYS - {"date"}, "date-time"),
    }
    assert known.json_type == ("object" if known.name == "hstore" else of_kind.get(known.kind, "string"))
    assert known.json_format == formats.get(known.name)


def test_ids_are_numbers_as_far_as_javascript_reads_them_as_they_are() -> None:
    # ECMA-262, Number.MAX_SAFE_INTEGER: above it, two different integers can be read as the same number
    assert SAFE_INTEGER == 9_007_199_254_740_991


@pytest.mark.parametrize(
    ("sql_type", "text"),
    [
        (
            "numeric(9,2)",
            "CASE WHEN v BETWEEN -1.7e308 AND 1.7e308 THEN CASE WHEN abs(v) < 1e-307 THEN 0 ELSE v::float8 END END",
        ),
        ("money", "v::numeric::float8"),
        ("real", "v::float8"),
    ],
)
def test_what_is_beyond_all_doubles_is_none(sql_type: str, text: str) -> None:
    assert as_float8(sql("v"), sql_type).render() == (text, ())

from typing import Any

import asyncpg
import pytest

from libs.catalogue.model import Argument
from libs.pg.pool import Database, PoolSettings
from services.common.introspection.columns import argument_of, column_of, split_comment
from services.common.introspection.introspect import Introspection


@pytest.mark.parametrize(
    ("comment", "parts"),
    [
        (None, (None, None, None)),
        ("", (None, None, None)),
        ("Depth", ("Depth", None, None)),
        ("Depth. Of the hypocentre. [km]", ("Depth", "Of the hypocentre.", "km")),
        ("Depth [km]", ("Depth", None, "km")),
        # the existing parts, without the spaces around them
        (" Depth. \n", ("Depth", None, None)),
        ("Depth.  Of it.  [ km/h ] ", ("Depth", "Of it.", " km/h ")),
        ("[km]", (None, None, "km")),
        (".", (None, None, None)),
        ("Of v1.2, below. Of it. And more.", ("Of v1.2, below", "Of it. And more.", None)),
        # a unit is at the end, and one
        ("Depth [km] below", ("Depth [km] below", None, None)),
        ("Depth [a[b]", ("Depth [a", None, "b")),
        ("Depth []", ("Depth []", None, None)),
    ],
)
def test_a_comment_is_title_description_and_unit(comment: str | None, parts: tuple[str | None, ...]) -> None:
    assert split_comment(comment) == parts


async def test_the_first_line_of_a_comment_is_the_title_of_a_table(database_url: str) -> None:
    comments = {
        "none": (None, "none", None),
        "blank_lines": (" \n\n ", "blank lines", None),
        "one": ("  Rivers ", "Rivers", None),
        "more": ("\n Rivers \n\n of the world,\nlarge \n", "Rivers", "of the world,\nlarge"),
    }
    owner = await asyncpg.connect(database_url)
    await owner.execute("CREATE SCHEMA said")
    for name, (comment, _, _) in comments.items():
        await owner.execute(f"CREATE TABLE said.{name} (id integer)")
        text = await owner.fetchval("SELECT coalesce(quote_literal($1::text), 'NULL')", comment)
        await owner.execute(f"COMMENT ON TABLE said.{name} IS {text}")
    await owner.close()
    async with Database(PoolSettings(database_url, "test")) as database:
        found = await Introspection(database, ("said",)).collections()
    assert {table.name: (table.title, table.description) for table in found} == {
        name: (title, description) for name, (_, title, description) in comments.items()
    }


async def test_a_column_is_indexed_where_an_index_finds_its_ends(database_url: str) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute(
        "CREATE SCHEMA ends; CREATE TABLE ends.quakes (id integer PRIMARY KEY, first integer, second integer,"
        " partly integer, hashed integer, summed integer, span tstzrange, worked_out integer);"
        "CREATE INDEX ON ends.quakes (first); CREATE INDEX ON ends.quakes (first, second);"
        "CREATE INDEX ON ends.quakes (partly) WHERE partly > 0;"
        "CREATE INDEX ON ends.quakes USING hash (hashed); CREATE INDEX ON ends.quakes USING brin (summed);"
        "CREATE INDEX ON ends.quakes USING gist (span); CREATE INDEX ON ends.quakes ((worked_out + 1))"
    )
    await owner.close()
    async with Database(PoolSettings(database_url, "test")) as database:
        (quakes,) = await Introspection(database, ("ends",)).collections()
    assert [column.name for column in quakes.columns if column.indexed] == ["id", "first"]


def entry(**said: object) -> dict[str, Any]:
    """As relations.sql tells of a column of texts of which there is nothing more to tell."""
    rest = dict.fromkeys(("comment", "enum", "indexed", "not_null", "element_kind", "element_type"))
    text = {"name": "a", "base_type": "text", "sql_type": "text", "type_kind": "b", "category": "S"}
    return {**rest, **text, **said}


@pytest.mark.parametrize(
    ("name", "base_type", "format_"),
    [
        ("url", "text", "uri"),
        ("report_url", "varchar", "uri"),
        ("url_of_report", "text", None),
        ("urls", "text", None),
        ("report_url", "int4", None),
        ("report_url", "uuid", "uuid"),
    ],
)
def test_a_text_is_an_address_where_its_name_ends_so(name: str, base_type: str, format_: str | None) -> None:
    assert column_of(entry(name=name, base_type=base_type)).format == format_


@pytest.mark.parametrize(
    ("kind", "element", "items"),
    [
        ("b", "int4", "integer"),
        ("b", "timestamptz", "string"),
        ("b", "bool", "boolean"),
        ("e", "a list of our own", "string"),
        ("r", "tstzrange", "string"),
        ("m", "tstzmultirange", "string"),
        # of anything
        ("b", "jsonb", None),
        ("c", "a type of our own", None),
        ("d", "a domain", None),
    ],
)
def test_members_of_arrays_have_a_type_where_all_have_the_same(kind: str, element: str, items: str | None) -> None:
    found = column_of(entry(category="A", element_kind=kind, element_type=element))
    assert (found.type, found.format, found.items) == ("array", None, items)
    # only of arrays
    assert column_of(entry(element_kind=kind, element_type=element)).items is None


def test_what_goes_into_a_function_has_a_type_and_a_format_too() -> None:
    of_time = entry(name="at", base_type="timestamptz", sql_type="timestamp with time zone", default="now()")
    assert argument_of(of_time) == Argument("at", "timestamp with time zone", "string", "date-time", "now()")
    assert argument_of(entry(name="n", base_type="int4[]", sql_type="integer[]", category="A", default=None)) == (
        Argument("n", "integer[]", "array")
    )
    whole = column_of(entry(type_kind="c", enum=["b", "a"], indexed=True, not_null=True, comment="A. B [m]"))
    assert (whole.type, whole.enum, whole.indexed, whole.not_null) == ("object", ("b", "a"), True, True)
    assert (whole.title, whole.description, whole.unit) == ("A", "B", "m")

import asyncpg
import pytest

from libs.pg.pool import Database, PoolSettings
from services.common.introspection.columns import column_of, split_comment
from services.common.introspection.introspect import Introspection


@pytest.mark.parametrize(
    ("comment", "parts"),
    [
        (None, (None, None, None)),
        ("", (None, None, None)),
        ("Depth", ("Depth", None, None)),
        ("Depth. Of the hypocentre. [km]", ("Depth", "Of the hypocentre.", "km")),
        ("Depth [km]", ("Depth", None, "km")),
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
    said = {"name": name, "base_type": base_type, "sql_type": base_type, "type_kind": "b", "category": "S"}
    rest = dict.fromkeys(("comment", "enum", "indexed", "not_null", "element_kind", "element_type"))
    assert column_of({**said, **rest}).format == format_

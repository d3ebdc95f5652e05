"""How databases fold texts: with ICU, with the C library's locales, with neither, with our schema and without."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from uuid import uuid4

import asyncpg
import pytest

from deploy.database.apply import apply_schema
from libs.ogc.errors import Unavailable
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import Sql, bind, ident, sql
from libs.pg.text_folding import UNTRIED, Folding, TextFolding, TextFoldings, text_folding
from tests.conftest import MakeDatabase
from tests.eventually import eventually
from tests.running_stack import Cluster

Make = Callable[..., Awaitable[str]]
WRITTEN = "Straße STRASSE ẞ ﬁ ŉ İstanbul ı ΟΔΟΣ Жук Ångström Łódź Йод ﬀ ﬂ ﬃ が plain 𝒜Ⴀ"
TEXTS = ("", *WRITTEN.split())
# folded by Python, and as typed without accents
FOLDED = [text.casefold() for text in TEXTS]
PLAIN = [
    "",
    *[
        "Strasse",
        "STRASSE",
        "SS",
        "ﬁ",
        "ŉ",
        "Istanbul",
        "i",
        "ΟΔΟΣ",
        "Жук",
        "Angstrom",
        "Lodz",
        "Иод",
        "ﬀ",
        "ﬂ",
        "ﬃ",
        "が",
        "plain",
        "𝒜Ⴀ",
    ],
]


# letters with a stroke, and those that are two
OTHERS = dict(zip("ØøÐðĐđĦħıŁłŊŋŦŧƀƗɨƵƶɃɄʉ", "OoDdDdHhiLlNnTtbIiZzBUu", strict=True)) | {
    **{"Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe"},
    **{"ß": "ss", "ẞ": "SS", "Þ": "TH", "þ": "th"},
}
# the first and the last of each block of combining diacritical marks, and those of Cyrillic
MARKS = "\u0300\u036f\u0483\u0487\u1ab0\u1aff\u1dc0\u1dff\u20d0\u20ff\ufe20\ufe2f"
BESIDE = "\u02ff\u0370\u0482\u0488\u1aaf\u1b00\u1dbf\u20cf\u2100\ufe1f\ufe30"


@pytest.fixture
async def make(cluster: Cluster) -> AsyncIterator[Make]:
    """Makes databases of a locale and an encoding, dropped after the test."""
    admin = await asyncpg.connect(cluster.owner_url("postgres"))
    made: list[str] = []

    async def database(ctype: str = "C.UTF-8", encoding: str = "UTF8") -> str:
        made.append(f"folding_{uuid4().hex}")
        await admin.execute(
            f"CREATE DATABASE {made[-1]} LC_COLLATE 'C' LC_CTYPE '{ctype}' ENCODING '{encoding}' TEMPLATE template0"
        )
        return cluster.owner_url(made[-1])

    yield database
    for name in made:
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Database]:
    async with Database(PoolSettings(url, "folding-test", size=1)) as database:
        yield database


async def folded(database: Database, folding: Folding | None, texts: tuple[str, ...] = TEXTS) -> list[str]:
    """The texts by this folding, of a column and of something longer, which must be the same."""
    assert folding is not None
    column = sql("name")
    statement = sql(
        "SELECT {short}, {long} FROM unnest({texts}) WITH ORDINALITY AS texts (name, place) ORDER BY place",
        short=folding.of(column, is_simple=True),
        long=folding.of(column, is_simple=False),
        texts=bind(list(texts), "text[]"),
    )
    rows = await database.fetch(statement)
    assert [row[0] for row in rows] == [row[1] for row in rows]
    return [row[0] for row in rows]


@pytest.mark.parametrize("ctype", ["C", "C.UTF-8"])
async def test_full_case_folding_and_no_accents_whatever_the_locale(make: Make, ctype: str) -> None:
    async with opened(await make(ctype)) as database:
        folding = await text_folding(database)
        assert await folded(database, folding.case) == FOLDED
        assert await folded(database, folding.accents) == PLAIN
        assert folding == UNTRIED


@pytest.mark.parametrize("with_schema", [False, True])
async def test_letters_and_marks_go_and_what_is_beside_them_stays(database_url: str, with_schema: bool) -> None:
    if with_schema:
        owner = await asyncpg.connect(database_url)
        await apply_schema(owner)
        await owner.close()
    async with opened(database_url) as database:
        accents = (await text_folding(database)).accents
        assert (accents == UNTRIED.accents) is not with_schema
        assert await folded(database, accents, tuple(OTHERS)) == list(OTHERS.values())
        marked = tuple(f"a{mark}b" for mark in MARKS)
        assert await folded(database, accents, marked) == ["ab"] * len(MARKS)
        beside = tuple(f"a{char}b" for char in BESIDE)
        assert await folded(database, accents, beside) == list(beside)


@pytest.mark.parametrize("ctype", ["C", "C.UTF-8"])
async def test_without_icu_a_locale_of_the_c_library_serves(make: Make, ctype: str) -> None:
    url = await make(ctype)
    await _without_collations(url, "collprovider = 'i'")
    async with opened(url) as database:
        assert await folded(database, (await text_folding(database)).case) == FOLDED


async def test_a_locale_that_knows_fewer_letters_serves_as_far_as_it_goes(make: Make) -> None:
    url = await make("C.UTF-8")
    await _without_collations(url, "collprovider = 'i' OR collname IN ('C.utf8', 'en_US.utf8')")
    # as of a C library that knows the letters of western Europe alone
    await _execute(
        url,
        "CREATE SCHEMA poor; CREATE FUNCTION poor.lower(text) RETURNS text IMMUTABLE STRICT LANGUAGE sql"
        " AS $$ SELECT translate($1, 'AEIORSTÀÉÖ', 'aeiorstàéö') $$;"
        "DO $$ BEGIN"
        " EXECUTE format('ALTER DATABASE %I SET search_path = poor, pg_catalog', current_database()); END $$",
    )
    async with opened(url) as database:
        folding = await text_folding(database)
        assert await folded(database, folding.case, ("Straße", "STRASSE", "ÉTÉ ﬁ")) == ["strasse", "strasse", "été fi"]


async def test_what_a_database_cannot_do_is_not_offered(make: Make) -> None:
    url = await make("C")
    await _without_collations(url, "collname NOT IN ('C', 'POSIX', 'default', 'ucs_basic')")
    async with opened(url) as database:
        folding = await text_folding(database)
        assert (folding.case, folding.accents) == (None, UNTRIED.accents)


async def test_a_database_of_another_encoding(make: Make) -> None:
    url = await make("C", "LATIN1")
    async with opened(url) as database:
        folding = await text_folding(database)
        assert await folded(database, folding.case, ("ÄÉ", "a")) == ["äé", "a"]
        # normalize() is for UTF-8
        assert folding.accents is None
        await _execute(url, 'CREATE SCHEMA "odd one"; CREATE EXTENSION unaccent SCHEMA "odd one"')
        assert await folded(database, (await text_folding(database)).accents, ("ÄÉ", "a")) == ["AE", "a"]


async def test_an_unaccent_that_the_role_may_not_call_is_passed_over(make: Make) -> None:
    url = await make("C", "LATIN1")
    await _execute(
        url, "CREATE SCHEMA odd; CREATE EXTENSION unaccent SCHEMA odd; CREATE ROLE odd_reader LOGIN PASSWORD 'odd'"
    )
    server, _, name = url.rpartition("/")
    async with opened(f"postgresql://odd_reader:odd@{server.rpartition('@')[2]}/{name}") as database:
        assert (await text_folding(database)).accents is None
        await _execute(url, "GRANT USAGE ON SCHEMA odd TO odd_reader")
        assert (await text_folding(database)).accents is not None
    await _execute(url, "DROP OWNED BY odd_reader; DROP ROLE odd_reader")


async def test_a_function_of_the_name_that_takes_no_text_is_another_one(database_url: str) -> None:
    await _execute(
        database_url,
        "CREATE SCHEMA dams; CREATE FUNCTION dams.casefold(date) RETURNS text LANGUAGE sql AS 'SELECT $1::text';"
        "CREATE FUNCTION dams.unaccent(text, text) RETURNS text LANGUAGE sql AS 'SELECT $1'",
    )
    async with opened(database_url) as database:
        assert await text_folding(database) == UNTRIED


@pytest.mark.parametrize(
    ("encoding", "texts"), [("WIN1251", ("ЙЖ", "a")), ("LATIN2", ("ŁÓ", "a")), ("ISO_8859_7", ("ΑΩ", "a"))]
)
async def test_an_encoding_without_the_letters_that_are_tried_first(
    make: Make, encoding: str, texts: tuple[str, ...]
) -> None:
    async with opened(await make("C", encoding)) as database:
        folding = await text_folding(database)
        assert await folded(database, folding.case, texts) == [text.lower() for text in texts]
        assert folding.accents is None


async def test_a_database_of_bytes_without_an_encoding_folds_nothing(make: Make) -> None:
    async with opened(await make("C", "SQL_ASCII")) as database:
        assert await text_folding(database) == TextFolding(None, None)


async def test_functions_of_the_schema_are_used_so_that_indexes_on_them_serve(database_url: str) -> None:
    owner = await asyncpg.connect(database_url)
    await apply_schema(owner)
    await owner.execute(
        "CREATE TABLE places AS SELECT 'Łódź ' || n AS name, 'x' || n AS other FROM generate_series(1, 2000) n;"
        "CREATE INDEX by_case ON places (dams.casefold(name));"
        "CREATE INDEX by_letters ON places (dams.unaccent(other));"
        "CREATE INDEX by_both ON places (dams.unaccent(dams.casefold(name)));"
        "ANALYZE places; SET plan_cache_mode = force_generic_plan"
    )
    async with opened(database_url) as database:
        folding = await text_folding(database)
        assert folding == TextFolding(Folding("dams.casefold({text})"), Folding("dams.unaccent({text})"))
        assert await folded(database, folding.case) == FOLDED
        assert await folded(database, folding.accents) == PLAIN
        assert folding.case
        assert folding.accents
        for index, expression in {
            "by_case": folding.case.of(ident("name"), is_simple=True),
            "by_letters": folding.accents.of(ident("other"), is_simple=True),
            "by_both": folding.accents.of(folding.case.of(ident("name"), is_simple=True), is_simple=False),
        }.items():
            statement = sql(
                "EXPLAIN SELECT * FROM places WHERE {left} = {right}", left=expression, right=bind("a", "text")
            )
            assert index in "".join(row[0] for row in await database.fetch(statement))
    await owner.close()


async def test_functions_that_the_role_may_not_call_are_passed_over(database_url: str) -> None:
    owner = await asyncpg.connect(database_url)
    await apply_schema(owner)
    await owner.execute(
        "CREATE ROLE folding_reader LOGIN PASSWORD 'folds'; GRANT USAGE ON SCHEMA dams TO folding_reader"
    )
    server, _, name = database_url.rpartition("/")
    url = f"postgresql://folding_reader:folds@{server.rpartition('@')[2]}/{name}"
    own = TextFolding(Folding("dams.casefold({text})"), Folding("dams.unaccent({text})"))
    functions = "EXECUTE ON FUNCTION dams.casefold(text), dams.unaccent(text)"
    try:
        async with opened(url) as database:
            assert await text_folding(database) == own
            await owner.execute(f"REVOKE {functions} FROM PUBLIC, folding_reader")
            assert await text_folding(database) == UNTRIED
            await owner.execute(f"GRANT {functions} TO folding_reader")
            assert await text_folding(database) == own
            await owner.execute("REVOKE USAGE ON SCHEMA dams FROM PUBLIC, folding_reader")
            assert await text_folding(database) == UNTRIED
    finally:
        await owner.execute("DROP OWNED BY folding_reader; DROP ROLE folding_reader")
        await owner.close()


async def test_an_index_on_the_expression_itself_serves_as_well(make: Make) -> None:
    url = await make("C")
    for folding in (UNTRIED.case, UNTRIED.accents):
        assert folding is not None
        expression = folding.of(ident("name"), is_simple=True)
        await _execute(url, "DROP TABLE IF EXISTS places; CREATE TABLE places (name text)")
        await _execute(url, "INSERT INTO places SELECT 'a' || n FROM generate_series(1, 2000) n")
        await _execute(url, f"CREATE INDEX the_index ON places (({expression.render()[0]})); ANALYZE places")
        async with opened(url) as database:
            statement = sql("EXPLAIN SELECT * FROM places WHERE {e} = {v}", e=expression, v=bind("a", "text"))
            assert "the_index" in "".join(row[0] for row in await database.fetch(statement))


async def test_it_is_asked_again_while_the_database_is_away(make_database: MakeDatabase) -> None:
    url = await make_database()
    async with opened(url) as database, TextFoldings(database) as foldings:
        assert foldings.current == UNTRIED
    async with opened("postgresql://nobody@127.0.0.1:1/none") as nothing, TextFoldings(nothing) as foldings:
        assert foldings.current == UNTRIED


class AwayAtFirst(Database):
    """Cannot be reached the first time."""

    asked = 0

    async def fetch(self, statement: Sql) -> list[asyncpg.Record]:
        self.asked += 1
        if self.asked == 1:
            raise Unavailable("away")
        return await super().fetch(statement)


async def test_missing_text_folding_is_reported_once(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:

    settings = PoolSettings(await make("C", "SQL_ASCII"), "folding-test", size=1)
    nothing = TextFolding(None, None)
    async with AwayAtFirst(settings) as database, TextFoldings(database) as foldings:
        assert foldings.current == UNTRIED

        async def known() -> None:
            assert foldings.current == nothing

        # long before it is looked at again whether it is still so
        await eventually(known)
    monkeypatch.setattr("libs.pg.text_folding.AGAIN_SECONDS", 0.02)
    async with AwayAtFirst(settings) as database:
        database.asked = 1
        async with TextFoldings(database) as foldings:
            # by the time the block begins
            assert foldings.current == nothing
            before = database.asked

            async def asked_again() -> None:
                assert database.asked > before + 10

            await eventually(asked_again)
        asked = database.asked
        await asyncio.sleep(0.2)
        # no statement follows after the block has ended
        assert database.asked == asked


async def test_a_database_that_has_answered_is_not_asked_again_soon(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("libs.pg.text_folding._SOON_SECONDS", 0.01)
    async with AwayAtFirst(PoolSettings(database_url, "folding-test", size=1)) as database:
        database.asked = 1
        async with TextFoldings(database) as foldings:
            assert foldings.current == UNTRIED
            asked = database.asked
            await asyncio.sleep(0.1)
            assert database.asked == asked


async def test_a_database_that_folds_otherwise_from_now_on_is_followed(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("libs.pg.text_folding.AGAIN_SECONDS", 0.02)
    async with opened(database_url) as database, TextFoldings(database) as foldings:
        assert foldings.current.accents == UNTRIED.accents
        owner = await asyncpg.connect(database_url)
        await apply_schema(owner)
        await owner.close()

        async def followed() -> bool:
            return foldings.current == TextFolding(Folding("dams.casefold({text})"), Folding("dams.unaccent({text})"))

        await eventually(followed)


async def _execute(url: str, statements: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(statements)
    await connection.close()


async def _without_collations(url: str, condition: str) -> None:
    """As in a server that was built without them."""
    await _execute(url, f"SET allow_system_table_mods = on; DELETE FROM pg_collation WHERE {condition}")  # noqa: S608

"""The landing page shows current events, by the collections file, without a database query for each request."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import pytest

from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import sql
from services.common.introspection.introspect import Introspection
from services.common.situation.asked import Asked
from services.common.situation.statement import newest
from tests.eventually import eventually
from tests.services.in_process import Client, services

_TABLES = """
CREATE SCHEMA own;
CREATE TABLE own.quakes (id integer PRIMARY KEY, place text, magnitude real, at timestamptz, withdrawn timestamptz,
                         geom geometry(Point, 4326));
INSERT INTO own.quakes VALUES
    (1, 'Far <b>away</b>', 6.4, now() - interval '50 hours', NULL, 'SRID=4326;POINT(190 10)'),
    (2, 'Weak', 4.0, now() - interval '1 hour', NULL, 'SRID=4326;POINT(1 1)'),
    (3, 'Never was', 7.0, now() - interval '1 hour', now(), 'SRID=4326;POINT(1 1)'),
    (4, 'Long ago', 8.0, now() - interval '90 days', NULL, 'SRID=4326;POINT(1 1)');
CREATE TABLE own.alerts (id integer PRIMARY KEY, title text, alert_level text, begins timestamp, issued timestamp,
                         expires date, source text, geom geometry(MultiPolygon, 3857));
INSERT INTO own.alerts VALUES (7, 'Over', 'Red', now() - interval '9 days', now() - interval '9 days', current_date - 5,
                               'simulated', NULL);
CREATE TABLE own.archive (id integer PRIMARY KEY, at timestamptz);
INSERT INTO own.archive VALUES (1, '2018-02-28T12:00Z');
CREATE TABLE own.storms (id integer PRIMARY KEY, event_id text, title text, at timestamptz);
INSERT INTO own.storms VALUES (1, 'a', 'Small', now() - interval '1 hour'),
    (2, 'b', 'Large', now() - interval '2 days'), (3, 'c', 'Unknown', now() - interval '1 hour'),
    (4, 'd', 'Nobody', now() - interval '1 minute');
CREATE SCHEMA impact;
CREATE TABLE impact.event (event_id text PRIMARY KEY, headline jsonb);
INSERT INTO impact.event SELECT id, jsonb_build_object('zone', '64 kt', 'kind', 'analysed', 'people', people, 'areas',
    jsonb_build_array('Cuba')) FROM (VALUES ('a', 1200), ('b', 5000000), ('d', 0)) AS computed (id, people);
ANALYZE;
"""
_FILE = """
collections:
  own.quakes:
    situation: {title: Strong, at_least: {magnitude: 6}, unset: [withdrawn], days: 20}
  own.alerts:
    datetime_column: [begins, expires]
    issued_column: issued
    situation: {title: Alerts}
  own.archive:
    situation: {title: Old}
  own.storms:
    situation: {title: Storms}
"""


@pytest.fixture
async def owner(database_url: str) -> AsyncIterator[asyncpg.Connection]:
    """Make the database with the tables."""
    connection = await asyncpg.connect(database_url)
    await connection.execute("CREATE EXTENSION IF NOT EXISTS postgis")
    await connection.execute(_TABLES)
    yield connection
    await connection.close()


async def _page(common: Client) -> str:
    answer = await common.get("/", {"f": "html"})
    assert answer.status == 200
    return " ".join(answer.body.decode().split())


async def test_what_is_going_on(database_url: str, owner: asyncpg.Connection, tmp_path: Path) -> None:
    file = tmp_path / "collections.yaml"
    env = {"DAMS_DATABASE_URL": database_url, "DAMS_COLLECTION_SCHEMAS": "own", "DAMS_CATALOGUE_REFRESH_SECONDS": "1"}
    async with services() as running:
        plain = await running.start("common", env)
        assert "Happening now" not in await _page(plain)
        file.write_text(_FILE, encoding="utf-8")
        common = await running.start("common", {**env, "DAMS_COLLECTIONS_CONFIG": str(file)})

        async def told() -> None:
            page = await _page(common)
            assert "M 6.4" in page

        await eventually(told)
        page = await _page(common)
        # of the last days, strong, not withdrawn, and nothing of it is markup
        assert 'Strong <span class="badge">1</span>' in page
        assert "Far &lt;b&gt;away&lt;/b&gt;" in page
        assert "2 days ago" in page
        assert not [name for name in ("Weak", "Never was", "Long ago") if name in page]
        # it leads to the feature
        assert "/collections/own.quakes/items/1?f=html" in page
        # across the antimeridian
        assert "translate(-170.00 -10.00)" in page
        condition = "%22magnitude%22+%3E%3D+6+AND+%22withdrawn%22+IS+NULL"
        assert f"filter={condition}" in page
        # the map shows the features of the list
        assert re.search(
            rf'own.quakes/tiles/WebMercatorQuad/map.html#f.own.quakes={re.escape(condition)}&amp;t=[\d-]+%2F\.\.">',
            page,
        )
        # what is over is said to be over, and simulated
        assert re.search("None active. Data up to <time[^>]*>[^<]*</time>. Most recent:", page)
        assert "ended <time" in page
        # data that end years ago say nothing about the last days
        assert re.search("No current data: the data end on <time[^>]*>28 Feb 2018[^<]*</time>. Most recent:", page)
        assert 'class="simulated">simulated' in page

        # most people first, and unknown numbers before none
        sentences = (
            ">Large: 5.0 million people in winds of 64 kt and more, in Cuba (lower bound: places of 500 people",
            ">Small: 1,200 people in winds of 64 kt and more, in Cuba (",
            ">Unknown<",
            ">Nobody: no listed place lies in winds of 64 kt and more",
        )
        places = [page.index(sentence) for sentence in sentences]
        assert places == sorted(places)

        await owner.execute(
            "WITH clock (utc) AS (SELECT now() at time zone 'UTC') INSERT INTO own.alerts"
            " SELECT 8, 'Begun', 'Orange', utc - interval '4 hours', utc - interval '3.5 hours', NULL::date, '',"
            " 'SRID=3857;MULTIPOLYGON(((0 0, 111319.49 0, 111319.49 111325.14, 0 0)))'::geometry FROM clock UNION ALL"
            " SELECT 9, 'Renewed', 'Orange', utc - interval '9 hours', utc - interval '2.5 hours', NULL, '', NULL"
            " FROM clock"
        )

        async def in_force() -> None:
            page = await _page(common)
            assert 'Alerts <span class="badge">2</span>' in page
            # the newest issue is first
            assert page.index("2 h ago") < page.index("3 h ago")
            assert "Over" not in page
            assert "translate(0.50 -0.50)" in page

        await eventually(in_force)
        # the link is the same for a minute
        assert re.search(r'datetime=[\dT-]{13}%3A\d\d%3A00Z"', await _page(common))


async def test_what_was_last_is_not_counted(database_url: str, owner: asyncpg.Connection) -> None:
    """An index gives the newest of a million earthquakes at once; a count would look at all of them."""
    asked = Asked.model_validate({"title": "Strong", "at_least": {"magnitude": 6}, "unset": ["withdrawn"]})
    async with Database(PoolSettings(database_url, "test")) as database:
        found = {each.name: each for each in await Introspection(database, ("own",)).collections()}
        statement = newest(found["quakes"], asked, datetime.now(UTC), only_present=False)
        rows = await database.fetch(statement)
        plan = "\n".join(row[0] for row in await database.fetch(sql("EXPLAIN {statement}", statement=statement)))
    assert [row["place"] for row in rows] == ["Far <b>away</b>", "Long ago"]
    assert "WindowAgg" not in plan

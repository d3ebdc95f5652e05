"""Filters whose literals are typed so that an index on the column serves them."""

from __future__ import annotations

import asyncpg
import orjson
import pytest

from libs.cql import bbox_predicate, datetime_predicate, lasting_predicate, queryable
from libs.ogc.bbox import BBox
from libs.ogc.temporal import parse_interval
from libs.pg.sql import ident
from libs.pg.text_folding import UNTRIED
from tests.libs.cql.conftest import Table


@pytest.fixture(scope="session")
async def many(db: asyncpg.Connection) -> Table:
    """20,000 rows with an index on each column."""
    await db.execute(
        "CREATE TYPE many_level AS ENUM ('low', 'high');"
        "CREATE TABLE many AS SELECT n AS id, n AS whole, n::bigint AS big, n::real AS single, n::numeric AS exact,"
        " n::double precision AS double, n::text AS words, n::varchar(10) AS short, md5(n::text)::uuid AS code,"
        " timestamptz '2020-01-01Z' + n * interval '1 hour' AS at, date '2020-01-01' + n AS day,"
        " timestamp '2020-01-01' + n * interval '1 hour' AS local, ARRAY[n, n + 1] AS sizes,"
        " ARRAY[n + 0.5::float8] AS halves, ARRAY[md5(n::text)::uuid] AS codes, ARRAY[n::text] AS names,"
        " ARRAY[n::numeric] AS numbers, ARRAY[date '2020-01-01' + n] AS days,"
        " ARRAY[(CASE WHEN n > 19990 THEN 'high' ELSE 'low' END)::many_level] AS levels,"
        " n::char(5) AS fixed, (CASE WHEN n > 19990 THEN 'high' ELSE 'low' END)::many_level AS level,"
        " ST_SetSRID(ST_MakePoint(n % 360 - 180, n % 170 - 85), 4326) AS geom FROM generate_series(1, 20000) n"
    )
    await db.execute(
        "ALTER TABLE many ADD mercator geometry(Point, 3857), ADD utm geometry(Point, 32633),"
        " ADD beyond geometry(Point, 4326);"
        "UPDATE many SET beyond = ST_ShiftLongitude(geom);"
        "UPDATE many SET mercator = ST_Transform(geom, 3857);"
        "UPDATE many SET utm = ST_Transform(geom, 32633) WHERE ST_X(geom) BETWEEN 6 AND 24 AND ST_Y(geom) > 0"
    )
    columns = {"whole": "integer", "big": "bigint", "single": "real", "exact": "numeric", "double": "double precision"}
    columns |= {"words": "text", "short": "character varying(10)", "code": "uuid", "day": "date"}
    columns |= {"at": "timestamp with time zone", "local": "timestamp without time zone"}
    columns |= {"fixed": "character(5)", "level": "many_level"}
    spatial = {"geom": 4326, "mercator": 3857, "utm": 32633, "beyond": 4326}
    for column in columns:
        await db.execute(f"CREATE INDEX ON many ({column})")
    for column in spatial:
        await db.execute(f"CREATE INDEX ON many USING gist ({column})")
    assert UNTRIED.case is not None
    folded, _ = UNTRIED.case.of(ident("words"), is_simple=True).render()
    await db.execute(f"CREATE INDEX ON many ({folded})")
    arrays = {"sizes": "integer[]", "halves": "double precision[]", "codes": "uuid[]", "names": "text[]"}
    arrays |= {"numbers": "numeric[]", "days": "date[]", "levels": "many_level[]"}
    for column in arrays:
        await db.execute(f"CREATE INDEX ON many USING gin ({column})")
    await db.execute("ANALYZE many")
    queryables = {column: queryable(column, sql_type) for column, sql_type in columns.items()}
    queryables["level"] = queryable("level", "many_level", enum=("low", "high"))
    queryables |= {column: queryable(column, sql_type) for column, sql_type in arrays.items()}
    queryables["levels"] = queryable("levels", "many_level[]", enum=("low", "high"))
    queryables |= {column: queryable(column, "geometry", srid=srid) for column, srid in spatial.items()}
    queryables["beyond"] = queryable("beyond", "geometry", srid=4326, geometry_type="Point", turns=(1,))
    return Table(db, "many", queryables)


@pytest.mark.parametrize(
    "text",
    [
        "whole = 5",
        "whole > 19990.5",
        "whole IN (1, 2, 3.0)",
        "whole BETWEEN 5 AND 7",
        "whole > 100000/5-10",
        "big = 5",
        "single = 5",
        "exact IN (5, 6.5)",
        "double < 5",
        "words = '5'",
        "words IN ('5', '6')",
        "short = '5'",
        "short IN ('5', '6')",
        "fixed = '5'",
        "fixed IN ('5', '6')",
        "level = 'high'",
        "level IN ('high')",
        "CASEI(words) IN (CASEI('5'), CASEI('6'))",
        "code = '00000000-0000-4000-8000-000000000001'",
        "at > TIMESTAMP('2022-04-10T00:00:00Z')",
        "at = DATE('2020-02-01')",
        "T_INTERSECTS(at, INTERVAL('2020-02-01', '2020-02-02'))",
        "T_AFTER(at, DATE('2022-04-10'))",
        "local = TIMESTAMP('2020-02-01T00:00:00Z')",
        "day IN (DATE('2020-02-01'), DATE('2020-02-02'))",
        "day = TIMESTAMP('2020-02-01T10:00:00Z')",
        "A_CONTAINS(sizes, (5, 6))",
        "A_CONTAINS(halves, (5.5))",
        "A_CONTAINS(codes, ('00000000-0000-4000-8000-000000000001'))",
        "A_CONTAINS(names, ('5'))",
        "A_CONTAINS(numbers, (5, 5.5))",
        "A_CONTAINS(days, (DATE('2020-02-01')))",
        "A_CONTAINS(levels, ('high'))",
        "S_INTERSECTS(geom, BBOX(1.5, 1.5, 3.5, 30))",
        "S_WITHIN(geom, POLYGON((1 1, 3 1, 3 3, 1 1)))",
        "S_EQUALS(POINT(1 1), geom)",
        "S_INTERSECTS(mercator, BBOX(1.5, 1.5, 3.5, 30))",
        "S_INTERSECTS(utm, BBOX(11.5, 1.5, 13.5, 30))",
        "S_INTERSECTS(beyond, BBOX(-3.5, 1.5, -1.5, 30))",
        "S_INTERSECTS(beyond, POLYGON((-3.5 1.5, -1.5 1.5, -1.5 30, -3.5 1.5)))",
        "S_WITHIN(beyond, POLYGON((-3 1, -1 1, -1 3, -3 1)))",
        "whole = 5 AND words LIKE '5%'",
    ],
)
async def test_the_index_is_used(many: Table, text: str) -> None:
    plan = await many.plan(text)
    assert "Index" in plan, plan
    assert "Seq Scan" not in plan, plan


@pytest.mark.parametrize(
    "text",
    [
        "at >= TIMESTAMP('2020-02-01T00:00:00Z') AND at < TIMESTAMP('2020-02-02T00:00:00Z') AND double > 4",
        "single < 19000 AND day >= DATE('2020-02-01') AND day < DATE('2020-02-02') AND exact >= 4",
    ],
)
async def test_generic_plan_uses_the_index_of_two_bounds(many: Table, text: str) -> None:
    condition, values = many.sql(text).render()
    literals = ", ".join(f"'{value}'" for value in values)
    await many.db.execute(f"PREPARE filtered AS SELECT * FROM many WHERE {condition}")  # noqa: S608
    try:
        async with many.db.transaction():
            await many.db.execute("SET LOCAL plan_cache_mode = force_generic_plan")
            plan = await many.db.fetch(f"EXPLAIN (FORMAT JSON) EXECUTE filtered({literals})")
    finally:
        await many.db.execute("DEALLOCATE filtered")
    found = orjson.loads(plan[0][0])[0]["Plan"]
    used = found["Index Name"] if "Index Name" in found else found["Plans"][0]["Index Name"]
    assert used in ("many_at_idx", "many_day_idx"), found


@pytest.mark.parametrize("text", ["2020-01-03", "../2020-01-03T00:00:00Z", "2022-04-11/..", "2022-04-11T00:00:00Z"])
@pytest.mark.parametrize("not_null", [False, True])
@pytest.mark.parametrize(("start", "end"), [("at", "local"), ("local", "at"), ("at", "at")])
async def test_the_indexes_of_a_start_and_an_end_are_used(
    many: Table, start: str, end: str, text: str, not_null: bool
) -> None:
    interval, columns = parse_interval(text), many.queryables
    condition = lasting_predicate(
        columns[start], columns[end], interval, start_not_null=not_null, end_not_null=not_null
    )
    plan = await many.plan(condition)
    assert "Index" in plan, plan
    assert "Seq Scan" not in plan, plan


@pytest.mark.parametrize("not_null", [False, True])
async def test_the_indexes_of_boxes_and_times_are_used_where_nulls_match(many: Table, not_null: bool) -> None:
    box, interval = BBox(1, 1, 1.5, 1.5), parse_interval("2020-01-03")
    for condition in (
        bbox_predicate(many.queryables["geom"], box, not_null=not_null),
        bbox_predicate(many.queryables["geom"], box._replace(west=179, east=-179), not_null=not_null),
        datetime_predicate(many.queryables["at"], interval, not_null=not_null),
    ):
        plan = await many.plan(condition)
        assert "Index" in plan, plan
        assert "Seq Scan" not in plan, plan
        assert ("IS NULL" in plan) is not not_null


def test_a_start_must_be_a_time(many: Table) -> None:
    columns = many.queryables
    for pair in (("whole", "at"), ("at", "whole")):
        with pytest.raises(ValueError, match="whole is not a date or timestamp"):
            lasting_predicate(columns[pair[0]], columns[pair[1]], parse_interval("2020-01-03"))

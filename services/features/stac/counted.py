"""What deploy.impact has counted for several events, read with one statement."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from libs.catalogue.impacts import FORMAT
from libs.ogc.temporal import rfc3339
from libs.pg.pool import Database
from libs.pg.sql import bind, sql
from services.features.stac.country_codes import alpha_3

_ZONES = sql("impact -> 'zones'")
_COUNTRIES = sql("""jsonb_path_query_array(impact, '$.zones[*].countries[*] ? (@.people > 0)')""")


@dataclass(frozen=True, slots=True)
class Counted:
    """The countries with people in the zones of an event, and the zones if they were requested."""

    computed: str
    has_raster: bool
    countries: Sequence[str] = ()
    """Codes of ISO 3166-1 alpha-3."""
    zones: Sequence[Mapping[str, Any]] = ()


async def counted(database: Database, events: Sequence[str], *, zones: bool) -> dict[str, Counted]:
    """Return what is counted, by event, of those that are computed; with `zones` also the tables. Raise Unavailable."""
    rows = await database.fetch(
        sql(
            "SELECT event_id, computed, {tables}::text AS tables, "
            "EXISTS (SELECT FROM impact.raster r WHERE r.event_id = e.event_id) AS has_raster "
            "FROM impact.event e WHERE event_id = ANY({events}) AND (impact ->> 'format')::int = {format}",
            tables=_ZONES if zones else _COUNTRIES,
            events=bind([event for event in events if "\0" not in event], "text[]"),
            format=bind(FORMAT, "int4"),
        )
    )
    tables = {row["event_id"]: orjson.loads(row["tables"] or "[]") for row in rows}
    countries = {
        event: [country for zone in found for country in zone["countries"]] if zones else found
        for event, found in tables.items()
    }
    return {
        row["event_id"]: Counted(
            computed=rfc3339(row["computed"].replace(microsecond=0)),
            has_raster=row["has_raster"],
            countries=[code for country in countries[row["event_id"]] if (code := alpha_3(country["code"]))],
            zones=tables[row["event_id"]] if zones else (),
        )
        for row in rows
    }

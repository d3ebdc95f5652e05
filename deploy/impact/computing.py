"""Computes the impacts of events that are not computed yet or whose rows have changed, and stores them."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import asyncpg
import orjson
import shapely
from rasterio.errors import RasterioError

from deploy.impact import zones
from deploy.impact.counting import count_cells
from deploy.impact.documents import (
    PLACES,
    STORM_KT,
    Tables,
    facilities_document,
    has_facilities,
    headline,
    impact_document,
)
from deploy.impact.methods import method
from deploy.impact.modelled import SOURCE, modelled_zones
from deploy.impact.population import PopulationRaster, RasterError
from deploy.impact.raster import intensity_raster
from deploy.impact.shaking import make_shaking

BATCH = 100
"""Most events of a transaction."""

_FAULTS = (
    asyncpg.DataError, asyncpg.InternalServerError, RasterioError, shapely.errors.ShapelyError,
    ArithmeticError, LookupError, TypeError, ValueError,
)  # fmt: skip
"""Faults of one event, rather than of the database or of the connection to it."""
_PROGRAM = b"".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))
"""The source of this program at its start: files replaced later do not change the running program."""
_FAILED = "The figures could not be computed, because of an error. The worker tries again."

_PUBLISHED = {
    "shakemap_url": "ShakeMap",
    "population_impact_url": "Population impact",
    "facility_exposure_url": "Facility exposure",
    "ground_failure_url": "Ground failure",
    "rainfall_url": "Rainfall",
    "detail_url": "All products",
    "url": "Event page",
}
_CERTAINTY = {"alert": 1, "forecast": 2}
"""Order of the kinds of zones; the others are first."""
_USGS_PAGE = "https://earthquake.usgs.gov/earthquakes/eventpage/"
_USGS_PAGES = {
    "ShakeMap": ("ShakeMap", "shakemap/intensity"),
    "Population impact": ("PAGER", "pager"),
    "Ground failure": ("Ground failure", "ground-failure/summary"),
}
"""Products by their usual name: that at the USGS, and what follows the address of the page of the event."""
_STORE = """
INSERT INTO impact.event (event_id, segment, hazard, digest, has_zones, has_facilities, headline, impact, facilities)
VALUES ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8::text::jsonb, $9::text::jsonb)
ON CONFLICT (event_id) DO UPDATE SET hazard = excluded.hazard, digest = excluded.digest, computed = now(),
    has_zones = excluded.has_zones, has_facilities = excluded.has_facilities, headline = excluded.headline,
    impact = excluded.impact, facilities = excluded.facilities
"""


async def due(connection: asyncpg.Connection) -> list[asyncpg.Record]:
    """Return the events to compute, the newest first: event_id, hazard, digest. Raise asyncpg.PostgresError."""
    await connection.execute(zones.MAKE_UNIT_PARTS)
    events = await connection.fetch(zones.EVENTS, await _basis(connection))
    stored = dict(await connection.fetch("SELECT event_id, digest FROM impact.event"))
    changed = [event for event in events if stored.get(event["event_id"]) != event["digest"]]
    return sorted(changed, key=lambda event: event["time"], reverse=True)


async def compute(
    connection: asyncpg.Connection,
    events: Sequence[asyncpg.Record],
    say: Callable[[str], None] = lambda _: None,
    raster: PopulationRaster | None = None,
) -> int:
    """Compute and store events, a transaction for each hundred; return how many. Raise asyncpg.PostgresError.

    An event whose computation fails gets no figures, says so, and stays due: the others must not wait for it. `say` is
    called with each failure. `raster`: the people to count, instead of those of listed places.
    """
    # cells take longer than places, and other events must not wait for minutes
    size = BATCH if raster is None else BATCH // 4
    for start in range(0, len(events), size):
        batch = events[start : start + size]
        try:
            async with connection.transaction():
                await _compute(connection, batch, raster)
        except _FAULTS:
            for event in batch:
                await _compute_alone(connection, event, say, raster)
        await connection.execute(zones.SEEN, None)
    return len(events)


async def _compute_alone(
    connection: asyncpg.Connection, event: asyncpg.Record, say: Callable[[str], None], raster: PopulationRaster | None
) -> None:
    try:
        async with connection.transaction():
            await _compute(connection, [event], raster)
    except _FAULTS as error:
        say(f"error: event {event['event_id']}: {type(error).__name__}: {error}")
        nothing = Tables(missing=[_FAILED])
        title = (dict(await connection.fetch(zones.TITLES, [event["event_id"]]))).get(event["event_id"])
        async with connection.transaction():
            datasets = await connection.fetch("SELECT * FROM exposure.dataset ORDER BY dataset")
            for table in ("raster", "zone"):
                await connection.execute(f"DELETE FROM impact.{table} WHERE event_id = $1", event["event_id"])  # noqa: S608
            row = _row(event, title or event["event_id"], nothing, datasets, facts={}, is_final=False)
            await connection.execute(_STORE, *row)


async def forget(connection: asyncpg.Connection) -> int:
    """Delete the impacts of events that are in no table; return their number. Raise asyncpg.PostgresError."""
    gone = await connection.fetch(
        f"DELETE FROM impact.event e WHERE NOT EXISTS (SELECT FROM ({zones.EVENTS}) known "  # noqa: S608 - constants
        "WHERE known.event_id = e.event_id) RETURNING event_id",
        "",
    )
    return len(gone)


async def _basis(connection: asyncpg.Connection) -> str:
    """Return a digest of the exposure data and of this program, which every impact depends on."""
    digest = hashlib.sha256(_PROGRAM)
    for row in await connection.fetch("SELECT dataset, fingerprint FROM exposure.dataset ORDER BY dataset"):
        digest.update(f"{row['dataset']}={row['fingerprint']};".encode())
    for row in await connection.fetch("SELECT dataset, problem FROM exposure.problem ORDER BY dataset"):
        digest.update(f"{row['dataset']}: {row['problem']};".encode())
    digest.update((await connection.fetchval(zones.UNITS_DIGEST)).encode())
    return digest.hexdigest()


async def _compute(
    connection: asyncpg.Connection, events: Sequence[asyncpg.Record], raster: PopulationRaster | None
) -> None:
    ids = [event["event_id"] for event in events]
    datasets = await connection.fetch("SELECT * FROM exposure.dataset ORDER BY dataset")
    earthquakes = {
        row["event_id"]: row
        for row in await connection.fetch(
            f"SELECT * FROM ({zones.EARTHQUAKES}) e WHERE event_id = ANY($1::text[])",  # noqa: S608 - constant
            ids,
        )
    }
    storms = {
        row["event_id"]: row
        for row in await connection.fetch(
            f"SELECT * FROM ({zones.STORMS}) s WHERE event_id = ANY($1::text[])",  # noqa: S608 - constant
            ids,
        )
    }
    published: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in await connection.fetch(
        f"SELECT * FROM ({zones.LINKS}) l WHERE event_id = ANY($1::text[]) ORDER BY event_id, place, url, source",  # noqa: S608 - constant
        ids,
    ):
        published[row["event_id"]].append(
            {"title": _PUBLISHED[row["name"]], "url": row["url"], "source": row["source"]}
        )
    for listed in published.values():
        _point_to_pages(listed)
    titles = dict(await connection.fetch(zones.TITLES, ids))
    tables = await _tables(connection, ids, earthquakes, storms)
    problems = await connection.fetch("SELECT dataset, problem FROM exposure.problem ORDER BY dataset")
    rows: list[tuple[object, ...]] = []
    rasters: list[tuple[str, str, bytes]] = []
    for event in events:
        found = tables[event["event_id"]]
        is_final = True
        if not found.zones and not found.missing:
            found.missing.append("No collection has zones of this event.")
        if not any(each["dataset"] == PLACES for each in datasets):
            # without exposure data the number of people is unknown, not 0
            found.zones.clear()
            found.missing.append("No exposure data are loaded.")
        elif raster is not None and found.zones:
            try:
                await count_cells(connection, raster, event["event_id"], found)
            except RasterError as error:
                found.missing.append(f"The population raster was not counted, as {error}.")
                is_final = False
        for each in problems:
            (found.without if each["dataset"].startswith("facilities") else found.missing).append(each["problem"])
        storm = storms.get(event["event_id"])
        title = titles.get(event["event_id"]) or event["event_id"]
        facts = {"category": storm["category"], "basin": storm["basin"], "name": storm["name"]} if storm else {}
        links = published[event["event_id"]]
        rows.append(_row(event, title, found, datasets, published=links, facts=facts, is_final=is_final))
        tags = {"EVENT_ID": event["event_id"], "TITLE": title, "VERSION": event["digest"], **_sources(found)}
        tags["METHOD"] = method(event["hazard"], found.kinds)["name"]
        if (tif := intensity_raster(event["hazard"], found.shapes, tags)) is not None:
            rasters.append((event["event_id"], event["digest"], tif))
    await connection.executemany(_STORE, rows)
    await _store_zones(connection, events, tables)
    await connection.execute("DELETE FROM impact.raster WHERE event_id = ANY($1::text[])", ids)
    await connection.executemany("INSERT INTO impact.raster (event_id, digest, tif) VALUES ($1, $2, $3)", rasters)


def _row(
    event: asyncpg.Record,
    title: str,
    found: Tables,
    datasets: Sequence[asyncpg.Record],
    *,
    published: Sequence[dict[str, Any]] = (),
    facts: dict[str, Any],
    is_final: bool,
) -> tuple[object, ...]:
    """Return the row of impact.event; one that is not final stays due."""
    hazard, has_zones = event["hazard"], bool(found.zones)
    impact = impact_document(hazard, title, found, datasets, published)
    head = headline(hazard, impact, facts)
    return (
        event["event_id"],
        quote(event["event_id"], safe=""),
        hazard,
        event["digest"] if is_final else f"again {event['digest']}",
        has_zones,
        has_zones and has_facilities(datasets),
        None if head is None else orjson.dumps(head).decode(),
        orjson.dumps(impact).decode(),
        orjson.dumps(facilities_document(hazard, title, found, datasets)).decode(),
    )


async def _tables(
    connection: asyncpg.Connection,
    ids: Sequence[str],
    earthquakes: dict[str, asyncpg.Record],
    storms: Iterable[str],
) -> defaultdict[str, Tables]:
    found: defaultdict[str, Tables] = defaultdict(Tables)
    await connection.execute("SET LOCAL client_min_messages = warning")
    await connection.execute(zones.MAKE_ZONES, ids)
    for row in await connection.fetch(zones.POLYGON_FACTS):
        found[row["event_id"]].zones.append(dict(row))
    for row in await connection.fetch(zones.SHAPES):
        found[row["event_id"]].shapes[row["kind"], row["zone"]] = shapely.from_wkb(row["wkb"])
    await connection.execute(zones.MAKE_PARTS)
    await make_shaking(connection, earthquakes, found)
    without = [event for event in storms if not any(zone["rank"] >= STORM_KT for zone in found[event].zones)]
    for made in await modelled_zones(connection, without):
        zone = f"{made.wind_kt} kt"
        await connection.execute(zones.ADD_POLYGON, made.event_id, "estimated", zone, True, made.wkb)
        found[made.event_id].shapes["estimated", zone] = made.geometry
        found[made.event_id].zones.append(
            {"kind": "estimated", "zone": zone, "rank": float(made.wind_kt), "sources": [SOURCE], "km2": made.km2}
        )
    for each in found.values():
        # what happened before what is warned of, forecasts last, the strongest first
        each.zones.sort(key=lambda zone: (_CERTAINTY.get(zone["kind"], 0), -zone["rank"], zone["zone"]))
    for table in ("place", "facility"):
        await connection.execute(zones.members(table))
    for statement, name in (
        (zones.PEOPLE, "people"),
        (zones.LARGEST, "largest"),
        (zones.FACILITIES, "facilities"),
        (zones.AREAS, "areas"),
    ):
        for row in await connection.fetch(statement):
            getattr(found[row["event_id"]], name).append(row)
    for row in await connection.fetch(zones.PEOPLE_OF_ADVISORIES, ids):
        found[row["event_id"]].advisories.append(row)
    return found


async def _store_zones(
    connection: asyncpg.Connection, events: Sequence[asyncpg.Record], tables: Mapping[str, Tables]
) -> None:
    """Store the zones that were made: no table of schema hazard has them as areas."""
    made = [
        (event["event_id"], kind, zone, shapely.to_wkb(shapely.set_srid(shape, 4326), include_srid=True))
        for event in events
        for (kind, zone), shape in tables[event["event_id"]].shapes.items()
        if kind == "estimated" or event["hazard"] == "earthquake"
    ]
    await connection.execute(
        "DELETE FROM impact.zone WHERE event_id = ANY($1::text[])", [event["event_id"] for event in events]
    )
    await connection.executemany(
        "INSERT INTO impact.zone (event_id, kind, zone, geom) VALUES ($1, $2, $3, $4::bytea::geometry)", made
    )


def _sources(tables: Tables) -> dict[str, str]:
    """What a raster says of the origin of its zones."""
    sources = sorted({source for zone in tables.zones for source in zone["sources"] or []})
    return {"SOURCE": "; ".join(sources)} if sources else {}


def _point_to_pages(published: list[dict[str, Any]]) -> None:
    """Replace what the USGS lists in one JSON document by the pages of its event that show it."""
    page = next((each["url"] for each in published if each["url"].startswith(_USGS_PAGE)), None)
    for each in published:
        if page is not None and each["source"] == "USGS" and each["title"] in _USGS_PAGES:
            each["title"], behind = _USGS_PAGES[each["title"]]
            each["url"] = f"{page.rstrip('/')}/{behind}"

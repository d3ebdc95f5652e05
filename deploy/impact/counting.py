"""Replaces the people of listed places by those of a population raster, where the raster has values on all land."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import asyncpg
import shapely

from deploy.impact import zones
from deploy.impact.documents import Tables, Total
from deploy.impact.population import Cells, PopulationRaster

LEAST_COVERED = 0.95
"""Share of the land of a zone in which the raster must have values. Coasts of raster and land differ a little."""

_Key = tuple[str, str]


async def count_cells(connection: asyncpg.Connection, raster: PopulationRaster, event: str, found: Tables) -> None:
    """Put the people of the raster into the tables of an event; else say in `missing` why places are counted.

    A partial sum never stands for a total: one zone that the raster does not cover is enough to count places instead.

    Raise RasterError, asyncpg.PostgresError.
    """
    land = await connection.fetch(zones.LAND, event)
    rows = await connection.fetch(zones.ADVISORY_SHAPES, event)
    reached = await connection.fetch(zones.ADVISORY_LAND, event) if rows else []
    pieces = [piece for row in reached if (piece := shapely.from_wkb(row["wkb"])) is not None and piece.area]
    advised = [shapely.from_wkb(row["wkb"]) for row in rows]
    keys = [(zone["kind"], zone["zone"]) for zone in found.zones]
    with raster.reading([*found.shapes.values(), *advised]):
        shapes = [shapely.from_wkb(row["wkb"]) for row in land]
        cells = dict(zip([_names(row) for row in land], raster.count(shapes), strict=True))
        areas = dict(zip([_names(row) for row in land], [shape.area for shape in shapes], strict=True))
        for key in keys:
            of_zone = [(cells[names], areas[names]) for names in cells if names[:2] == key and names[4] is None]
            if _is_gap(covered := _share_covered(of_zone)):
                found.missing.append(_describe_gap(raster, f"{covered:.0%} of the land in the zone {key[1]}"))
                return
        of_advisories = [(each, piece.area) for each, piece in zip(raster.count(pieces), pieces, strict=True)]
        if _is_gap(covered := _share_covered(of_advisories)):
            found.missing.append(_describe_gap(raster, f"{covered:.0%} of the land in the zones of the advisories"))
            return
        counts = raster.count(advised)
        totals = dict(zip(keys, raster.count([found.shapes[key] for key in keys]), strict=True))
    for key, total in totals.items():
        on_land = sum(each.people for names, each in cells.items() if names[:2] == key and names[4] is None)
        places = sum(row["places"] for row in found.people if (row["kind"], row["zone"]) == key)
        found.totals[key] = Total(round(total.people), places, max(0, round(total.people - on_land)))
    found.people = [row for key in keys for row in _people(event, key, cells, found.people)]
    found.advisories = [{**row, "people": round(each.people)} for row, each in zip(rows, counts, strict=True)]


def _is_gap(covered: float | None) -> bool:
    return covered is not None and covered < LEAST_COVERED


def _names(row: asyncpg.Record) -> tuple[str, str, str | None, str, str | None]:
    return row["kind"], row["zone"], row["country_code"], row["country"], row["province"]


def _share_covered(parts: Sequence[tuple[Cells, float]]) -> float | None:
    """The share of some land in which the raster has values; None without land."""
    area = sum(each for _, each in parts)
    return sum(cells.covered * each for cells, each in parts) / area if area else None


def _describe_gap(raster: PopulationRaster, where: str) -> str:
    return (
        f"{raster.config.title} has values for {where} only. A partial sum would be too low, so the figures count "
        "listed places instead."
    )


def _people(
    event: str, key: _Key, cells: dict[tuple[str, str, str | None, str, str | None], Cells], places: Sequence[Any]
) -> list[dict[str, Any]]:
    """The people of a zone by country and province, the most first; people outside all known provinces without one."""
    listed: defaultdict[tuple[str | None, str | None], int] = defaultdict(int)
    for row in places:
        if (row["kind"], row["zone"]) == key:
            listed[row["country_code"], row["province"]] += row["places"]
    countries = {names[2:4]: each for names, each in cells.items() if names[:2] == key and names[4] is None}
    rows = []
    for (code, country), total in countries.items():
        provinces = {
            names[4]: each
            for names, each in cells.items()
            if names[:2] == key and names[2:4] == (code, country) and names[4] is not None
        }
        other = max(0.0, total.people - sum(each.people for each in provinces.values()))
        counted = [(name, each.people, listed[code, name]) for name, each in provinces.items()]
        places_left = sum(
            number for (of, name), number in listed.items() if of == code and name not in provinces and code is not None
        )
        for province, people, number in [*counted, (None, other, places_left)]:
            if round(people) or number:
                rows.append(
                    {
                        "event_id": event, "kind": key[0], "zone": key[1], "country_code": code, "country": country,
                        "province": province, "people": round(people), "places": number,
                    }
                )  # fmt: skip
    return sorted(rows, key=lambda row: (-row["people"], row["country"], row["province"] or ""))

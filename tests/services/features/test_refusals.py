"""The errors of refused requests: which parameter, which part of it, and the fault."""

from __future__ import annotations

from typing import Any

import pytest

from tests.services.in_process import Client

COLLECTION = "/collections/hostile.events"
ITEMS = f"{COLLECTION}/items"
MERCATOR = "http://www.opengis.net/def/crs/EPSG/0/3857"
DAMAGED = "is damaged; start again without it"


def fault(name: str, words: str, given: Any, kind: str = "value_error") -> dict[str, Any]:
    return {"type": kind, "loc": ["query", name], "msg": words, "input": given}


@pytest.mark.parametrize(
    ("path", "parameters", "faults"),
    [
        (
            f"{ITEMS}/1",
            {"magnitude": "5", "f": "json"},
            [
                fault(
                    "magnitude",
                    "magnitude is not a parameter of a feature: it is chosen by its id",
                    "5",
                    "extra_forbidden",
                )
            ],
        ),
        *(
            (
                path,
                {"geometry": "lonlat", "f": form},
                [fault("geometry", "geometry is for rows alone: f=json, csv, ndjson", "lonlat", "enum")],
            )
            for path, form in ((ITEMS, "geojson"), (ITEMS, "html"), (f"{ITEMS}/1", "fgb"), (f"{ITEMS}/1", "html"))
        ),
        (ITEMS, {"bom": "true", "f": "html"}, [fault("bom", "bom is for CSV alone", "true")]),
        (
            ITEMS,
            {"cursor": "x", "offset": "7", "geometry": "lonlat", "geom-column": "none", "f": "csv"},
            [
                fault("cursor", f"cursor {DAMAGED}", "x"),
                fault("offset", "offset and cursor cannot be combined", 7),
                fault("geometry", "geometry=lonlat is for points; the geometry here is none", "lonlat", "enum"),
            ],
        ),
        (
            ITEMS,
            {"geometry": "lonlat", "crs": MERCATOR, "f": "csv"},
            [
                fault(
                    "geometry",
                    "geometry=lonlat gives longitude and latitude: it cannot be combined with another crs",
                    "lonlat",
                    "enum",
                )
            ],
        ),
        (
            f"{COLLECTION}/feed",
            {"last": "P1D", "datetime": "2020-01-01/.."},
            [fault("last", "last and datetime cannot be combined", "P1D")],
        ),
        (
            f"{COLLECTION}/feed",
            {"last": "PX"},
            [
                fault(
                    "last", "last must be a duration of weeks, days, hours and minutes, such as P1D, PT6H or P2W", "PX"
                )
            ],
        ),
        (
            f"{COLLECTION}/facets",
            {"facets": "category", "f": "geojson"},
            [fault("facets", "facets must be one facet of places for GeoJSON, such as geom:grid:5", "category")],
        ),
        (f"{COLLECTION}/export", {"bom": "true", "f": "geojson"}, [fault("bom", "bom is for CSV alone", "true")]),
    ],
)
async def test_all_that_is_wrong_with_parameters_is_said(
    features: Client, path: str, parameters: dict[str, str], faults: list[dict[str, Any]]
) -> None:
    answer = await features.get(path, parameters)
    assert (answer.status, answer.type, answer.json()) == (422, "application/json", {"detail": faults})


@pytest.mark.parametrize(
    ("path", "status", "detail"),
    [
        (f"{ITEMS}/none", 404, "There is no item 'none' in collection 'hostile.events'."),
        (f"{ITEMS}/999999?f=html", 404, "There is no item '999999' in collection 'hostile.events'."),
        ("/events/n%2Fone", 404, "No collection has features of an event 'n/one'."),
        *(
            (f"/collections/hostile.none{path}", 404, "There is no collection 'hostile.none'.")
            for path in ("/items", "/items/1", "/items/1/cap", "/schema", "/queryables", "/sortables", "/export")
        ),
        *(
            (f"/collections/hostile.none{path}", 404, "There is no collection 'hostile.none'.")
            for path in ("/facets", "/feed", "/changes")
        ),
        (
            f"{ITEMS}/1/cap",
            404,
            "Features of collection 'hostile.events' are no alerts: they say not when they were issued and expire.",
        ),
    ],
)
async def test_what_there_is_not_is_named(features: Client, path: str, status: int, detail: str) -> None:
    answer = await features.get(path)
    assert (answer.status, answer.json()) == (status, {"detail": detail})
    assert answer.headers["Cache-Control"] == "no-store"


async def test_who_accepts_no_file_is_told_what_is_offered(features: Client) -> None:
    answer = await features.get(f"{COLLECTION}/export", headers={"Accept": "image/png"})
    assert answer.status == 406
    words = answer.json()["detail"]
    assert words.startswith(
        "none of the accepted media types is offered; offered are application/geo+json (f=geojson),"
    )
    assert "text/html" not in words

"""GET /places: find a place by its name. GET /places/within: the towns in an area."""

import csv
from collections.abc import Iterable
from io import StringIO
from typing import Any

from aiohttp import web

from libs.ogc.media_type import name_format
from libs.web.app import Call
from libs.web.conditional import conditional
from libs.web.respond import body_response, json_response
from services.viewer.gazetteer import Place
from services.viewer.resources import GAZETTEER

_GEOJSON = "application/geo+json"
_CSV = "text/csv"
_CACHE = "public, max-age=3600"
_WIDEST = 40
"""Maximum width in degrees, wider than any storm's winds: the towns of all of Europe take a tenth of a second."""
_BYTE_ORDER_MARK = "\ufeff"
"""Without it, Excel shows accents incorrectly."""
_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}

name_format("geojson", _GEOJSON, "GeoJSON")
name_format("csv", _CSV, "CSV")


async def get_places(call: Call) -> web.StreamResponse:
    """Return towns, provinces and countries as GeoJSON, the most important first."""
    call.query.check()
    places = call.request.app[GAZETTEER].search(call.query.values["q"], call.query.values["limit"])
    document = {"type": "FeatureCollection", "features": [_feature(place) for place in places]}
    return conditional(call.request, json_response(document, media_type=_GEOJSON), cache_control=_CACHE)


async def get_places_within(call: Call) -> web.StreamResponse:
    """Return the towns whose centre lies in the area, those with most people first."""
    numbers: list[float] = call.query.values["area"] or []
    if len(numbers) % 2:
        call.query.fault("area", "area must have a latitude for each longitude")
    elif any(abs(latitude) > 90 for latitude in numbers[1::2]):
        call.query.fault("area", "area must have latitudes from -90 to 90")
    elif any(abs(longitude) > 540 for longitude in numbers[::2]):
        call.query.fault("area", "area must have longitudes from -540 to 540")
    elif numbers and max(max(part) - min(part) for part in (numbers[::2], numbers[1::2])) > _WIDEST:
        call.query.fault("area", f"area must not be wider or higher than {_WIDEST} degrees")
    separator = call.query.values["separator"]
    if separator and call.media_type != _CSV:
        call.query.fault("separator", "separator is for CSV alone", "enum", separator)
    call.query.check()
    ring = list(zip(numbers[::2], numbers[1::2], strict=True))
    places, matched = call.request.app[GAZETTEER].find_within(ring, call.query.values["limit"])
    if call.media_type == _CSV:
        response = body_response(_lines(places, _SEPARATORS[separator or "comma"]), media_type=_CSV)
    else:
        features = [_feature(place) for place in places]
        document = {"type": "FeatureCollection", "features": features, "numberMatched": matched}
        response = json_response(document | {"numberReturned": len(features)}, media_type=_GEOJSON)
    return conditional(call.request, response, cache_control=_CACHE)


def _feature(place: Place) -> dict[str, Any]:
    properties = {
        "name": place.name,
        "kind": place.kind,
        "province": place.province,
        "country": place.country,
        "people": place.people,
    }
    box = {"bbox": list(place.bbox)} if place.bbox else {}
    geometry = {"type": "Point", "coordinates": list(place.position)}
    return {"type": "Feature", **box, "geometry": geometry, "properties": properties}


def _lines(places: Iterable[Place], separator: str) -> bytes:
    text = StringIO(_BYTE_ORDER_MARK)
    text.seek(0, 2)
    writer = csv.writer(text, delimiter=separator, lineterminator="\r\n")
    writer.writerow(("name", "province", "country", "people", "longitude", "latitude"))
    writer.writerows((each.name, each.province, each.country, each.people, *each.position) for each in places)
    return text.getvalue().encode()

"""What links and faults repeat of the parameters of items."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.services.in_process import Client

_EVENTS = "/collections/hostile.events/items"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("datetime", "2020-01-03T00:00:00/..", "2020-01-03T00:00:00Z/.."),
        ("at", "2020-01-03T02:00:00+02:00", "2020-01-03T00:00:00Z"),
        ("at", "2020-01-03T00:00:00", "2020-01-03T00:00:00Z"),
        # looks like a time, and is a name
        ("name", "2020-01-03T00:00:00", "2020-01-03T00:00:00"),
        ("filter", "at > TIMESTAMP('2020-01-03T00:00:00')", "at > TIMESTAMP('2020-01-03T00:00:00Z')"),
    ],
)
async def test_links_say_times_in_utc(features: Client, name: str, text: str, said: str) -> None:
    answer = await features.get(_EVENTS, {name: text, "limit": "1", "f": "geojson"})
    link = answer.link("self")
    assert link
    assert parse_qs(urlsplit(link).query)[name] == [said]


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"geometry": "lonlat", "crs": "http://www.opengis.net/def/crs/EPSG/0/3857", "f": "ndjson"}, "geometry"),
        ({"geometry": "lonlat", "geom-column": "none", "f": "ndjson"}, "geometry"),
        # the beginning of a packed one, without what it holds
        ({"cursor": "zAAAA.x"}, "cursor"),
    ],
)
async def test_faults_name_their_parameter(features: Client, parameters: dict[str, str], name: str) -> None:
    answer = await features.get(_EVENTS, parameters)
    assert answer.status == 422
    assert [fault["loc"] for fault in answer.json()["detail"]] == [["query", name]]

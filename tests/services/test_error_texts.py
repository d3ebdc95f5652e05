"""A fault's sentence says what to write instead."""

from __future__ import annotations

import pytest

from tests.services.in_process import Services

ITEMS = "/collections/hostile.events/items"
EXPORT = "/collections/hostile.events/export"
FEED = "/collections/hostile.events/feed"
TILE = "/collections/hostile.events/tiles/WebMercatorQuad/0/0/0"


@pytest.mark.parametrize(
    ("path", "query", "sentence"),
    [
        # "+" arrives as a blank
        (ITEMS, "datetime=2018-01-01T00:00:00+02:00/..", "blank before its offset; in an address write + as %2B"),
        (ITEMS, "filter=zzzzzz=1", 'there is no property "zzzzzz"; there are id, '),
        (ITEMS, "LIMIT=5", "'LIMIT' is not a parameter here; did you mean limit?"),
        (ITEMS, "F=json", "'F' is not a parameter here; did you mean f?"),
        (ITEMS, "zzzzzz=5", "'zzzzzz' is not a parameter here, and 'zzzzzz' is not a property of this collection"),
        (TILE, "f=csv", "f must be one of mvt, json, html"),
        (EXPORT, "limit=3", "'limit' is not a parameter here, and 'limit' is not a property of this collection"),
        (FEED, "sortby=id", "'sortby' is not a parameter here, and 'sortby' is not a property of this collection"),
        (TILE, "F=mvt", "'F' is not a parameter here; did you mean f?"),
        (TILE, "Filter=magnitude%3E5", "'Filter' is not a parameter here; did you mean filter?"),
        (ITEMS, "datetime-column=magnitude", "datetime-column 'magnitude' is no time; there are "),
        (ITEMS, "datetime-column=zzz", "datetime-column 'zzz' does not exist; there are "),
        (ITEMS, "geom-column=magnitude", "geom-column 'magnitude' is no geometry; there are "),
        (ITEMS, "sortby=-", "sortby: the name of a property is missing"),
        (ITEMS, "sortby=magnitude,", "sortby: the name of a property is missing"),
        (ITEMS, "filter=name%20ILIKE%20'a'", "write CASEI(property) LIKE CASEI('%text%')"),
        (ITEMS, "filter=DWITHIN(geom,POINT(1%202),5,'km')", "S_DWITHIN(geometry, POINT(longitude latitude), metres)"),
        (TILE, "filter=S_DWITHIN(geom,POINT(1%202),5,'yards')", "'yards' is no unit of S_DWITHIN; there are meters"),
        (ITEMS, "filter=S_DWITHIN(geom,POINT(1%202),-1)", "the distance of S_DWITHIN must not be below 0"),
    ],
)
async def test_what_to_write_instead(running: Services, path: str, query: str, sentence: str) -> None:
    answer = await running["tiles" if path == TILE else "features"].get(f"{path}?{query}")
    assert answer.status == 422
    (fault,) = answer.json()["detail"]
    assert sentence in fault["msg"]
    assert fault["loc"] == ["query", query.partition("=")[0]]


@pytest.mark.parametrize("path", [ITEMS, TILE])
async def test_what_a_sentence_suggests_works(running: Services, path: str) -> None:
    service = running["tiles" if path == TILE else "features"]
    for query in ("datetime=2018-01-01T00:00:00%2B02:00/..", "limit=5", "filter=CASEI(name)%20LIKE%20CASEI('%25A%25')"):
        assert (await service.get(f"{path}?{query}")).status == 200, query

"""profile=jsonfg: the members of JSON-FG, as GDAL's driver reads them, of pages, features and exports."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import orjson
import pyogrio
import pytest
import shapely

from libs.catalogue.model import Collection, Column, TimeColumn
from libs.web.query_params import QueryValues
from services.features.formats.csv import Csv
from services.features.formats.format import FeatureFormat, FileFormat, PageLinks
from services.features.formats.geojson import GeoJson
from services.features.formats.jsonfg import JsonFg, Rfc7946
from services.features.formats.registry import EXPORT_FORMATS, apply_profile
from services.features.rows.layout import Layout, Rows
from tests.services.in_process import Client

EVENTS = "/collections/hostile.events"
MERCATOR = "http://www.opengis.net/def/crs/EPSG/0/3857"
EVENT = Collection("a.b", "a", "b", 1, "table", "B", None, ())
_REGISTER = "http://www.opengis.net/def/profile/OGC/0/"
_PROFILE = f"{_REGISTER}jsonfg"


@pytest.mark.parametrize("address", [f"{EVENTS}/items?limit=3&", f"{EVENTS}/export?ids=1,2,3&", f"{EVENTS}/items/2?"])
async def test_features_say_their_time_type_and_crs(features: Client, address: str) -> None:
    answer = await features.get(f"{address}profile=jsonfg")
    plain = (await features.get(f"{address}profile=rfc7946")).json()
    document = answer.json()
    assert answer.type == "application/geo+json"
    assert f'<{_PROFILE}>; rel="profile"' in answer.headers["Link"]
    assert _PROFILE in [link["href"] for link in document["links"] if link["rel"] == "profile"]
    assert document["conformsTo"] == [
        "http://www.opengis.net/spec/json-fg-1/1.0/conf/core",
        "http://www.opengis.net/spec/json-fg-1/1.0/conf/types-schemas",
    ]
    assert (document["featureType"], "conformsTo" in plain) == ("hostile.events", False)
    assert document["coordRefSys"] == "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
    one_by_one = zip(document.get("features", [document]), plain.get("features", [plain]), strict=True)
    for feature, without in one_by_one:
        assert feature["time"] == {"timestamp": feature["properties"]["at"]}
        assert (feature["geometry"], feature["place"]) == (without["geometry"], None)
        assert feature["properties"] == without["properties"]


async def test_places_are_in_their_crs(features: Client, tmp_path: Path) -> None:
    address = f"{EVENTS}/items?profile=jsonfg&limit=5&crs={MERCATOR}"
    answer = await features.get(address)
    assert answer.json()["coordRefSys"] == MERCATOR
    found = {feature["id"]: feature for feature in answer.json()["features"]}
    assert {feature["geometry"] for feature in found.values()} == {None}
    one = (await features.get(f"{EVENTS}/items/1?profile=jsonfg&crs={MERCATOR}")).json()
    assert (one["coordRefSys"], one["place"]) == (MERCATOR, found[1]["place"])
    file = tmp_path / "page.json"
    file.write_bytes(answer.body)
    meta, _, shapes, columns = pyogrio.raw.read(file)
    assert "3857" in meta["crs"]
    ids = columns[list(meta["fields"]).index("id")]
    for identifier, shape in zip(ids, shapely.from_wkb(shapes), strict=True):
        assert [shape.x, shape.y] == pytest.approx(found[identifier]["place"]["coordinates"])


async def test_other_formats_have_no_profile(features: Client) -> None:
    # without a time, the member `time` is null
    document = await features.json("/collections/hostile.types/items", profile="jsonfg")
    assert {"time", "place"} <= document["features"][0].keys()
    for format_ in ("csv", "geojsonseq", "fgb", "html"):
        answer = await features.get(f"{EVENTS}/items", {"profile": "jsonfg", "f": format_})
        assert answer.status == 200
        assert 'rel="profile"' not in answer.headers.get("Link", "")


@pytest.mark.parametrize(
    ("profile", "used"),
    [
        ("rfc7946", "rfc7946"),
        ("jsonfg-plus", "jsonfg-plus"),
        (f"{_REGISTER}jsonfg", "jsonfg"),
        ("https://example.org/own,rfc7946,jsonfg", "rfc7946"),
        ("https://example.org/own", None),
    ],
)
async def test_the_response_links_to_the_first_profile_that_is_offered(
    features: Client, profile: str, used: str | None
) -> None:
    for address in (f"{EVENTS}/items", f"{EVENTS}/items/2", f"{EVENTS}/export"):
        answer = await features.get(address, {"profile": profile})
        links = [link["href"] for link in answer.json()["links"] if link["rel"] == "profile"]
        assert links == ([f"{_REGISTER}{used}"] if used else [])
        assert ("conformsTo" in answer.json()) is (used in ("jsonfg", "jsonfg-plus"))
        assert (f'<{_REGISTER}{used}>; rel="profile"' in answer.headers["Link"]) is (used is not None)


async def test_a_place_has_no_second_geometry(features: Client) -> None:
    answer = await features.json(f"{EVENTS}/items", profile="jsonfg-plus", crs=MERCATOR)
    assert [link["href"] for link in answer["links"] if link["rel"] == "profile"] == [_PROFILE]


async def test_an_unknown_profile_is_a_fault(features: Client) -> None:
    answer = await features.get(f"{EVENTS}/items", {"profile": "jsonfg,nonsense"})
    (fault,) = answer.json()["detail"]
    assert (answer.status, fault["loc"], fault["type"], fault["input"]) == (
        422,
        ["query", "profile"],
        "enum",
        "nonsense",
    )


@pytest.mark.parametrize(("profile", "name", "kind"), [
    (None, "geojson", GeoJson), (None, "csv", Csv), ("rfc7946", "geojson", Rfc7946), ("jsonfg", "geojson", JsonFg),
    ("jsonfg", "csv", Csv),
])  # fmt: skip
def test_what_a_profile_makes_of_a_format(profile: str | None, name: str, kind: type) -> None:
    query = QueryValues({"profile": profile and [profile]})
    found = apply_profile(_format(name), query, EVENT)
    assert (type(found), query.faults) == (kind, [])
    assert found is not None
    linked = profile is not None and issubclass(kind, GeoJson)
    said = '<http://a>; rel="self"' + (f', <{_REGISTER}{profile}>; rel="profile"' if linked else "")
    assert found.link_header(PageLinks(b"", '<http://a>; rel="self"')) == said


def _format(name: str | None) -> FeatureFormat | FileFormat | None:
    return next((entry for entry in EXPORT_FORMATS.values() if entry.name == name), None)


@pytest.mark.parametrize("crs", [None, MERCATOR])
def test_pages_and_features_say_all_that_the_profile_wants(crs: str | None) -> None:
    layout = Layout(key="id", has_geometry=True, properties=(), raw_json=(), times=(), crs=crs)
    links, point = PageLinks(b'{"href":"http://a","rel":"self"}', ""), {"type": "Point", "coordinates": [1, 2]}
    format_ = JsonFg(EVENT)
    said = {
        "conformsTo": [f"http://www.opengis.net/spec/json-fg-1/1.0/conf/{name}" for name in ("core", "types-schemas")],
        "featureType": "a.b",
        "coordRefSys": crs or "http://www.opengis.net/def/crs/OGC/1.3/CRS84",
    }
    own = [{"href": "http://a", "rel": "self"}, {"href": _PROFILE, "rel": "profile"}]
    places = {"geometry": None, "place": point} if crs else {"geometry": point, "place": None}
    feature = {"type": "Feature", "id": 7, **places, "properties": {}, "time": None}
    row = (7, orjson.dumps(point).decode())
    assert orjson.loads(format_.item(EVENT, layout, row, links)) == {**said, **feature, "links": own}
    pieces = (
        format_.head(EVENT, layout, 2, links),
        *(
            bytes(format_.rows(Rows(layout, rows), first=first))
            for rows, first in (([row], True), ([], False), ([row], False))
        ),
        format_.tail(2),
    )
    page = orjson.loads(b"".join(pieces))
    assert page.pop("timeStamp")
    assert page == {
        **said,
        "type": "FeatureCollection",
        "id": "a.b",
        "title": "B",
        "numberMatched": 2,
        "links": own,
        "features": [feature, feature],
        "numberReturned": 2,
    }


FIRST, LAST = "2020-01-01T00:00:00Z", "2020-06-01T00:00:00Z"


@pytest.mark.parametrize(
    ("format_", "end", "row", "time"),
    [
        ("date-time", "last", (FIRST, LAST), {"interval": [FIRST, LAST]}),
        ("date-time", "last", (FIRST, None), {"interval": [FIRST, ".."]}),
        ("date-time", "last", (None, LAST), {"interval": ["..", LAST]}),
        ("date-time", "last", (None, None), None),
        ("date-time", None, (FIRST, LAST), {"timestamp": FIRST}),
        ("date", None, (FIRST[:10], LAST[:10]), {"date": FIRST[:10]}),
        ("date-time", None, ("[2020-01-01,2020-06-01)", None), None),
    ],
)
def test_the_time_of_a_feature_is_a_moment_a_date_or_from_when_to_when(
    format_: str, end: str | None, row: tuple[str | None, str | None], time: object
) -> None:
    kind = "date" if format_ == "date" else "timestamp with time zone"
    columns = tuple(Column(name, kind, "string", format_) for name in ("first", "last"))
    times = tuple(TimeColumn(column.name, kind) for column in columns)
    collection = Collection("a.b", "a", "b", 1, "table", "B", None, columns, times=times, time_end=end)
    layout = Layout(key="id", has_geometry=False, properties=columns, raw_json=(False, False), times=())
    (feature,) = orjson.loads(b"[%b]" % bytes(JsonFg(collection).rows(Rows(layout, [(1, *row)]), first=True)))
    assert feature["time"] == time


def test_a_time_that_is_no_property_is_not_said() -> None:
    """The catalogue may know a column that the collection does not show."""
    collection = replace(EVENT, times=(TimeColumn("hidden", "timestamp with time zone"),))
    layout = Layout(key="id", has_geometry=False, properties=(), raw_json=(), times=())
    (feature,) = orjson.loads(b"[%b]" % bytes(JsonFg(collection).rows(Rows(layout, [(1,)]), first=True)))
    assert feature["time"] is None

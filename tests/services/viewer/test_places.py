"""Places by name: the places found, their order, and the errors for a request."""

from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from aiohttp.test_utils import TestClient

from services.viewer.gazetteer import Gazetteer, Place, fold, other_name_line

_LINES = [
    Place("Mexico City", "town", "Mexico City", "Mexico", (-99.1, 19.4), 12_000_000, None).line(),
    Place("Mexico", "country", None, None, (-102.0, 21.0), None, (-116.0, 14.9, -87.0, 32.5)).line(),
    Place("New York City", "town", "New York", "United States", (-74.0, 40.7), 8_800_000, None).line(),
    Place("York", "town", "England", "United Kingdom", (-1.1, 54.0), 150_000, None).line(),
    Place("Paris", "town", "Texas", "United States", (-95.6, 33.7), 24_000, None).line(),
]


def _gazetteer(lines: list[str]) -> Gazetteer:
    with NamedTemporaryFile(suffix=".tsv") as file:
        file.write("".join(f"{line}\n" for line in lines).encode())
        file.flush()
        return Gazetteer(Path(file.name))


def _names(text: str, limit: int = 8) -> list[str]:
    return [place.name for place in _gazetteer(_LINES).search(text, limit)]


def test_what_is_called_so_comes_before_what_begins_so() -> None:
    assert _names("mexico") == ["Mexico", "Mexico City"]
    assert _names("mexico", 1) == ["Mexico"]
    assert _names("york") == ["York", "New York City"]
    assert _names("ork") == []


def test_places_are_found_by_their_other_names_each_once() -> None:
    lines = [*_LINES, other_name_line("Méjico", 1), other_name_line("Mejiko", 1), other_name_line("墨西哥城", 0)]
    places = _gazetteer(lines)
    assert [place.name for place in places.search("mej", 8)] == ["Mexico"]
    assert [place.name for place in places.search("墨西哥城", 8)] == ["Mexico City"]
    # a name counts no town twice
    assert places.find_within([(-100, 19), (-99, 19), (-99, 20), (-100, 20)], 8)[1] == 1


@pytest.mark.parametrize("text", ["paris, texas", "Paris Texas", "paris,united st", "PARIS  tex"])
def test_province_or_country_may_follow(text: str) -> None:
    assert _names(text) == ["Paris"]
    assert _names("paris, france") == []


def test_accents_apostrophes_and_capitals_make_no_difference() -> None:
    assert fold("Córdoba") == fold("CORDOBA") == "cordoba"
    assert fold("Saint John’s") == fold("saint johns")
    assert fold("Łódź") == "lodz"
    assert fold("Port-au-Prince") == "port au prince"
    assert _names(" , ") == []


def test_towns_within_an_area_are_found_the_most_important_first() -> None:
    lines = [
        Place("Suva", "town", "Central", "Fiji", (178.4, -18.1), 77_000, None).line(),
        Place("Fiji", "country", None, None, (178.0, -17.8), None, (177.0, -19.0, -178.0, -16.0)).line(),
        Place("Savusavu", "town", "Northern", "Fiji", (179.3, -16.8), 7_000, None).line(),
        Place("Lakeba", "town", "Eastern", "Fiji", (-178.8, -18.2), 2_000, None).line(),
    ]
    places = _gazetteer(lines)

    def names(*ring: tuple[float, float]) -> list[str]:
        found, number = places.find_within(ring, 10)
        assert number == len(found)
        return [place.name for place in found]

    # across 180 degrees, given from either side; a country is not a town
    assert names((177, -19), (182, -19), (182, -16), (177, -16)) == ["Suva", "Savusavu", "Lakeba"]
    assert names((-183, -19), (-178, -19), (-178, -16), (-183, -16)) == ["Suva", "Savusavu", "Lakeba"]
    # within the box and not within the ring
    assert names((177, -19), (182, -19), (182, -16)) == ["Lakeba"]
    assert names((177, -19), (182, -16), (177, -16)) == ["Suva", "Savusavu"]
    assert names((0, 0), (1, 0), (1, 1)) == []
    # on the edge that two areas share it is in one of them
    assert names((177, -18.1), (179, -18.1), (179, -16), (177, -16)) == ["Suva"]
    assert names((177, -19), (179, -19), (179, -18.1), (177, -18.1)) == []
    most = places.find_within([(177, -19), (182, -19), (182, -16), (177, -16)], 1)
    assert ([place.name for place in most[0]], most[1]) == (["Suva"], 3)


async def test_towns_of_an_area_are_told_as_geojson_and_csv(client: TestClient) -> None:  # type: ignore[type-arg]
    area = "-63.3,17.9,-62.7,17.9,-62.7,18.3,-63.3,18.3"
    response = await client.get(f"/places/within?area={area}&limit=2")
    found = await response.json(content_type=None)
    assert [found["numberMatched"] > 10, found["numberReturned"], len(found["features"])] == [True, 2, 2]
    first, second = (feature["properties"] for feature in found["features"])
    assert first["country"] in {"Saint Martin", "Sint Maarten", "St-Martin", "Anguilla"}
    assert first["people"] >= second["people"] > 1000
    text = await (await client.get(f"/places/within?area={area}&f=csv")).text()
    assert text.startswith("\ufeffname,province,country,people,longitude,latitude\r\n")
    assert text.count("\r\n") == found["numberMatched"] + 1
    separated = await (await client.get(f"/places/within?area={area}&f=csv&separator=semicolon")).text()
    assert separated.startswith("\ufeffname;province;country;people;longitude;latitude\r\n")
    assert (await client.get(f"/places/within?area={area}&f=geojson&separator=tab")).status == 422


@pytest.mark.parametrize(
    ("area", "words"),
    [
        ("", "area is missing"),
        ("area=1,2,3,4", "minimum is 6"),
        ("area=1,2,3,4,5,6,7", "a latitude for each longitude"),
        ("area=1,91,3,4,5,6", "latitudes"),
        ("area=1,2,541,4,5,6", "longitudes"),
        ("area=1,2,3,4,42,6", "wider or higher than 40"),
        ("area=1,2,3,4,a,6", "number"),
    ],
)
async def test_a_faulty_area_is_refused(client: TestClient, area: str, words: str) -> None:  # type: ignore[type-arg]
    response = await client.get(f"/places/within?{area}")
    assert response.status == 422
    [fault] = (await response.json())["detail"]
    assert fault["loc"] == ["query", "area"]
    assert words in fault["msg"]


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("Turkey", "Türkiye", "country"),
        ("España", "Spain", "country"),
        ("espana", "Spain", "country"),
        ("台北", "Taipei", "town"),
        ("القاهرة", "Cairo", "town"),
        ("花蓮", "Hualien City", "town"),
        ("Bay of Bengal", "Bay of Bengal", "sea"),
        ("golfo de bengala", "Bay of Bengal", "sea"),
        ("Mer Rouge", "Red Sea", "sea"),
        ("خليج البنغال", "Bay of Bengal", "sea"),
        ("Pacific Ocean", "Pacific Ocean", "sea"),
    ],
)
async def test_names_of_all_languages_are_found(
    client: TestClient,  # type: ignore[type-arg]
    text: str,
    name: str,
    kind: str,
) -> None:
    found = await (await client.get("/places", params={"q": text})).json(content_type=None)
    names = [(feature["properties"]["name"], feature["properties"]["kind"]) for feature in found["features"]]
    assert names[0] == (name, kind)
    assert names.count((name, kind)) == 1
    assert len(found["features"][0].get("bbox", [])) == (0 if kind == "town" else 4)


async def test_towns_provinces_and_countries_are_found(client: TestClient) -> None:  # type: ignore[type-arg]
    response = await client.get("/places", params={"q": "Hualien"})
    assert response.status == 200
    assert response.headers["Content-Type"].startswith("application/geo+json")
    first = (await response.json(content_type=None))["features"][0]
    assert first["properties"] == {
        "name": "Hualien City",
        "kind": "town",
        "province": "Taiwan",
        "country": "Taiwan",
        "people": 350468,
    }
    assert first["geometry"] == {"type": "Point", "coordinates": [121.60444, 23.97694]}
    again = await client.get("/places", params={"q": "Hualien"}, headers={"If-None-Match": response.headers["ETag"]})
    assert again.status == 304
    fiji = (await (await client.get("/places?q=fiji")).json(content_type=None))["features"][0]
    assert fiji["properties"]["kind"] == "country"
    # across 180 degrees
    west, _, east, _ = fiji["bbox"]
    assert 176 < west < 180
    assert -180 < east < -178
    assert len((await (await client.get("/places?q=san&limit=20")).json(content_type=None))["features"]) == 20


@pytest.mark.parametrize(
    ("query", "name"),
    [("", "q"), ("q=", "q"), (f"q={'x' * 101}", "q"), ("q=a&limit=21", "limit"), ("q=a&near=b", "near")],
)
async def test_faults_are_named(client: TestClient, query: str, name: str) -> None:  # type: ignore[type-arg]
    response = await client.get(f"/places?{query}")
    assert response.status == 422
    assert [fault["loc"] for fault in (await response.json())["detail"]] == [["query", name]]

"""The basemap as a picture: its content, its shape, and the errors for a box."""

import re
from xml.etree import ElementTree

import pytest
from aiohttp.test_utils import TestClient

_SVG = "{http://www.w3.org/2000/svg}"


async def _picture(client: TestClient, bbox: str) -> ElementTree.Element:  # type: ignore[type-arg]
    response = await client.get("/basemap.svg", params={"bbox": bbox})
    assert response.status == 200
    assert response.headers["Content-Type"].startswith("image/svg+xml")
    return ElementTree.fromstring(await response.text())  # noqa: S314 ours


def _names(picture: ElementTree.Element) -> set[str | None]:
    return {text.text for text in picture.iter(f"{_SVG}text")}


async def test_land_and_towns_are_on_it(client: TestClient) -> None:  # type: ignore[type-arg]
    picture = await _picture(client, "118,21,126,27")
    assert {"Taipei", "Kaohsiung"} <= _names(picture)
    assert {path.get("class") for path in picture.iter(f"{_SVG}path")} >= {"land", "coast"}
    # a picture may load nothing, and holds nothing that is not ours
    assert not re.search(r"href|script|url\(", ElementTree.tostring(picture, encoding="unicode"))


async def test_countries_and_towns_have_names_in_other_languages(client: TestClient) -> None:  # type: ignore[type-arg]
    async def names(bbox: str, tag: str) -> set[str | None]:
        response = await client.get("/basemap.svg", params={"bbox": bbox, "lang": tag})
        return _names(ElementTree.fromstring(await response.text()))  # noqa: S314 ours

    assert {"تايبيه", "تايوان"} <= await names("118,21,126,27", "ar")
    assert {"Londres", "Royaume-Uni"} <= await names("-12,48,6,60", "fr")
    assert {"El Cairo", "Egipto"} <= await names("24,21,36,33", "es")
    # a name that the language has from English stays
    assert "Kaohsiung" in await names("118,21,126,27", "fr")


async def test_islands_that_small_maps_lack_are_there(client: TestClient) -> None:  # type: ignore[type-arg]
    assert "Puerto Rico" in _names(await _picture(client, "-72,15,-60,21"))
    assert "Fiji" in _names(await _picture(client, "174,-22,-174,-13"))


@pytest.mark.parametrize(("bbox", "ratio"), [("0,-5,20,5", 0.5), ("0,55,20,65", 1.0), ("-170,-60,170,80", 140 / 340)])
async def test_degrees_are_as_wide_as_on_the_ground(client: TestClient, bbox: str, ratio: float) -> None:  # type: ignore[type-arg]
    picture = await _picture(client, bbox)
    assert float(picture.get("height", 0)) / float(picture.get("width", 1)) == pytest.approx(ratio, rel=0.01)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?bbox=1,2,3",
        "?bbox=10,50,20,40",
        "?bbox=10,40,10,50",
        "?bbox=10,40,10.000001,50",
        "?bbox=180,0,-180,1",
        "?bbox=0,0,1,91",
        "?bbox=a,b,c,d",
    ],
)
async def test_faults_are_named(client: TestClient, query: str) -> None:  # type: ignore[type-arg]
    response = await client.get(f"/basemap.svg{query}")
    assert response.status == 422
    faults = (await response.json())["detail"]
    assert {fault["loc"][1] for fault in faults} == {"bbox"}
    # a given parameter is not reported as missing, too
    assert ("missing" in {fault["type"] for fault in faults}) == (query == "")

"""Items of events, hazards and impacts: their content, and that they fit the schema and pystac-monty."""

from __future__ import annotations

import asyncio
from typing import Any

import pystac
import pytest
from pystac_monty.extension import MontyExtension
from pystac_monty.hazard_profiles import MontyHazardProfiles
from pystac_monty.paring import Pairing

from tests.monty import faults, use_grid, validate
from tests.services.in_process import Client


async def _all(features: Client, path: str, **parameters: str) -> list[dict[str, Any]]:
    """Return the items of all pages."""
    found: list[dict[str, Any]] = []
    answer = await features.json(path, **parameters)
    while True:
        found += answer["features"]
        following = [link["href"] for link in answer["links"] if link["rel"] == "next"]
        if not following:
            return found
        answer = (await features.get(following[0])).json()


def _ids(items: list[dict[str, Any]]) -> list[str]:
    return [item["id"] for item in items]


@pytest.fixture(scope="module")
async def items(features: Client) -> dict[str, dict[str, Any]]:
    """All items by collection and id."""
    found = await _all(features, "/stac/search", limit="3")
    assert len({(item["collection"], item["id"]) for item in found}) == len(found)
    return {f"{item['collection']} {item['id']}": item for item in found}


async def test_each_event_that_stands_is_one_item(features: Client) -> None:
    found = await _all(features, "/stac/collections/dams-events/items")
    # without the withdrawn flood, the explosion, and the disturbance that became a storm
    assert sorted(_ids(found)) == ["FL1", "Q1", "Q2", "WP/1", "WP2", "WP9"]
    storm = next(item for item in found if item["id"] == "WP/1")
    assert storm["properties"]["title"] == "ANNA"


async def test_every_event_has_a_hazard(items: dict[str, dict[str, Any]]) -> None:
    events = {item["id"] for item in items.values() if item["collection"] == "dams-events"}
    assert {item["id"] for item in items.values() if item["collection"] == "dams-hazards"} == events
    assert len(events) == 6


async def test_items_fit_the_schema_of_the_extension(items: dict[str, dict[str, Any]]) -> None:
    for name, item in items.items():
        assert faults(item) == [], name


async def test_items_have_one_code_of_undrr(items: dict[str, dict[str, Any]]) -> None:
    for name, item in items.items():
        codes = item["properties"]["monty:hazard_codes"]
        assert [MontyHazardProfiles.get_undrr_2025_code(codes)] == codes[:1], name
        assert len(codes) == 3, name
    assert items["dams-hazards Q1"]["properties"]["monty:hazard_codes"] == ["GH0101", "EQ", "nat-geo-ear-gro"]


async def test_pystac_and_its_extension_read_items(
    items: dict[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    use_grid(monkeypatch)
    # pystac follows links, to the service in this event loop
    await asyncio.to_thread(_read, items)


def _read(items: dict[str, dict[str, Any]]) -> None:
    for name, content in items.items():
        item = pystac.Item.from_dict(content)
        validate(item)
        monty = MontyExtension.ext(item)
        assert monty.country_codes, name
        # impacts have the identifier of their event
        if content["collection"] == "dams-events":
            assert monty.correlation_id == Pairing().generate_correlation_id(item, MontyHazardProfiles()), name
        else:
            event = items[f"dams-events {monty.src_event_id}"]
            assert monty.correlation_id == event["properties"]["monty:corr_id"], name
        if content["collection"] == "dams-impacts":
            assert monty.impact_detail is not None, name
            assert monty.impact_detail.value >= 0, name


async def test_a_hazard_has_its_severity(items: dict[str, dict[str, Any]]) -> None:
    found = {name: item["properties"].get("monty:hazard_detail") for name, item in items.items()}
    quake = found["dams-hazards Q1"]
    assert (quake["severity_value"], quake["severity_unit"], quake["depth"]) == (6.1, "mww", 10)
    storm = found["dams-hazards WP/1"]
    assert (storm["severity_value"], storm["severity_unit"], storm["category"]) == (100, "kt", "C3")
    assert found["dams-hazards FL1"]["severity_value"] == 1.5
    # its source gives none
    assert found["dams-hazards WP2"] is None


async def test_times_places_and_countries(items: dict[str, dict[str, Any]]) -> None:
    quake, sea, storm, flood = (items[f"dams-events {name}"] for name in ("Q1", "Q2", "WP/1", "FL1"))
    assert quake["properties"]["datetime"] == "2020-01-01T01:02:03.5Z"
    assert quake["bbox"] == [85.3, 27.7, 85.3, 27.7]
    assert quake["properties"]["monty:country_codes"] == ["NPL"]
    assert sea["properties"]["monty:country_codes"] == ["XYZ"]
    # those that its zones reach follow; a country without a code is not named
    assert storm["properties"]["monty:country_codes"] == ["XYZ", "MEX", "BLZ"]
    assert flood["properties"]["monty:country_codes"] == ["ESP", "PRT"]
    assert (flood["properties"]["start_datetime"], flood["properties"]["end_datetime"]) == (
        "2020-03-01T00:00:00Z",
        "2020-03-09T00:00:00Z",
    )
    assert "end_datetime" not in items["dams-events WP2"]["properties"]


async def test_glide_number_is_a_property_and_leads_to_its_entry(items: dict[str, dict[str, Any]]) -> None:
    flood = items["dams-events FL1"]
    assert flood["properties"]["glide_number"] == "FL-2020-000012-ESP"
    (link,) = [link for link in flood["links"] if link.get("title") == "FL-2020-000012-ESP"]
    assert link["href"].endswith("?level1=ESP&fromyear=2020&toyear=2020&events=FL&number=2020-000012")
    assert "glide_number" not in items["dams-events Q1"]["properties"]


async def test_impacts_count_people_by_zone_and_country(
    items: dict[str, dict[str, Any]],
) -> None:
    found = {
        item["id"]: (item["properties"]["monty:country_codes"], item["properties"]["monty:impact_detail"])
        for item in items.values()
        if item["collection"] == "dams-impacts"
    }
    assert {name: (countries, detail["type"], detail["value"]) for name, (countries, detail) in found.items()} == {
        "WP/1--analysed-64-kt-MEX": (["MEX"], "potentially_affected", 1_234_567),
        "WP/1--analysed-64-kt-BLZ": (["BLZ"], "potentially_affected", 600),
        "WP/1--analysed-34-kt-MEX": (["MEX"], "potentially_affected", 1_234_567),
        "WP/1--analysed-34-kt-BLZ": (["BLZ"], "potentially_affected", 600),
        "FL1--dead": (["ESP", "PRT"], "death", 7),
        "FL1--displaced": (["ESP", "PRT"], "displaced_total", 1200),
    }
    assert {detail["estimate_type"] for _, detail in found.values()} == {"modelled", "primary"}


async def test_a_hazard_with_a_raster_has_it_as_an_asset(items: dict[str, dict[str, Any]], features: Client) -> None:
    href = items["dams-hazards WP/1"]["assets"]["intensity"]["href"]
    assert (await features.get(href)).type.startswith("image/tiff")
    assert "intensity" not in items["dams-hazards Q2"]["assets"]


async def test_every_link_within_the_catalogue_leads_somewhere(
    items: dict[str, dict[str, Any]], features: Client
) -> None:
    own = {link["href"] for item in items.values() for link in item["links"] if "/stac" in link["href"]}
    for href in own:
        assert (await features.get(href)).status == 200, href


async def test_event_leads_to_its_item(features: Client) -> None:
    links = (await features.json("/events/FL1", f="json"))["links"]
    (href,) = [link["href"] for link in links if "/stac/" in link["href"]]
    assert (await features.get(href)).json()["id"] == "FL1"

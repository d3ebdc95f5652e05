"""The catalogue and its collections, read by pystac."""

from __future__ import annotations

import asyncio

import pystac

from tests.monty import faults, validate
from tests.services.in_process import Client


async def test_the_catalogue_leads_to_its_collections_search_and_description(features: Client) -> None:
    document = await features.json("/stac")
    catalogue = pystac.Catalog.from_dict(document)
    rels = [link.rel for link in catalogue.links]
    assert rels.count("child") == 3
    assert {"self", "root", "data", "conformance", "search", "service-desc", "service-doc"} <= set(rels)
    assert (await features.json("/stac/conformance"))["conformsTo"] == document["conformsTo"]


async def test_collections_fit_the_schema(features: Client) -> None:
    document = await features.json("/stac/collections")
    names = [each["id"] for each in document["collections"]]
    assert names == ["dams-events", "dams-hazards", "dams-impacts"]
    for each in document["collections"]:
        assert faults(each) == []
        # the version of the data that all items are made of
        assert each["dams:data_version"] == document["collections"][0]["dams:data_version"]
        # pystac follows links, to the service in this event loop
        await asyncio.to_thread(validate, pystac.Collection.from_dict(each))
        assert await features.json(f"/stac/collections/{each['id']}") == each
        assert each["summaries"]["monty:hazard_codes"] == ["GH0101", "MH0306", "MH0600"]
        assert each["summaries"]["monty:country_codes"] == ["BLZ", "ESP", "MEX", "NPL", "PRT", "XYZ"]
        (box,) = each["extent"]["spatial"]["bbox"]
        assert box[0] <= -179.9
        assert box[2] >= 85


async def test_a_browser_gets_a_page_of_the_catalogue(features: Client) -> None:
    page = await features.get("/stac", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert page.headers["Content-Type"].startswith("text/html")
    text = page.body.decode()
    assert "/stac/collections/dams-impacts/items" in text
    assert "Événements" in (await features.get("/stac?f=html&lang=fr")).body.decode()


async def test_landing_page_leads_to_the_catalogue(features: Client) -> None:
    part = await features.json("/internal/part")
    assert "/stac" in [link["href"] for link in part["landingLinks"]]

"""The API explorer: a request works as the page fills it in."""

import re

import pytest
from playwright.async_api import Locator, expect

from tests.running_stack import RunningStack
from tests.system.visits import NewVisit, Visit, items

pytestmark = [pytest.mark.system, pytest.mark.browser]


async def _operation(seen: Visit, path: str) -> Locator:
    shown = seen.page.locator(f'[data-path="{path}"]')
    operation = seen.page.locator(".opblock", has=shown)
    await operation.locator(".opblock-summary-control").click()
    await operation.get_by_role("button", name="Execute").wait_for()
    return operation


async def _executed(operation: Locator) -> tuple[str, str]:
    """Return the status and the address of the request."""
    await operation.get_by_role("button", name="Execute").click()
    answer = operation.locator(".live-responses-table")
    await answer.wait_for()
    status = await answer.locator("tbody .response-col_status").first.inner_text()
    address = await operation.locator(".request-url pre").inner_text()
    return status.split()[0], address.strip()


async def test_features_are_asked_for_as_the_page_fills_it_in(visit: NewVisit) -> None:
    seen = await visit(width=1440, height=900)
    await seen.open("/docs")
    status, address = await _executed(await _operation(seen, "/collections/{collectionId}/items"))
    assert (status, "?" in address) == ("200", False), address
    assert address.startswith(f"{seen.base_url}/collections/")
    assert not seen.problems


async def test_collections_are_there_to_choose_from(visit: NewVisit) -> None:
    seen = await visit(width=1440, height=900)
    await seen.open("/docs")
    operation = await _operation(seen, "/collections/{collectionId}")
    field = operation.locator("tr[data-param-name=collectionId] select")
    offered = await field.locator("option").all_inner_texts()
    assert len([name for name in offered if name.startswith("hazard.")]) >= 13
    await field.select_option("hazard.hazard_fl_events")
    status, address = await _executed(operation)
    assert (status, address) == ("200", f"{seen.base_url}/collections/hazard.hazard_fl_events")


@pytest.mark.parametrize(
    "path",
    [
        "/collections",
        "/collections/{collectionId}/items/{itemId}",
        "/collections/{collectionId}/tiles",
        "/collections/{collectionId}/tiles/{tileMatrixSetId}/{z}/{x}/{y}",
        "/collections/{collectionId}/tiles/{tileMatrixSetId}/tilejson.json",
    ],
)
async def test_every_other_request_works_too(visit: NewVisit, path: str) -> None:
    seen = await visit(width=1440, height=900)
    await seen.open("/docs")
    status, address = await _executed(await _operation(seen, path))
    assert (status, "?" in address) == ("200", False), address
    assert not seen.problems


async def test_a_parameter_that_is_filled_in_is_sent(visit: NewVisit) -> None:
    seen = await visit(width=1440, height=900)
    await seen.open("/docs")
    operation = await _operation(seen, "/collections/{collectionId}/items")
    await operation.locator("tr[data-param-name=limit] input").fill("3")
    status, address = await _executed(operation)
    assert (status, address.partition("?")[2]) == ("200", "limit=3")


async def test_examples_are_of_the_collection_that_is_chosen(visit: NewVisit, stack: RunningStack) -> None:
    seen = await visit(width=1440, height=900)
    await seen.open("/docs")
    operation = await _operation(seen, "/collections/{collectionId}/items")
    example = operation.locator("tr[data-param-name=filter] input")
    for collection, filtered in {
        "hazard.hazard_ts_nodes": "wind_kt >=",
        "hazard.hazard_fl_events": "severity >=",
    }.items():
        await operation.locator("tr[data-param-name=collectionId] select").select_option(collection)
        await expect(example).to_have_attribute("placeholder", re.compile(f"^For example {filtered}"))
    written = (await example.get_attribute("placeholder") or "").removeprefix("For example ")
    await example.fill(written)
    status, address = await _executed(operation)
    assert (status, address.partition("?")[0]) == ("200", f"{seen.base_url}/collections/{collection}/items")
    # an item of the previous collection does not belong to this one
    operation = await _operation(seen, "/collections/{collectionId}/items/{itemId}")
    await operation.locator("tr[data-param-name=collectionId] select").select_option("hazard.hazard_ts_nodes")
    feature = (await items(stack, "hazard.hazard_ts_nodes", limit="1"))[0]
    await expect(operation.locator("tr[data-param-name=itemId] input")).to_have_value(str(feature["id"]))
    assert not seen.problems

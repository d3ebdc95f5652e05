"""Pages in four languages: the browser's own, or the one that is chosen, which then stays."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest

from libs.web.accept_language import LANGUAGES
from libs.web.catalogues import catalogue
from tests.running_stack import RunningStack
from tests.system.accessibility import faults
from tests.system.visits import NewVisit, map_of

pytestmark = [pytest.mark.system, pytest.mark.browser]

_EARTHQUAKES = "/collections/hazard.hazard_eq_events"
_PAGES = (
    "/?f=html",
    "/collections?f=html",
    f"{_EARTHQUAKES}?f=html",
    f"{_EARTHQUAKES}/items?f=html&filter=magnitude%20%3E%205",
    f"{_EARTHQUAKES}/items/1635?f=html",
    f"{_EARTHQUAKES}/facets?f=html",
    "/events/AL112017?f=html",
    "/events/AL112017/impact?f=html",
    "/events/AL112017/facilities?f=html",
    "/impacts?events=AL112017,AL122017&f=html",
    f"{_EARTHQUAKES}/queryables?f=html",
    "/collections/hazard.hazard_fl_glofas_gauges_forecast/items/1?f=html",
    f"{_EARTHQUAKES}/tiles/WebMercatorQuad?f=html",
    f"{_EARTHQUAKES}/tiles/WebMercatorQuad/0/0/0?f=html",
)


@pytest.mark.parametrize(
    ("tag", "locale", "width"), [("fr", "fr-CA", 1440), ("es", "es-MX", 390), ("ar", "ar-EG", 390)]
)
async def test_pages_speak_as_the_browser_does(visit: NewVisit, tag: str, locale: str, width: int) -> None:
    seen = await visit(width=width, height=844, locale=locale)
    words = {str(message.id): str(message.string) for message in catalogue(tag) if isinstance(message.id, str)}
    for path in _PAGES:
        response = await seen.page.goto(f"{seen.base_url}{path}")
        assert response is not None
        assert (response.status, response.headers["content-language"]) == (200, tag)
        assert await seen.page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == [
            tag,
            LANGUAGES[tag].direction,
        ]
        assert await seen.page.get_by_role("link", name=words["Skip to content"]).count() == 1
        # names of collections and of features are as they come
        assert not re.search("^(Start|Facets|Tile) | on WebMercatorQuad", await seen.page.title())
        assert await faults(seen.page) == "", path
        assert await seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


async def test_what_the_data_say_keeps_its_direction_in_arabic(visit: NewVisit) -> None:
    seen = await visit(locale="ar-EG", width=390, height=844)
    await seen.page.goto(f"{seen.base_url}/collections/hazard.hazard_fl_alerts/items/1?f=html")
    place = seen.page.locator("dl.facts dd").filter(has_text="km²").first
    # the number, which the sentence begins with, is at its left
    first, last = await place.evaluate(
        """(cell) => {
            const text = [...cell.childNodes].find((node) => node.nodeType === Node.TEXT_NODE);
            const said = text.textContent;
            const left = (at) => {
                const range = document.createRange();
                range.setStart(text, at);
                range.setEnd(text, at + 1);
                return range.getBoundingClientRect().left;
            };
            return [left(said.search(/\\d/)), left(said.search(/km/))];
        }"""
    )
    assert first < last


async def test_a_language_that_is_chosen_stays(visit: NewVisit) -> None:
    seen = await visit(locale="de-DE")
    await seen.page.goto(f"{seen.base_url}/?f=html")
    assert await seen.page.evaluate("document.documentElement.lang") == "en"
    await seen.page.get_by_role("link", name="العربية").click()
    await seen.page.wait_for_url("**lang=ar*")
    await seen.page.locator(".card h3 a[href*='hazard_eq_events']").click()
    await seen.page.locator(".actions a").first.click()
    await seen.page.locator("input[name=filter]").fill("magnitude > 5")
    await seen.page.locator("form.filter button").click()
    await seen.page.wait_for_url("**filter=*")
    assert await seen.page.evaluate("document.documentElement.lang") == "ar"
    # but in no link to data
    for link in await seen.page.locator(".actions a[download], .formats a[type]:not([type='text/html'])").all():
        assert "lang=" not in (await link.get_attribute("href") or "")
    await seen.page.get_by_role("link", name="English").click()
    await seen.page.wait_for_url("**lang=en*")
    assert await seen.page.get_by_role("button", name="Filter", exact=True).is_visible()


_SAID = """() => {
    const said = [];
    // titles of properties are as they come
    for (const element of document.querySelectorAll("body *:not(script, .card :is(dt, li a), #filter option)")) {
        for (const name of ["aria-label", "title", "placeholder"]) said.push(element.getAttribute(name));
        for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) said.push(node.textContent.trim());
    }
    return said.filter(Boolean);
}"""


@pytest.mark.parametrize(
    ("tag", "locale", "width", "matrix_set"),
    [("ar", "ar-EG", 1440, "WebMercatorQuad"), ("fr", "fr-CA", 390, "WorldCRS84Quad")],
)
async def test_the_map_speaks_as_the_browser_does(
    visit: NewVisit, tag: str, locale: str, width: int, matrix_set: str
) -> None:
    seen = await visit(width=width, height=844, locale=locale)
    words = {str(message.id): str(message.string) for message in catalogue(tag) if isinstance(message.id, str)}
    await seen.open(map_of("hazard.hazard_eq_events", matrix_set))
    is_arabic = LANGUAGES[tag].direction == "rtl"
    assert await seen.page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == [
        tag,
        LANGUAGES[tag].direction,
    ]
    box = await seen.page.locator("#panel").bounding_box()
    assert box is not None
    assert (box["x"] > width / 2) == is_arabic
    await seen.page.locator("#events li button").first.click()
    await seen.page.get_by_role("link", name=words["Feature page"]).wait_for()
    english = {text for text, translated in words.items() if translated != text}
    said = await seen.page.evaluate(_SAID)
    assert await faults(seen.page) == ""
    await seen.page.keyboard.press("Escape")
    await seen.page.get_by_role("tab", name=words["Filter"]).click()
    await seen.page.get_by_role("button", name=words["Add a condition"]).wait_for()
    assert english & {*said, *await seen.page.evaluate(_SAID)} == set(), "still in English"
    assert await faults(seen.page) == ""
    await seen.page.locator("#filter textarea").fill("magnitude > 6")
    await seen.page.locator("#filter textarea").press("Enter")
    await seen.page.wait_for_url("**#**magnitude**")
    await seen.page.get_by_role("link", name="Español").click()
    await seen.page.wait_for_url("**lang=es**")
    await seen.ready()
    assert parse_qs(urlsplit(seen.page.url).fragment)["f.hazard.hazard_eq_events"] == ["magnitude > 6"]
    # a shared link has no language: the browser of the user who opens it sets one
    await seen.page.get_by_role("button", name="Compartir").click()
    link = await seen.page.locator("#share [name=link]").input_value()
    assert "lang=" not in link
    assert "magnitude" in link
    assert seen.problems == []


async def test_the_explorer_speaks_as_the_browser_does(visit: NewVisit) -> None:
    seen = await visit(locale="ar")
    words = {str(message.id): str(message.string) for message in catalogue("ar") if isinstance(message.id, str)}
    await seen.open("/docs#/OGC%20Features%20API/getItems")
    # axe checks each word of the response, which takes minutes for ten features
    await seen.page.locator("tr[data-param-name=limit] input").fill("1")
    await seen.page.get_by_role("button", name=words["Execute"]).click()
    await seen.page.get_by_role("heading", name=words["Response body"]).wait_for()
    own = {
        words[text]
        for text in ("Parameters", "Cancel", "Responses", "Request URL", "No links", "Copy code to clipboard")
    }
    said = set(await seen.page.evaluate(_SAID))
    assert own <= said
    assert not {"Parameters", "Execute", "Responses", "No links", "Media type"} & said
    # the document's own texts are in English
    assert await seen.page.locator(".opblock.is-open .opblock-summary-description[lang=en]").count() == 1
    assert await faults(seen.page) == ""
    await seen.page.get_by_role("link", name="Français").click()
    await seen.page.wait_for_url("**lang=fr**")
    await seen.ready()
    assert await seen.page.get_by_role("link", name="Carte").get_attribute("href") == f"{seen.base_url}/map?lang=fr"
    assert seen.problems == []


async def test_languages_have_copies_of_their_own_and_documents_have_none(stack: RunningStack) -> None:
    async with aiohttp.ClientSession() as session:
        for accepted, tag in [("fr-FR,fr;q=0.9", "fr"), ("de", "en"), ("ar", "ar"), ("fr", "fr")] * 2:
            headers = {"Accept": "text/html", "Accept-Language": accepted}
            async with session.get(f"{stack.base_url}/collections", headers=headers) as response:
                text = await response.text()
                assert (response.headers["Content-Language"], f'<html lang="{tag}"' in text) == (tag, True)
                varies = ", ".join(response.headers.getall("Vary")).lower()
                assert "accept-language" in varies
                tag_of_it = response.headers["ETag"]
            headers |= {"If-None-Match": tag_of_it, "Accept-Language": "es"}
            async with session.get(f"{stack.base_url}/collections", headers=headers) as response:
                assert (response.status, response.headers["Content-Language"]) == (200, "es")
            headers = {"Accept": "application/json", "Accept-Language": accepted}
            async with session.get(f"{stack.base_url}/collections?limit=1", headers=headers) as response:
                assert response.headers["Content-Language"] == "en"
                assert "accept-language" not in ", ".join(response.headers.getall("Vary")).lower()
        async with session.get(f"{stack.base_url}/collections?lang=de&f=html") as response:
            assert response.status == 422

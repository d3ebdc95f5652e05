"""The landing page, the conformance declaration, a collection, and the catalogue of the other services."""

from __future__ import annotations

from urllib.parse import quote

import asyncpg

from libs.ogc.link import REL_CONFORMANCE, REL_DATA
from services.common.part import PART
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client, services
from tests.services.tiles.cache import metric

_COLLECTION = ("/collections/hostile.events", "/collections/hostile.events?f=html")


async def test_the_landing_page_leads_to_everything(hostile: HostileDatabase) -> None:
    async with services() as started:
        env = hostile.env(
            DAMS_SITE_TITLE="Our hazards",
            DAMS_SITE_DESCRIPTION="What there is",
            DAMS_PUBLIC_URL="https://example.org/x",
        )
        common = await started.start("common", env)
        document = await common.json("/", f="json")
        page = (await common.get("/", {"f": "html"})).body.decode()
    assert (document["title"], document["description"]) == ("Our hazards", "What there is")
    links = {link["rel"]: (link["href"], link["type"]) for link in document["links"]}
    assert links == {
        "self": ("https://example.org/x/?f=json", "application/json"),
        "alternate": ("https://example.org/x/?f=html", "text/html"),
        "service-desc": ("https://example.org/x/openapi.json", "application/vnd.oai.openapi+json;version=3.0"),
        "conformance": ("https://example.org/x/conformance", "application/json"),
        "data": ("https://example.org/x/collections", "application/json"),
        REL_CONFORMANCE: ("https://example.org/x/conformance", "application/json"),
        REL_DATA: ("https://example.org/x/collections", "application/json"),
    }
    assert "<h1" in page
    assert "Our hazards" in page


async def test_its_links_are_in_this_order_and_say_what_they_are(common: Client) -> None:
    document = await common.json("/")
    assert list(document) == ["title", "description", "links"]
    assert [(link["href"].removeprefix(common.base), link["rel"], link["title"]) for link in document["links"]] == [
        ("/?f=json", "self", "This document as json"),
        ("/?f=html", "alternate", "This document as html"),
        ("/openapi.json", "service-desc", "API description (OpenAPI 3.0)"),
        ("/conformance", "conformance", "Conformance classes"),
        ("/conformance", REL_CONFORMANCE, "Conformance classes"),
        ("/collections", "data", "Collections"),
        ("/collections", REL_DATA, "Collections"),
    ]


def test_what_it_conforms_to_by_itself() -> None:
    assert [uri.removeprefix("http://www.opengis.net/spec/ogcapi-common-") for uri in PART.conforms_to] == [
        *(f"1/1.0/conf/{name}" for name in ("core", "landing-page", "json", "html", "oas30")),
        *(f"2/1.0/conf/{name}" for name in ("collections", "json", "html")),
    ]
    assert (PART.name, PART.collection_links) == ("common", ())


async def test_pages_beside_the_list_are_asked_about_by_their_tags(common: Client) -> None:
    for path in ("/", "/?f=html", "/conformance", "/conformance?f=html", *_COLLECTION):
        answer = await common.get(path)
        unchanged = await common.get(path, headers={"If-None-Match": answer.headers["ETag"]})
        assert (unchanged.status, unchanged.body) == (304, b""), path


async def test_the_page_of_classes_has_them_by_standard(common: Client) -> None:
    page = (await common.get("/conformance", {"f": "html"})).body.decode()
    parts = [page.index(f"OGC API Common, Part {number} (1.0)") for number in (1, 2)]
    classes = {uri: page.index(uri) for uri in PART.conforms_to}
    assert parts[0] < min(classes.values())
    assert {uri for uri, place in classes.items() if place > parts[1]} == {
        uri for uri in PART.conforms_to if "common-2" in uri
    }
    assert f'<a href="{common.base}/conformance?f=json" type="application/json">' in page


async def test_the_landing_page_shows_thirty_collections_and_leads_to_all(common: Client) -> None:
    known = (await common.json("/collections"))["collections"]
    assert len(known) > 30
    page = (await common.get("/", {"f": "html"})).body.decode()
    shown = [each["id"] for each in known if f"/collections/{quote(each['id'], safe='')}?f=html" in page]
    assert shown == [each["id"] for each in known[:30]]
    assert f'<a href="{common.base}/collections?f=html">All {len(known)} collections</a>' in page
    # none of them is of a hazard
    assert (await common.json("/"))["description"].startswith("Collections as OGC API Features")


async def test_the_sessions_of_the_catalogue_are_told_apart(common: Client, owner: asyncpg.Connection) -> None:
    await common.json("/collections")
    names = await owner.fetch(
        "SELECT DISTINCT application_name FROM pg_stat_activity"
        " WHERE datname = current_database() AND application_name LIKE 'dams-common%'"
    )
    assert [name for (name,) in names] == ["dams-common"]


async def test_it_conforms_to_what_its_parts_do(common: Client) -> None:
    document = await common.json("/conformance")
    assert document["conformsTo"] == sorted(document["conformsTo"])
    assert set(document["conformsTo"]) >= set(PART.conforms_to)
    page = (await common.get("/conformance", {"f": "html"})).body.decode()
    assert "OGC API Common, Part 1 (1.0)" in page
    assert "OGC API Common, Part 2 (1.0)" in page
    assert "/conf/landing-page" in page


async def test_the_other_services_read_all_of_it_once(common: Client) -> None:
    answer = await common.get("/internal/catalogue")
    assert (answer.status, answer.type, answer.headers["Cache-Control"]) == (200, "application/json", "no-cache")
    found = {each["id"]: each for each in answer.json()["collections"]}
    assert [column["name"] for column in found["hostile.events"]["columns"]][:2] == ["id", "name"]
    again = await common.get("/internal/catalogue", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")
    other = await common.get("/internal/catalogue", headers={"If-None-Match": 'W/"other"'})
    assert other.status == 200


async def test_what_is_not_read_yet_is_not_there_yet() -> None:
    async with services() as started:
        common = await started.start("common", {"DAMS_DATABASE_URL": "postgresql://a@127.0.0.1:1/b"})
        refused = await metric(common, 'dams_unavailable_total{cause="catalogue"')
        for number, path in enumerate(("/internal/catalogue", "/collections", "/collections/hazard.quakes"), start=1):
            answer = await common.get(path)
            assert (answer.status, "Retry-After" in answer.headers) == (503, True), path
            assert answer.json() == {"detail": "The list of collections is not known yet; try again in a moment."}
            assert await metric(common, 'dams_unavailable_total{cause="catalogue"') == refused + number
        # these need no database
        assert (await common.get("/conformance")).status == 200


async def test_a_collection_is_told_as_in_the_list(common: Client) -> None:
    own = await common.json("/collections/hostile.events")
    listed = (await common.json("/collections", limit="1000"))["collections"]
    assert own == next(each for each in listed if each["id"] == "hostile.events")
    assert (await common.get("/collections/hostile.nothing")).status == 404
    page = await common.get("/collections/hostile.events", {"f": "html"})
    assert (page.status, page.type.partition(";")[0]) == (200, "text/html")
    other = f'<a href="{common.base}/collections/hostile.events?f=json" type="application/json">'
    assert other in page.body.decode()


async def test_what_of_an_extension_is_named_is_offered(database_url: str) -> None:
    async with services() as started:
        env = {"DAMS_DATABASE_URL": database_url, "DAMS_COLLECTION_SCHEMAS": "public"}
        for named, offered in (("", []), ("public.spatial_ref_sys", ["public.spatial_ref_sys"])):
            common = await started.start("common", {**env, "DAMS_EXTENSION_COLLECTIONS": named})
            assert [each["id"] for each in (await common.json("/collections"))["collections"]] == offered

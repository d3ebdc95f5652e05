"""Encoded collections equal those of the document, also when other collections change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import orjson
import pytest

from libs.catalogue.model import Collection, GeometryColumn
from libs.ogc.link import Link
from libs.ogc.media_type import MediaType
from libs.ogc.service_part import CollectionLink, Whole
from services.common.documents.collection import collection_json
from services.common.documents.encoded import EncodedCollections

ITEMS = CollectionLink(Link("/collections/{collectionId}/items", "items", "application/geo+json", "Features"))
TILES = CollectionLink(Link("/collections/{collectionId}/tiles", "tiles", MediaType.JSON, "Tiles"), needs_geometry=True)
WHOLE = Whole((), (), (ITEMS, TILES))
BASE = "https://example.org/api"


def collections(*names: str) -> dict[str, Collection]:
    return {
        f"hazard.{name}": Collection(
            id=f"hazard.{name}",
            schema="hazard",
            name=name,
            oid=1,
            kind="table",
            title=f'The {name} of "Chișinău"',
            description=None,
            columns=(),
            geometries=(GeometryColumn("geom", "Point", 4326, bbox=(1.0, 2.0, 3.0, 4.0)),) if name != "plain" else (),
        )
        for name in names
    }


def expected(page: Iterable[Collection], whole: Whole, base: str) -> list[dict[str, Any]]:
    return [orjson.loads(orjson.dumps(collection_json(entry, whole, base, MediaType.JSON))) for entry in page]


@pytest.mark.parametrize("base", [BASE, "http://127.0.0.1:8080/api", 'http://a"b\\c', ""])
def test_the_array_is_that_of_the_documents(base: str) -> None:
    known = collections("quakes", "floods", "plain")
    encoded = EncodedCollections()
    for page in (list(known.values()), list(known.values())[1:2], []):
        for _ in range(2):
            assert orjson.loads(encoded.array(page, known, WHOLE, base)) == expected(page, WHOLE, base)


def test_each_client_has_links_below_the_address_that_it_uses() -> None:
    known, encoded = collections("quakes"), EncodedCollections()
    for base in (BASE, "http://other.example", BASE):
        array = encoded.array(known.values(), known, WHOLE, base)
        hrefs = [link["href"] for link in orjson.loads(array)[0]["links"]]
        assert hrefs
        assert all(href.startswith(f"{base}/collections/hazard.quakes") for href in hrefs)


def test_another_catalogue_shows_at_once() -> None:
    known, encoded = collections("quakes", "floods"), EncodedCollections()
    encoded.array(known.values(), known, WHOLE, BASE)
    floods = known["hazard.floods"]
    later = {"hazard.quakes": replace(known["hazard.quakes"], title="Earthquakes"), "hazard.floods": floods}
    for after in (later, {"hazard.floods": floods}, later, known):
        array = encoded.array(after.values(), after, WHOLE, BASE)
        assert orjson.loads(array) == expected(after.values(), WHOLE, BASE)


def test_another_service_shows_at_once() -> None:
    known, encoded = collections("quakes"), EncodedCollections()
    for whole in (WHOLE, Whole((), (), (ITEMS,)), WHOLE):
        array = encoded.array(known.values(), known, whole, BASE)
        assert orjson.loads(array) == expected(known.values(), whole, BASE)


def test_a_collection_is_encoded_once_per_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    encodings: list[str] = []

    def counted(collection: Collection, whole: Whole, base: str, media_type: str) -> dict[str, Any]:
        encodings.append(collection.id)
        return collection_json(collection, whole, base, media_type)

    monkeypatch.setattr("services.common.documents.encoded.collection_json", counted)
    known, encoded = collections("quakes", "floods"), EncodedCollections()
    for base in (BASE, BASE, "http://other.example"):
        encoded.array(known.values(), known, WHOLE, base)
    assert encodings == list(known)
    changed = {**known, "hazard.floods": replace(known["hazard.floods"], title="Floods")}
    encoded.array(changed.values(), changed, WHOLE, BASE)
    assert encodings == [*known, "hazard.floods"]

"""Formats have one name and one media type each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from libs.ogc import media_type
from libs.ogc.media_type import ALIASES, FORMAT_NAMES, FORMATS, LABELS, MediaType, name_format, with_charset


@pytest.fixture(autouse=True)
def formats_of_this_test_alone() -> Iterator[None]:
    tables = (media_type.FORMATS, media_type.FORMAT_NAMES, media_type.LABELS, media_type.ALIASES)
    before = [dict(table) for table in tables]
    yield
    for table, entries in zip(tables, before, strict=True):
        table.clear()
        table.update(entries)


@pytest.mark.parametrize(
    ("name", "of_f", "label"),
    [
        ("json", "application/json", "JSON"),
        ("html", "text/html", "HTML"),
        ("schemajson", "application/schema+json", "JSON Schema"),
        ("mvt", "application/vnd.mapbox-vector-tile", "vector tile"),
    ],
)
def test_the_formats_of_several_services_have_names_and_labels(name: str, of_f: str, label: str) -> None:
    assert (FORMATS[name], FORMAT_NAMES[of_f], LABELS[of_f]) == (of_f, name, label)


def test_a_document_of_openapi_says_its_version() -> None:
    assert MediaType.OPENAPI_JSON.value == "application/vnd.oai.openapi+json;version=3.0"


@pytest.mark.parametrize(
    ("alias", "meant"),
    [
        ("application/javascript", "application/json"),
        ("text/javascript", "application/json"),
        ("text/json", "application/json"),
        ("application/json", "application/schema+json"),
        ("application/xhtml+xml", "text/html"),
        ("application/x-protobuf", "application/vnd.mapbox-vector-tile"),
        ("application/vnd.vector-tile", "application/vnd.mapbox-vector-tile"),
    ],
)
def test_what_clients_call_types(alias: str, meant: str) -> None:
    assert ALIASES[alias] == meant


def test_a_service_names_its_own_format() -> None:
    for _ in range(2):
        # twice, as processes of tests do
        name_format("kite", "application/x-kite", "Kite", ["text/kite"])
    assert (FORMATS["kite"], FORMAT_NAMES["application/x-kite"]) == ("application/x-kite", "kite")
    assert (LABELS["application/x-kite"], ALIASES["text/kite"]) == ("Kite", "application/x-kite")


@pytest.mark.parametrize(
    ("name", "of_type", "said"),
    [
        ("json", "application/x-kite", "f=json is application/json, and application/x-kite is f=None"),
        ("kite", "text/html", "f=kite is None, and text/html is f=html"),
    ],
)
def test_names_and_types_belong_to_one_format(name: str, of_type: str, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{said}$"):
        name_format(name, of_type, "Kite")
    assert (FORMATS["json"], FORMAT_NAMES["text/html"], "kite" in FORMATS) == ("application/json", "html", False)


def test_text_says_its_charset_and_json_does_not() -> None:
    assert with_charset("text/csv") == "text/csv; charset=utf-8"
    assert with_charset("application/geo+json") == "application/geo+json"

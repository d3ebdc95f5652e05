"""The service's description of itself for the others: its part of the OpenAPI document, its links, its conformance
classes.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from libs.catalogue.model import Collection, Column
from libs.ogc.link import Link
from libs.pg.text_folding import UNTRIED
from services.features.part import PART, amend_part

_SPEC = "http://www.opengis.net/spec/"
_REL = "http://www.opengis.net/def/rel/ogc/1.0/"
_FORMATS = {
    "geojson": ("application/geo+json", "GeoJSON", "GeoJSON"),
    "html": ("text/html", "a page", ""),
    "json": ("application/json", "rows in JSON", "JSON"),
    "csv": ("text/csv", "rows in CSV", "CSV"),
    "geojsonseq": ("application/geo+json-seq", "a GeoJSON text sequence", "GeoJSON sequence"),
    "ndjson": ("application/ndjson", "rows in newline-delimited JSON", "NDJSON"),
    "fgb": ("application/flatgeobuf", "FlatGeobuf", "FlatGeobuf"),
    "parquet": ("application/vnd.apache.parquet", "GeoParquet", "GeoParquet"),
    "gpkg": ("application/geopackage+sqlite3", "GeoPackage", "GeoPackage"),
}
_COLLECTION = "/collections/{collectionId}"
_SCHEMA = "application/schema+json"


def test_what_it_conforms_to() -> None:
    assert [uri.removeprefix(_SPEC) for uri in PART.conforms_to] == [
        *(f"ogcapi-features-1/1.0/conf/{name}" for name in ("core", "geojson", "html", "oas30")),
        "ogcapi-features-2/1.0/conf/crs",
        *(
            f"ogcapi-features-3/1.0/conf/{name}"
            for name in ("queryables", "queryables-query-parameters", "filter", "features-filter")
        ),
        "ogcapi-features-5/1.0/conf/schemas",
        *(f"ogcapi-edr-1/1.0/conf/{name}" for name in ("core", "collections", "json", "oas30")),
        *(f"json-fg-1/1.0/conf/{name}" for name in ("core", "types-schemas", "profiles")),
        *(
            f"ogcapi-common-3/1.0/conf/{name}"
            for name in (
                *("schemas", "advanced-property-roles", "returnables-and-receivables", "sortables"),
                "profile-parameter",
            )
        ),
        *(
            f"cql2/1.0/conf/{name}"
            for name in ("cql2-text", "cql2-json", "basic-cql2", "advanced-comparison-operators")
        ),
        *(f"cql2/1.0/conf/{name}-insensitive-comparison" for name in ("case", "accent")),
        *(f"cql2/1.0/conf/basic-spatial-{name}" for name in ("functions", "operators", "functions-plus")),
        *(f"cql2/1.0/conf/{name}functions" for name in ("spatial-", "temporal-", "array-", "")),
        *(f"cql2/1.0/conf/{name}" for name in ("property-property", "arithmetic")),
    ]


def _told(link: Link) -> tuple[str, str, str | None, str | None]:
    assert bool(link.templated) is ("{?" in link.href)
    return link.href, link.rel.removeprefix(_REL), link.type, link.title


def test_the_landing_page_leads_to_functions_and_changes() -> None:
    assert [_told(link) for link in PART.landing_links] == [
        ("/stac", "related", "application/json", "STAC catalogue"),
        ("/functions", "functions", "application/json", "Functions of filters"),
        ("/changes", "monitor", "application/json", "Versions of all collections, and a stream of new ones"),
        ("/asyncapi", "service-meta", "application/asyncapi+json", "Streams of changes (AsyncAPI)"),
    ]


_OF_DATA_QUERIES = "datetime,parameter-name,crs,limit,f"


def test_collections_lead_to_their_features_and_what_is_known_of_them() -> None:
    items = {name: "" if name == "geojson" else f"?f={name}" for name in _FORMATS}
    assert [_told(each.link) for each in PART.collection_links] == [
        *(
            (f"{_COLLECTION}/items{items[name]}", "items", media_type, f"Features as {words}")
            for name, (media_type, words, _) in _FORMATS.items()
        ),
        *(
            (f"{_COLLECTION}/export?f={name}", "enclosure", media_type, f"All features as {label}")
            for name, (media_type, _, label) in _FORMATS.items()
            if label
        ),
        (f"{_COLLECTION}/queryables", "queryables", _SCHEMA, "Queryables"),
        (f"{_COLLECTION}/sortables", "sortables", _SCHEMA, "Sortables"),
        (f"{_COLLECTION}/schema", "schema", _SCHEMA, "Schema of the features"),
        *(
            (f"{_COLLECTION}/{name}{{?{required},{_OF_DATA_QUERIES}}}", "data", "application/geo+json", title)
            for name, required, title in (
                ("position", "coords", "Features at a point"),
                ("radius", "coords,within,within-units", "Features near a point"),
                ("area", "coords", "Features in an area"),
                ("corridor", "coords,corridor-width,width-units", "Features along a line"),
            )
        ),
        (f"{_COLLECTION}/instances{{?datetime,bbox,limit,offset}}", "data", "application/json", "Advisories"),
        (f"{_COLLECTION}/facets", "related", "application/facets+json", "Counts by facets (JSON)"),
        (f"{_COLLECTION}/feed", "alternate", "application/atom+xml", "Newest features, as an Atom feed"),
        (f"{_COLLECTION}/changes", "monitor", "application/json", "New versions of the data"),
        (f"{_COLLECTION}/schema/feature", "describedby", _SCHEMA, "Schema of a feature in GeoJSON"),
    ]
    # rows without a place are features, too, but not of a data query
    assert {each.link.rel for each in PART.collection_links if each.needs_geometry} == {"data"}


def test_the_document_names_the_formats_that_there_are() -> None:
    components = PART.openapi["components"]
    files = [name for name in _FORMATS if name != "html"]
    assert components["parameters"]["fItems"]["schema"]["enum"] == list(_FORMATS)
    assert components["parameters"]["fExport"]["schema"]["enum"] == files
    for path, named, schema in (
        ("/items", _FORMATS, "Items"),
        ("/items/{itemId}", _FORMATS, "Item"),
        ("/export", files, "Items"),
    ):
        operation = PART.openapi["paths"][f"{_COLLECTION}{path}"]["get"]
        content = operation["responses"]["200"]["content"]
        assert list(content) == [_FORMATS[name][0] for name in named]
        assert content["application/geo+json"]["schema"] == {"$ref": f"#/components/schemas/{schema}"}
        assert content["application/flatgeobuf"]["schema"] == {"type": "string", "format": "binary"}
        # pages are in languages
        languages = [each for each in operation["parameters"] if each.get("$ref", "").endswith("/lang")]
        assert len(languages) == (1 if "html" in named else 0)


@pytest.mark.parametrize(("case", "accents"), [(True, False), (False, True), (True, True), (False, False)])
def test_what_the_database_cannot_fold_is_not_promised(case: bool, accents: bool) -> None:
    assert UNTRIED.case is not None
    assert UNTRIED.accents is not None
    folding = replace(UNTRIED, case=UNTRIED.case if case else None, accents=UNTRIED.accents if accents else None)
    part = amend_part(PART, None, folding)
    missing = [name for name, can in (("case", case), ("accent", accents)) if not can]
    kept = [uri for uri in PART.conforms_to if not any(f"{name}-insensitive" in uri for name in missing)]
    assert list(part.conforms_to) == kept
    assert len(kept) == len(PART.conforms_to) - len(missing)
    assert part.openapi["paths"] == PART.openapi["paths"]


def test_properties_of_the_collections_are_parameters_of_items_alone() -> None:
    columns = (Column("own_word", "text", "string"),)
    known = {"own.a": Collection("own.a", "own", "a", 1, "table", "A", None, columns)}
    paths = amend_part(PART, known, UNTRIED).openapi["paths"]
    assert {path for path, item in paths.items() if "own_word" in str(item)} == {f"{_COLLECTION}/items"}

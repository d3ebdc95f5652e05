"""Answers with features: each method adds headers to a new answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from libs.catalogue.model import Collection, Column
from libs.geo.crs import CRS84
from libs.selection.selection import Selection
from services.features.answer import Answer
from services.features.formats.format import FeatureFormat, FileFormat, PageLinks
from services.features.formats.registry import EXPORT_FORMATS
from services.features.request.items_query import AS_STORED, ItemsQuery

COLLECTION = Collection("a.b-c_D9", "a", "b-c_D9", 1, "table", "B", None, ())
VALIDATORS = {"ETag": 'W/"1"', "Last-Modified": "now", "Cache-Control": "public"}


def format_named(name: str) -> FeatureFormat | FileFormat:
    return next(entry for entry in EXPORT_FORMATS.values() if entry.name == name)


def page_query(*, counted: bool = True, failing: int = 0, key: str | None = "id") -> ItemsQuery:
    column = Column("id", "integer", "integer", not_null=True)
    kind = "table" if key else "function"
    collection = replace(COLLECTION, columns=(column,), key=key, kind=kind)
    selection = Selection(collection, None, (), (column,), (), failing=failing)
    return ItemsQuery(selection, (), 10, 0, None, AS_STORED, {}, "fingerprint", counted)


@pytest.mark.parametrize(("number", "headers"), [(0, {}), (3, {"DAMS-Features-Omitted": "3"})])
def test_number_of_omitted_features_is_a_header(number: int, headers: dict[str, str]) -> None:
    assert Answer({}).with_failing(number).headers == headers
    assert Answer({}).of_page(page_query(failing=number), 4, 2).headers == {
        "OGC-NumberMatched": "4",
        "OGC-NumberReturned": "2",
        **headers,
    }


def test_page_without_its_count_is_not_revalidated() -> None:
    answer = Answer(VALIDATORS)
    assert answer.of_page(page_query(), None, 2, 1).headers == {
        "Cache-Control": "public",
        "OGC-NumberReturned": "2",
        "DAMS-Geometries-Omitted": "1",
    }
    assert answer.of_page(page_query(counted=False), None, None).headers == VALIDATORS
    assert answer.headers == VALIDATORS


def test_page_by_offset_warns() -> None:
    assert Answer({}).of_page(page_query(key=None), None, None).headers == {"DAMS-Paging": "offset"}


@pytest.mark.parametrize(("name", "type_"), [("csv", "text/csv; charset=utf-8"), ("geojson", "application/geo+json")])
def test_features_name_their_type_crs_and_links(name: str, type_: str) -> None:
    format_ = format_named(name)
    answer = Answer({}).of_features(format_, format_.media_type, AS_STORED, PageLinks(b"", "<http://a>"))
    assert answer.headers == {
        "Content-Type": type_,
        "Vary": "Accept",
        "Content-Crs": f"<{CRS84.uri}>",
        "Link": "<http://a>",
    }


@pytest.mark.parametrize(("name", "file"), [("csv", "filename=a.b-c_D9.csv"), ("geojson", None)])
def test_browsers_save_formats_that_they_cannot_show(name: str, file: str | None) -> None:
    answer = Answer({}).save_as(COLLECTION, format_named(name))
    assert answer.headers == ({} if file is None else {"Content-Disposition": f"attachment; {file}"})


def test_file_name_is_escaped() -> None:
    answer = Answer({}).save_as(replace(COLLECTION, id="a.b c/\u00e9"), format_named("csv"))
    assert answer.headers == {"Content-Disposition": "attachment; filename*=UTF-8''a.b%20c%2F%C3%A9.csv"}

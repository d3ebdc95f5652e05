"""Queryables as named parameters of the published document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from libs.catalogue.model import Collection, Column
from libs.selection.property_parameters import with_property_parameters
from libs.web.openapi import operations
from services.features.part import PART

ITEMS = "/collections/{collectionId}/items"


def collection(name: str, *columns: Column) -> Collection:
    """A collection of these columns."""
    return Collection(f"s.{name}", "s", name, 1, "table", name, None, columns)


def named(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The parameters of items that are properties, by their names."""
    return {entry["name"]: entry for entry in document["paths"][ITEMS]["get"]["parameters"] if entry.get("x-queryable")}


def test_properties_of_a_single_value_are_parameters() -> None:
    magnitude = Column("magnitude", "double precision", "number")
    places, felt = Column("places", "text[]", "array"), Column("felt", "boolean", "boolean")
    document = with_property_parameters(
        PART.openapi,
        ITEMS,
        [
            collection("a", magnitude, Column("mixed", "text", "string"), places),
            *(collection(name, magnitude) for name in "bcde"),
            *(collection(name, felt) for name in "bcd"),
            collection("f", Column("mixed", "integer", "integer"), Column("limit", "integer", "integer")),
        ],
    )
    found = named(document)
    # a list is not a single value, and `limit` is the number of features
    assert list(found) == ["felt", "magnitude", "mixed"]
    assert found["felt"] == {
        "name": "felt",
        "in": "query",
        "description": "Only features whose `felt` equals the value. A property of s.b, s.c, s.d.",
        "style": "form",
        "explode": False,
        "schema": {"type": "boolean"},
        "x-queryable": True,
    }
    # behind those that the operation has, but for the free-form one
    before, after = (each["paths"][ITEMS]["get"]["parameters"] for each in (PART.openapi, document))
    assert after[:-3] == [entry for entry in before if not entry.get("$ref", "").endswith("/propertyQueries")]
    assert len(after) == len(before) + 2
    assert found["magnitude"]["schema"] == {"type": "number"}
    assert found["magnitude"]["description"].endswith("A property of s.a, s.b, s.c and 2 more.")
    # a property that is a number here and a text there can only be described as a text
    assert found["mixed"]["schema"] == {"type": "string"}
    assert found["mixed"]["description"].endswith("A property of s.a, s.f.")
    assert [found["mixed"][member] for member in ("in", "style", "explode")] == ["query", "form", False]
    assert not found["mixed"].get("required", False)


def test_the_document_itself_stays_as_it_is() -> None:
    with_property_parameters(PART.openapi, ITEMS, [collection("a", Column("magnitude", "real", "number"))])
    assert not named(dict(PART.openapi))


def free_form(document: Mapping[str, Any]) -> str | None:
    """The free-form parameter of items."""
    return next(entry for entry in operations(dict(document)) if entry.path == ITEMS).extra_parameters


@pytest.mark.parametrize(("number", "listed"), [(0, 0), (1, 1), (1000, 1000), (1001, 0)])
def test_either_each_property_is_named_or_any_is_taken(number: int, listed: int) -> None:
    columns = [Column(f"c{place:04}", "text", "string") for place in range(number)]
    document = with_property_parameters(PART.openapi, ITEMS, [collection("wide", *columns)])
    assert list(named(document)) == [column.name for column in columns][:listed]
    assert free_form(document) == (None if listed else "propertyQueries")
    assert free_form(PART.openapi) == "propertyQueries"


def test_the_other_operations_are_the_same() -> None:
    document = with_property_parameters(PART.openapi, ITEMS, [collection("a", Column("b", "text", "string"))])
    before = {entry.path: entry.parameters.keys() for entry in operations(dict(PART.openapi))}
    after = {entry.path: entry.parameters.keys() for entry in operations(document)}
    # a search by POST has the parameters of items
    for path in (ITEMS, "/collections/{collectionId}/search"):
        assert after.pop(path) - before.pop(path) == {"b"}
    assert after == before


def test_one_collection_of_many_in_which_it_is_a_text_makes_it_one() -> None:
    numbers = [collection(name, Column("level", "integer", "integer")) for name in "abcd"]
    document = with_property_parameters(
        PART.openapi, ITEMS, [*numbers, collection("e", Column("level", "text", "string"))]
    )
    assert named(document)["level"]["schema"] == {"type": "string"}


def test_names_of_one_argument_are_one_parameter() -> None:
    """A generated client makes `mag_type` of each of these, and `bbox_crs` is one of the operation's own."""
    names = ("MagType", "mag-type", "mag_type", "Bbox_CRS", "n\u00e4me", "name")
    document = with_property_parameters(
        PART.openapi, ITEMS, [collection("a", *(Column(name, "text", "string") for name in names))]
    )
    assert list(named(document)) == ["MagType", "name", "n\u00e4me"]

"""A request for several layers, for a version and for a geometry column: what it is read as, and its faults."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from libs.catalogue.model import Argument, Collection, Column, GeometryColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.errors import Fault, InvalidParameters, NotFound
from libs.pg.text_folding import Folding, TextFolding
from libs.web.query_params import QueryValues
from services.tiles.request.layers_request import parse_layers
from services.tiles.request.plain_tile import plain_tile, tile_of, tile_of_style
from services.tiles.request.tile_request import TileRequest, geometry_of
from services.tiles.request.version import wanted_version

ID, SIZE = Column("id", "integer", "integer"), Column("size", "real", "number")
GEOM, OTHER = GeometryColumn("geom", "Point", 4326), GeometryColumn("other", "Point", 3857)
FIRST = Collection("s.first", "s", "first", 1, "table", "First", None, (ID, SIZE), (GEOM, OTHER), key="id")
SECOND = replace(FIRST, id="s.second", name="second", columns=(ID,), geometries=(GEOM,))
BARE = replace(FIRST, id="s.bare", name="bare", geometries=())
TMS = tile_matrix_set("WebMercatorQuad")


def layers(*collections: Collection, extra: dict[str, str] | None = None, **values: Any) -> tuple[TileRequest, ...]:
    nothing = dict.fromkeys(("limit", "properties", "style-only", "sortby", "filter"))
    query = QueryValues({**nothing, **values}, frozenset(values), extra or {})
    return parse_layers(collections, TMS, 5, 3, 4, query, 100)


def refused(*collections: Collection, **given: Any) -> list[tuple[str, str]]:
    """Name and sentence of each fault."""
    with pytest.raises(InvalidParameters) as raised:
        layers(*collections, **given)
    return [(fault.loc[1], fault.msg) for fault in raised.value.faults]


def test_each_layer_is_the_tile_of_its_collection() -> None:
    assert layers(FIRST, SECOND) == tuple(plain_tile(each, TMS, 5, 3, 4, 100) for each in (FIRST, SECOND))
    # naming the collections makes no other tiles of these
    assert layers(FIRST, SECOND, collections=["s.first", "s.second"]) == layers(FIRST, SECOND)
    filtered = layers(FIRST, SECOND, extra={"id": "7"})
    assert [request.selection.collection.id for request in filtered] == ["s.first", "s.second"]
    alone = [tile_of(each, TMS, 5, 3, 4, 100, [("id", "7")]) for each in (FIRST, SECOND)]
    assert [request.variant for request in filtered] == [request.variant for request in alone]
    assert "" not in {request.variant for request in filtered}


def test_what_is_wrong_everywhere_is_told_once_and_the_rest_by_collection() -> None:
    assert refused(FIRST, SECOND, limit=101) == [("limit", "limit must be at most 100, the operator's maximum")]
    named = "(collection s.second; collections= names those that the request is about)"
    gone = "'size' is not a parameter here, and 'size' is not a property of this collection; there are id"
    assert refused(FIRST, SECOND, extra={"size": "7"}) == [("size", f"{gone} {named}")]
    both = refused(FIRST, SECOND, limit=101, extra={"size": "7"})
    assert [(name, said.endswith(named)) for name, said in both] == [("limit", False), ("size", True)]
    # of one collection alone, it is of all of them
    assert refused(SECOND, extra={"size": "7"}) == [("size", gone)]


@pytest.mark.parametrize("name", ["ids", "geom-column"])
def test_what_is_of_one_collection_alone_is_refused_for_several(name: str) -> None:
    with pytest.raises(InvalidParameters) as raised:
        layers(FIRST, SECOND, extra={name: "1"})
    (fault,) = raised.value.faults
    assert (fault.loc, fault.type, fault.input) == (("query", name), "extra_forbidden", "1")
    assert fault.msg == f"{name} is for tiles of one collection"


def test_of_no_collection_there_is_no_tile() -> None:
    with pytest.raises(NotFound, match=r"^No collection has a geometry, hence there are no tiles\.$"):
        layers()
    with pytest.raises(NotFound):
        parse_layers((FIRST,), TMS, 5, 32, 4, QueryValues(), 100)


def test_our_map_asks_for_what_its_style_reads() -> None:
    words = tuple(Column(name, "text", "string") for name in ("category", "name", "note"))
    storms = replace(FIRST, id="s.ts_tracks", name="ts_tracks", columns=(ID, *words))
    assert tile_of_style(storms, TMS, 5, 3, 4, 100) == tile_of(storms, TMS, 5, 3, 4, 100, [("style-only", "true")])
    assert tile_of_style(storms, TMS, 5, 3, 4, 100) != plain_tile(storms, TMS, 5, 3, 4, 100)


def geom_column(name: str) -> QueryValues:
    return QueryValues({"geom-column": name}, frozenset({"geom-column"}))


def test_the_geometry_column_is_the_one_that_is_named() -> None:
    assert geometry_of(FIRST, QueryValues({"geom-column": None})) == GEOM
    assert geometry_of(FIRST, geom_column("other")) == OTHER
    for wrong, said in (
        ("none", "geom-column none is not possible for tiles"),
        ("nothing", "geom-column 'nothing' does not exist; there are geom, other"),
    ):
        with pytest.raises(InvalidParameters) as raised:
            geometry_of(FIRST, geom_column(wrong))
        assert raised.value.faults == (Fault(("query", "geom-column"), said, wrong),)
    with pytest.raises(NotFound, match=r"^Collection 's\.bare' has no geometry, hence no tiles\.$"):
        geometry_of(BARE, QueryValues({"geom-column": None}))


def test_layers_are_asked_for_with_what_the_database_can_fold() -> None:
    folding = TextFolding(accents=Folding("x.plain({text})"))
    named = replace(FIRST, columns=(ID, Column("name", "text", "string")))
    values = {"limit": None, "properties": None, "style-only": None, "filter": "ACCENTI(name) = 'a'"}
    (request,) = parse_layers((named,), TMS, 5, 3, 4, QueryValues(values, frozenset({"filter"})), 100, folding)
    assert 'x.plain("name")' in request.selection.where.render()[0]


ARGUMENT = Argument("v", "integer", "integer")


@pytest.mark.parametrize(
    ("text", "collections", "version", "property_"),
    [
        (None, [FIRST], None, None),
        ("abc", [FIRST, SECOND], "abc", None),
        # some clients append it to any address
        ("abc?", [FIRST], "abc", None),
        ("abc", [FIRST, replace(FIRST, columns=(ID, Column("v", "text", "string")))], None, "abc"),
        (
            "7?x",
            [replace(FIRST, kind="function", arguments=(Argument("n", "integer", "integer"), ARGUMENT))],
            None,
            "7?x",
        ),
    ],
)
def test_which_version_is_wanted(
    text: str | None, collections: list[Collection], version: str | None, property_: str | None
) -> None:
    query = QueryValues({"v": text})
    found, query = wanted_version(query, collections)
    assert found == version
    assert (query.extra, query.faults) == ({} if property_ is None else {"v": property_}, [])


def test_more_behind_a_version_is_a_fault() -> None:
    query = QueryValues({"v": "abc?" + "x" * 200})
    wanted_version(query, [FIRST])
    (fault,) = query.faults
    assert fault.loc == ("query", "v")
    assert fault.msg == f"v is followed by '?{'x' * 100}'; parameters are joined by &"
    assert fault.input == "abc?" + "x" * 96

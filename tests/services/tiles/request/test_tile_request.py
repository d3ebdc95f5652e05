"""Path and query become a request for a tile; requests with equal meaning have the same variant."""

from __future__ import annotations

from dataclasses import replace

import pytest

from libs.catalogue.model import Argument, Collection, Column, GeometryColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.errors import Fault, InvalidParameters, NotFound
from libs.pg.text_folding import Folding, TextFolding
from services.tiles.request.plain_tile import plain_tile, tile_of
from services.tiles.request.region import Region
from services.tiles.request.tile_request import TileRequest, geometry_of

GEOM, OTHER = GeometryColumn("geom", "Point", 4326), GeometryColumn("other", "Point", 3857)
COLUMNS = (Column("id", "integer", "integer"), Column("size", "real", "number"), Column("name", "text", "string"))
COLLECTION = Collection(
    "s.t", "s", "t", 1, "table", "T", None, COLUMNS, (GEOM, OTHER), key="id", tile_properties=((0, 3, ("size",)),)
)


def _tile(of: Collection = COLLECTION, /, place: str = "WebMercatorQuad/5/3/4", **parameters: str) -> TileRequest:
    tms, z, x, y = place.split("/")
    given = [(name.replace("_", "-"), text) for name, text in parameters.items()]
    return tile_of(of, tile_matrix_set(tms), int(z), int(x), int(y), 100, given)


def test_without_parameters_and_whatever_the_format_it_is_the_plain_tile() -> None:
    plain = plain_tile(COLLECTION, tile_matrix_set("WebMercatorQuad"), 5, 3, 4, 100)
    assert (plain.variant, plain.limit, plain.geometry, plain.all_properties) == ("", 100, GEOM, True)
    assert (plain.z, plain.x, plain.y, plain.region.srid) == (5, 3, 4, 4326)
    assert plain.selection.properties == COLUMNS
    # for any format and version of the data
    assert _tile(f="json") == _tile(v="0123456789abcdef") == plain
    bounds = (-16280475.528516259, 13775786.985667605, -15028131.257091933, 15028131.257091931)
    assert plain.region == Region(plain.region.bounds, 3857, 4326, of_points=True)
    assert plain.region.bounds == pytest.approx(bounds)


@pytest.mark.parametrize("parameters", [{"limit": "100"}, {"geom_column": "geom"}])
def test_saying_what_is_so_anyway_makes_no_other_tile(parameters: dict[str, str]) -> None:
    assert not _tile(**parameters).variant


def test_rows_are_looked_for_in_the_crs_of_the_column_that_is_chosen() -> None:
    assert _tile(geom_column="other").region.srid == 3857


def test_what_means_something_else_is_another_variant() -> None:
    one = {"limit": "7"}
    others: list[dict[str, str]] = [
        {},
        one,
        {"limit": "8"},
        {"geom_column": "other"},
        {"properties": "id,name,size"},
        {"properties": "name"},
        {"sortby": "size"},
        {"sortby": "-size"},
        {"sortby": "name"},
        {"sortby": "name,size"},
        {"sortby": "size,name"},
        # all of them, but the key is among them then
        {"properties": "id,name,size", **one},
        {"filter": "size > 1"},
        {"filter": "size > 2"},
        {"filter": "size > 2", **one},
    ]
    assert len({_tile(**parameters).variant for parameters in others}) == len(others)
    assert _tile(**one).limit == 7


def test_properties_come_in_the_order_of_the_collection() -> None:
    found = _tile(properties="name,id")
    assert [column.name for column in found.selection.properties] == ["id", "name"]
    assert found.variant == _tile(properties="id,name").variant
    assert not found.all_properties


def test_configuration_hides_properties_unless_requested() -> None:
    def names(place: str, **parameters: str) -> list[str]:
        return [column.name for column in _tile(place=place, **parameters).selection.properties]

    assert [names(f"WebMercatorQuad/{z}/0/0") for z in (0, 3, 4)] == [["size"], ["size"], ["id", "size", "name"]]
    assert names("WebMercatorQuad/3/0/0", limit="7") == ["size"]
    assert names("WebMercatorQuad/3/0/0", properties="id") == ["id"]
    # as wide on the ground as a tile of zoom 4
    assert names("WorldCRS84Quad/3/0/0") == ["id", "size", "name"]
    # the nearest of the configured zooms is meant: 2.8
    assert [names(f"CanadianNAD83_LCC/{z}/3/3") for z in (1, 3)] == [["size"], ["id", "size", "name"]]
    assert names("WebMercatorQuad/0/0/0") == names("WorldMercatorWGS84Quad/0/0/0") == ["size"]


def test_columns_that_make_one_tile_are_the_first_of_them() -> None:
    assert [_tile(place=f"GNOSISGlobalGrid/1/{x}/0").x for x in (0, 1, 2, 3)] == [0, 0, 2, 2]
    assert [_tile(place=f"GNOSISGlobalGrid/1/{x}/1").x for x in (0, 1, 2, 3)] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("parameters", "fault"),
    [
        (
            {"limit": "101"},
            Fault(("query", "limit"), "limit must be at most 100, the operator's maximum", 101, "less_than_equal"),
        ),
        (
            {"geom_column": "none"},
            Fault(("query", "geom-column"), "geom-column none is not possible for tiles", "none"),
        ),
        (
            {"geom_column": "nothing"},
            Fault(("query", "geom-column"), "geom-column 'nothing' does not exist; there are geom, other", "nothing"),
        ),
        (
            {"style_only": "true", "properties": "size"},
            Fault(("query", "style-only"), "style-only and properties cannot be combined", "true"),
        ),
    ],
)
def test_what_makes_no_tile_is_refused_by_its_name(parameters: dict[str, str], fault: Fault) -> None:
    with pytest.raises(InvalidParameters) as refused:
        _tile(**parameters)
    assert refused.value.faults == (fault,)
    # all faults are reported at once
    with pytest.raises(InvalidParameters) as refused:
        _tile(sortby="gone", **parameters)
    assert fault in refused.value.faults
    assert "sortby" in {each.loc[1] for each in refused.value.faults}


def test_a_collection_without_geometries_has_no_tiles() -> None:
    bare = replace(COLLECTION, geometries=())
    for ask in (_tile, geometry_of):
        with pytest.raises(NotFound) as raised:
            ask(bare)
        assert str(raised.value) == "Collection 's.t' has no geometry, hence no tiles."


def test_a_function_is_asked_with_its_arguments() -> None:
    made = replace(COLLECTION, kind="function", arguments=(Argument("days", "integer", "integer", default="7"),))
    found = [_tile(made, **parameters) for parameters in ({}, {"days": "1"}, {"days": "2"})]
    assert [len(request.variant) for request in found] == [0, 18, 18]
    assert len({request.variant for request in found}) == 3
    assert [request.selection.arguments != () for request in found] == [False, True, True]


def test_what_the_database_can_fold_is_folded() -> None:
    folding = TextFolding(accents=Folding("x.plain({text})"))
    given = [("filter", "ACCENTI(name) = 'a'")]
    request = tile_of(COLLECTION, tile_matrix_set("WebMercatorQuad"), 5, 3, 4, 100, given, folding)
    assert 'x.plain("name")' in request.selection.where.render()[0]


def test_the_column_of_a_tileset_is_the_first_where_none_is_named() -> None:
    assert geometry_of(COLLECTION) == GEOM


def _storms(key: str = "integer") -> Collection:
    columns = ("category", "name", "ended", "withdrawn", "note")
    return Collection(
        "s.ts_tracks",
        "s",
        "ts_tracks",
        1,
        "table",
        "Storms",
        None,
        (
            Column("id", key, "integer" if key == "integer" else "string"),
            *(Column(n, "text", "string") for n in columns),
        ),
        (GeometryColumn("geom", "LineString", 4326),),
        key="id",
        time_end="ended",
    )


def test_own_map_gets_the_properties_of_its_style() -> None:
    found = _tile(_storms(), style_only="true")
    assert [column.name for column in found.selection.properties] == ["id", "category", "name", "ended", "withdrawn"]
    # the key is a property of features without an id alone
    assert found.all_properties
    assert found.variant not in ("", _tile(_storms(), properties="id,category,name,ended,withdrawn").variant)
    filtered = _tile(_storms(), style_only="true", filter="name = 'x'")
    assert filtered.variant != found.variant
    # the cache keeps the tiles of a map's first view
    assert (found.usual, filtered.usual, _tile(_storms(), properties="name").usual) == (True, False, False)


def test_without_the_word_there_are_all_properties() -> None:
    for parameters in ({}, {"style_only": "false"}):
        found = _tile(_storms(), **parameters)
        assert (len(found.selection.properties), found.variant) == (6, "")


def test_who_could_not_ask_for_a_feature_has_all_of_it_in_the_tile() -> None:
    plain = _tile(_storms(key="text"))
    assert _tile(_storms(key="text"), style_only="true") == plain
    assert len(plain.selection.properties) == 6


def test_where_the_style_reads_all_there_is_it_is_the_plain_tile() -> None:
    bare = replace(_storms(), columns=_storms().columns[:3])
    assert _tile(bare, style_only="true") == _tile(bare)


def test_what_the_configuration_leaves_out_stays_out() -> None:
    storms = replace(_storms(), tile_properties=((0, 3, ("note", "category")),))
    found = _tile(storms, "WebMercatorQuad/2/1/1", style_only="true")
    assert [column.name for column in found.selection.properties] == ["category"]

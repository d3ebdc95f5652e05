from libs.catalogue.model import Column, GeometryColumn
from libs.pg.column_types import Kind
from libs.selection.columns import column_queryable, geometry_queryable, queryables
from tests.libs.selection.selecting import COLUMNS, collection


def test_a_column_of_labels_is_a_queryable_of_them() -> None:
    found = column_queryable(Column("level", "a.levels", "string", enum=("low", "high")))
    assert (found.kind, found.enum) == (Kind.ENUM, ("low", "high"))


def test_rows_have_their_own_srids_if_the_column_declares_none() -> None:
    kinds = (("Geometry", 0, ()), ("Geometry", 4326, ()), ("Point", 0, ()), ("Point", 0, (0,)), ("Point", 0, (0, 3857)))
    found = [geometry_queryable(GeometryColumn("g", kind, srid, row_srids=srids)) for kind, srid, srids in kinds]
    assert [each.srid for each in found] == [None, 4326, None, 0, None]
    assert found[-1].row_srids == (0, 3857)


def test_a_geography_is_one_to_filters() -> None:
    columns = [GeometryColumn("geom", "Point", 4326, is_geography=is_geography) for is_geography in (False, True)]
    assert [geometry_queryable(column).is_geography for column in columns] == [False, True]


def test_what_is_known_of_a_geometry_column_filters_know() -> None:
    column = GeometryColumn("area", "Polygon", 3857, turns=(-1, 1), crosses=True)
    found = geometry_queryable(column)
    assert (found.name, found.kind, found.is_geography) == ("area", Kind.GEOMETRY, False)
    assert (found.srid, found.geometry_type, found.turns, found.crosses) == (3857, "Polygon", (-1, 1), True)


def test_all_columns_can_be_queried_geometries_last() -> None:
    chosen = collection()
    found = queryables(chosen)
    assert list(found) == [*(column.name for column in COLUMNS), "geom", "area"]
    assert found["mag"] == column_queryable(COLUMNS[1])
    assert found["area"] == geometry_queryable(chosen.geometries[1])

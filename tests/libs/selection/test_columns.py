from libs.catalogue.model import Column, GeometryColumn
from libs.pg.column_types import Kind
from libs.selection.columns import column_queryable, geometry_queryable


def test_a_column_of_labels_is_a_queryable_of_them() -> None:
    found = column_queryable(Column("level", "a.levels", "string", enum=("low", "high")))
    assert (found.kind, found.enum) == (Kind.ENUM, ("low", "high"))


def test_rows_have_srids_of_their_own_where_neither_type_nor_srid_of_the_column_is_said() -> None:
    kinds = (("Geometry", 0), ("Geometry", 4326), ("Point", 0))
    found = [geometry_queryable(GeometryColumn("geom", kind, srid)).srid for kind, srid in kinds]
    assert found == [None, 4326, 0]


def test_a_geography_is_one_to_filters() -> None:
    columns = [GeometryColumn("geom", "Point", 4326, is_geography=is_geography) for is_geography in (False, True)]
    assert [geometry_queryable(column).is_geography for column in columns] == [False, True]

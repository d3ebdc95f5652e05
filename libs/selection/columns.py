"""The queryables of a collection: every column, including geometry columns."""

from collections.abc import Mapping
from functools import lru_cache

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.cql import Queryable
from libs.cql import queryable as make


@lru_cache(maxsize=256)
def queryables(collection: Collection) -> Mapping[str, Queryable]:
    """Return the queryables by property name."""
    return {
        **{column.name: column_queryable(column) for column in collection.columns},
        **{geometry.name: geometry_queryable(geometry) for geometry in collection.geometries},
    }


def column_queryable(column: Column) -> Queryable:
    """Return a column as a queryable."""
    return make(column.name, column.sql_type, enum=column.enum)


def geometry_queryable(geometry: GeometryColumn) -> Queryable:
    """Return a geometry column as a queryable. Without a declared SRID, its rows may have several SRIDs."""
    return make(
        geometry.name,
        "geography" if geometry.is_geography else "geometry",
        srid=None if geometry.is_mixed else geometry.srid,
        row_srids=geometry.row_srids,
        geometry_type=geometry.type,
        turns=geometry.turns,
        crosses=geometry.crosses,
    )

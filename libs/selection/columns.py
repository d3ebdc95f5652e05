"""The queryables of a collection: every column, geometry columns included."""

from collections.abc import Mapping
from functools import lru_cache

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.cql import Queryable
from libs.cql import queryable as make


@lru_cache(maxsize=256)
def queryables(collection: Collection) -> Mapping[str, Queryable]:
    """By property name."""
    return {
        **{column.name: column_queryable(column) for column in collection.columns},
        **{geometry.name: geometry_queryable(geometry) for geometry in collection.geometries},
    }


def column_queryable(column: Column) -> Queryable:
    """A column as filters see it."""
    return make(column.name, column.sql_type, enum=column.enum)


def geometry_queryable(geometry: GeometryColumn) -> Queryable:
    """A geometry column as filters see it. A column of any type and no SRID may hold rows of several SRIDs."""
    mixed = geometry.type == "Geometry" and geometry.srid == 0
    return make(
        geometry.name,
        "geography" if geometry.is_geography else "geometry",
        srid=None if mixed else geometry.srid,
        geometry_type=geometry.type,
        turns=geometry.turns,
        crosses=geometry.crosses,
    )

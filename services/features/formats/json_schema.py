"""JSON Schema members that queryables, sortables and the schema share."""

from libs.catalogue.model import Argument, Column, GeometryColumn
from services.features.formats.ucum import ucum

SCHEMA = "https://json-schema.org/draft/2020-12/schema"


def column_members(column: Column) -> dict[str, str]:
    """Return the schema members of a column."""
    members = {
        "title": column.title or column.name,
        "description": column.description,
        "type": column.type,
        "format": column.format,
    }
    return {**{name: value for name, value in members.items() if value}, **unit_members(column.unit)}


def argument_schema(argument: Argument) -> dict[str, str]:
    """Return the schema of a function's argument, as a queryable."""
    default = "required" if argument.default is None else f"default {argument.default}"
    members = {
        "title": argument.name,
        "description": f"Argument of the function, {default}.",
        "type": argument.type,
        "format": argument.format,
    }
    return {name: value for name, value in members.items() if value}


def unit_members(unit: str | None) -> dict[str, str]:
    """Return the unit of a property: its UCUM code, if known, and its common name, if that differs."""
    if unit is None:
        return {}
    code = ucum(unit)
    return {**({"x-ogc-unit": code} if code else {}), **({"x-dams-unitLabel": unit} if unit != code else {})}


def geometry_format(geometry: GeometryColumn) -> str:
    """Return a spatial property's format, such as `geometry-point` (/req/queryables/get-queryables-response-body)."""
    if geometry.is_cut and geometry.type in ("LineString", "Polygon"):
        # geometries that cross the antimeridian are cut in two
        return "geometry-any"
    known = ("Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection")
    return f"geometry-{geometry.type.lower()}" if geometry.type in known else "geometry-any"

"""Words of JSON Schema that queryables and the schema share."""

from libs.catalogue.model import Argument, GeometryColumn


def argument_schema(argument: Argument) -> dict[str, str]:
    """An argument of a function as a queryable."""
    default = "required" if argument.default is None else f"default {argument.default}"
    members = {
        "title": argument.name,
        "description": f"Argument of the function, {default}.",
        "type": argument.type,
        "format": argument.format,
    }
    return {name: value for name, value in members.items() if value}


def geometry_format(geometry: GeometryColumn) -> str:
    """The format of a spatial property, such as `geometry-point` (/req/queryables/get-queryables-response-body)."""
    if geometry.turns and geometry.type in ("LineString", "Polygon"):
        # cut in two where it crosses the antimeridian
        return "geometry-any"
    known = ("Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection")
    return f"geometry-{geometry.type.lower()}" if geometry.type in known else "geometry-any"

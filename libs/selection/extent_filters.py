"""`bbox` and `datetime` as conditions that keep the GiST and btree indexes usable."""

from datetime import UTC

from libs.catalog.model import GeometryColumn, TimeColumn
from libs.ogc.bbox import BBox
from libs.ogc.temporal import Interval
from libs.pg.sql import Sql, any_of, bind, ident, sql

# Web Mercator and its like have no poles; a degree of latitude less loses no tile
_NO_POLES = 89.99


def bbox_condition(column: GeometryColumn, box: BBox) -> Sql:
    """Rows whose geometry shares a point with the box (/req/core/fc-bbox-response).

    The box is transformed, not the column, so that the GiST index stays usable; its edges are densified first,
    for they are bent in another CRS.
    """
    return any_of(_one_box(column, part) for part in box.parts())


def _one_box(column: GeometryColumn, box: BBox) -> Sql:
    name = ident(column.name)
    if column.is_geography:
        # planar edges as the standard means them: geodesic ones would leave the box between its corners
        name = sql("{name}::geometry", name=name)
    south, north = box.south, box.north
    if column.srid not in (0, 4326):
        south, north = max(south, -_NO_POLES), min(north, _NO_POLES)
    envelope = sql(
        "ST_MakeEnvelope({west}, {south}, {east}, {north}, {srid})",
        west=bind(box.west, "float8"),
        south=bind(south, "float8"),
        east=bind(box.east, "float8"),
        north=bind(north, "float8"),
        srid=bind(0 if column.srid == 0 else 4326, "int4"),
    )
    if column.srid not in (0, 4326):
        envelope = sql(
            "ST_Transform(ST_Segmentize({envelope}, 1), {srid})",
            envelope=envelope,
            srid=bind(column.srid, "int4"),
        )
    return sql("ST_Intersects({name}, {envelope})", name=name, envelope=envelope)


def datetime_condition(column: TimeColumn, interval: Interval) -> Sql:
    """Rows whose time lies in the closed interval (/req/core/fc-time-response); a null time never does."""
    name = ident(column.name)
    conditions = []
    for operator, moment in ((">=", interval.start), ("<=", interval.end)):
        if moment is None:
            continue
        if column.sql_type == "date":
            value = bind(moment.astimezone(UTC).date(), "date")
        elif column.sql_type.startswith("timestamp") and column.sql_type.endswith("without time zone"):
            value = bind(moment.astimezone(UTC).replace(tzinfo=None), "timestamp")
        else:
            value = bind(moment, "timestamptz")
        template = "{name} >= {value}" if operator == ">=" else "{name} <= {value}"
        conditions.append(sql(template, name=name, value=value))
    if not conditions:
        return sql("{name} IS NOT NULL", name=name)
    if len(conditions) == 1:
        return conditions[0]
    return sql("{first} AND {second}", first=conditions[0], second=conditions[1])

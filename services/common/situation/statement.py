"""SQL that reads the features of a topic. Pure."""

from datetime import UTC, datetime, time, timedelta

from libs.catalogue.basins import BASIN
from libs.catalogue.feature_name import name_columns
from libs.catalogue.impacts import headline_of
from libs.catalogue.model import Collection, GeometryColumn, TimeColumn
from libs.catalogue.modules import EVENT_KEY
from libs.geo.shape_sql import in_lonlat
from libs.pg.column_types import Kind, column_type
from libs.pg.sql import Sql, bind, ident, join, sql
from services.common.situation.asked import Asked

LIMIT = 4
"""Maximum number of features of a topic on the page."""
_LEVEL, _LEVELS = "alert_level", ("Green", "Yellow", "Orange", "Red")
_TOLD = frozenset(
    (
        *("source", "country", "magnitude", "category", "alert_level", "main_cause", BASIN),
        *("max_wind_kt", "wind_kt", "wind_speed_kt", "nearest_place", "nearest_place_km", "nearest_place_bearing"),
    )
)
"""Columns that the badge, or a title in another language than English, is made from."""


def columns_of(collection: Collection) -> list[str]:
    """Return the columns of a line about a feature."""
    known = [column.name for column in collection.columns]
    pair = collection.period_columns()
    first = collection.time()
    wanted = [collection.key, *_TOLD, *name_columns(known), collection.time_issued]
    wanted += [first.name if first else None, pair[1].name if pair else None]
    return [name for name in known if name in wanted]


def newest(
    collection: Collection, asked: Asked, present: datetime, *, only_present: bool, impacts: bool = False
) -> Sql:
    """Select the newest features: number of matches, longitude, latitude, headline of the impact, then `columns_of`.

    `only_present` selects those that are active at `present`, or from the days before it, the most severe first; with
    `impacts`, those with the most people come first, and unknown numbers before 0. Without `only_present` there may be
    a million matches, whose number the page does not show: it is 0 then, so that an index returns the newest at once.
    """
    first = collection.time()
    if first is None:
        raise ValueError("the collection has no time")
    conditions = [
        *(
            sql("{column} >= {least}", column=ident(name), least=bind(least, "float8"))
            for name, least in asked.at_least.items()
        ),
        *(sql("{column} IS NULL", column=ident(name)) for name in asked.unset),
        sql("{column} IS NOT NULL", column=ident(collection.time_issued or first.name)),
    ]
    if only_present:
        conditions += _present(collection, asked, first, present)
    geometry = collection.geometry()
    names = [ident(name) for name in columns_of(collection)]
    order = sql("{time} DESC", time=ident(collection.time_issued or first.name))
    headline = sql("NULL::jsonb")
    if only_present:
        order = join(", ", [*_severity(collection), order])
    if impacts:
        headline = headline_of(sql("{event}::text", event=ident(collection.schema, collection.name, EVENT_KEY)))
        if only_present:
            people = sql("coalesce(({headline} ->> 'people')::float8, 0.5)", headline=headline)
            order = sql("{people} DESC, {others}", people=people, others=order)
    return sql(
        "SELECT {matched}, {place}, {headline}::text AS headline{columns} FROM {table} WHERE {where}"
        " ORDER BY {order} LIMIT {limit}",
        headline=headline,
        matched=sql("count(*) OVER ()" if only_present else "0"),
        place=_place(geometry) if geometry else sql("NULL, NULL"),
        columns=sql(", {names}", names=join(", ", names)) if names else Sql(),
        table=ident(collection.schema, collection.name),
        where=join(" AND ", conditions),
        order=order,
        limit=bind(LIMIT, "int4"),
    )


def _severity(collection: Collection) -> list[Sql]:
    """Return the terms of the order that put the most severe first: by alert level, else as in the collections file.

    The alert level of an earthquake is known later than its magnitude.
    """
    names = {column.name for column in collection.columns}
    if _LEVEL in names and "magnitude" not in names:
        known = bind(list(_LEVELS), "text[]")
        return [sql("array_position({known}, {level}::text) DESC NULLS LAST", known=known, level=ident(_LEVEL))]
    worst = [term.removeprefix("-") for term in collection.importance if term.startswith("-")]
    return [sql("{column} DESC NULLS LAST", column=ident(name)) for name in worst if name in names]


def _present(collection: Collection, asked: Asked, first: TimeColumn, present: datetime) -> list[Sql]:
    pair = collection.period_columns()
    begun = sql("{column} <= {present}", column=ident(first.name), present=_bind_moment(first, present))
    if pair is None:
        since = _bind_moment(first, present - timedelta(days=asked.days))
        return [begun, sql("{column} >= {since}", column=ident(first.name), since=since)]
    ended = sql(
        "({column} IS NULL OR {column} >= {present})",
        column=ident(pair[1].name),
        present=_bind_moment(pair[1], present),
    )
    return [begun, ended]


def _bind_moment(column: TimeColumn, moment: datetime) -> Sql:
    """Return the moment in the column's type, so that an index is used; a date is a whole day in UTC."""
    moment = moment.astimezone(UTC)
    if column_type(column.sql_type).kind is Kind.DATE:
        return bind(moment.date(), "date")
    if "with time zone" in column.sql_type or column.sql_type.startswith("timestamptz"):
        return bind(moment, "timestamptz")
    return bind(datetime.combine(moment.date(), time(moment.hour, moment.minute, moment.second)), "timestamp")


def _place(geometry: GeometryColumn) -> Sql:
    """Return longitude and latitude of the middle of the first part's box: cheap, and never across the antimeridian."""
    column = ident(geometry.name)
    shape = sql("{column}::geometry", column=column) if geometry.is_geography else column
    part = sql("ST_Centroid(ST_Envelope(ST_GeometryN({shape}, 1)))", shape=shape)
    placed = in_lonlat(part, None if geometry.is_mixed else geometry.srid)
    return sql("ST_X({placed}), ST_Y({placed})", placed=placed)

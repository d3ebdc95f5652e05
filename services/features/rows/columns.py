"""The columns to fetch of a row: how each is selected, and its index in the row. Pure."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import LiteralString

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.catalogue.modules import EVENT_KEY, PRODUCTS
from libs.geo.crs import CRS84
from libs.pg.column_types import Kind, base_type, types_where
from libs.pg.json_values import as_json
from libs.pg.sql import Sql, bind, ident, join, sql
from libs.selection.ids import composite_id
from libs.selection.selection import Selection, SortTerm
from services.features.request.items_query import AS_STORED, GeometryOptions
from services.features.request.order import sort_expression
from services.features.rows.geometry_sql import encoded_geometry
from services.features.rows.layout import Conversion, Layout, rfc3339_dates, rfc3339_times

CALENDAR: Mapping[str, Conversion] = {
    **dict.fromkeys(types_where(Kind.DATE), rfc3339_dates),
    **dict.fromkeys(types_where(Kind.TIMESTAMP), rfc3339_times),
}
"""Types that are fetched as text, and the conversion of each to a value."""
_LONLAT = ("longitude", "latitude", "altitude")
_PLANE = 2
_NATIVE = types_where(native=True)
_SAME_TEXT = types_where(Kind.INTEGER, Kind.STRING) | CALENDAR.keys()
"""Types fetched as the text that PostgreSQL has for them, or whose text is the same in Python."""
_NUMERIC: LiteralString = (
    "CASE WHEN {name} BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308 THEN {name}::text"
    " || CASE WHEN scale({name}) = 0"
)
"""A number within the range of doubles, as text; a condition on integers, which get a decimal, may follow."""
_TEMPLATES: Mapping[str, LiteralString] = {
    **dict.fromkeys(_NATIVE, "{name}"),
    # its shortest decimal form, not the form of the double that the driver converts it to
    "real": "{name}::text::float8",
    # JSON has finite numbers only, and its readers accept only those in the range of doubles. Clients take a column
    # whose first values are integers for a column of 64-bit integers, and would cut larger values to these.
    "numeric": _NUMERIC + " AND abs({name}) >= 9223372036854775808 THEN '.0' ELSE '' END END",
    **dict.fromkeys(types_where(by_numeric=True), "{name}::numeric::text"),
    **dict.fromkeys(types_where(Kind.JSON), "{name}::text"),
    **dict.fromkeys(CALENDAR, "{name}::text"),
}
"""SQL to select columns of each type; other types as text, or as PostgreSQL converts them to JSON."""
_UNSCALED: LiteralString = _NUMERIC + " THEN '.0' ELSE '' END END"
"""SQL to select a `numeric` column without a scale: an integer gets a decimal, because fractions may follow."""


def columns_of(selection: Selection, geometry_as: str, options: GeometryOptions = AS_STORED) -> tuple[Sql, Layout]:
    """Return the columns (key, geometry, properties) and their layout. `geometry_as` is that of `encoded_geometry`."""
    collection = selection.collection
    if options.lonlat:
        geometry_as = "wkt"
    if options.simplify is None and selection.properties is collection.columns:
        return _all_columns(collection, selection.geometry, geometry_as, options)
    shape = _shape(selection.geometry, geometry_as, options)
    return _columns(collection, selection.properties, shape, options, selection.geometry)


@lru_cache(maxsize=512)
def _all_columns(
    collection: Collection, geometry: GeometryColumn | None, geometry_as: str, options: GeometryOptions
) -> tuple[Sql, Layout]:
    """Return the columns of most requests, built once."""
    shape = _shape(geometry, geometry_as, options)
    columns, layout = _columns(collection, collection.columns, shape, options, geometry)
    return columns.merge_texts(), layout


def _shape(geometry: GeometryColumn | None, geometry_as: str, options: GeometryOptions) -> Sql | None:
    if geometry is None:
        return None
    return encoded_geometry(geometry, geometry_as, options)


def _columns(
    collection: Collection,
    properties: tuple[Column, ...],
    geometry: Sql | None,
    options: GeometryOptions,
    shown: GeometryColumn | None,
) -> tuple[Sql, Layout]:
    columns, types, numeric_id, composite = [], [], False, False
    if collection.key is not None:
        key = collection.column(collection.key)
        numeric_id = key is not None and key.type == "number"
        columns.append(sql("NULL") if key is None else _id(key))
        types.append("" if key is None else base_type(key.sql_type))
    elif collection.id_columns:
        composite = True
        columns.append(composite_id(collection.id_columns))
        types.append("")
    if geometry is not None:
        columns.append(geometry)
        types.append("")
    columns += [_property_value(collection, column, options.base) for column in properties]
    types += [base_type(column.sql_type) for column in properties]
    raw = [column.type != "string" and base_type(column.sql_type) not in _NATIVE for column in properties]
    times = tuple((place, CALENDAR[sql_type]) for place, sql_type in enumerate(types) if sql_type in CALENDAR)
    large = types[:1] == ["bigint"] and collection.key is not None
    layout = Layout(
        key=collection.key,
        has_geometry=geometry is not None,
        properties=properties,
        raw_json=tuple(raw),
        times=times,
        numeric_id=numeric_id,
        large_id=large,
        composite=composite,
        crs=None if options.crs is CRS84 else options.crs.uri,
        collection_id=collection.id,
        lonlat=_LONLAT[: 3 if shown.dimensions > _PLANE else 2] if shown is not None and options.lonlat else (),
    )
    return join(", ", columns), layout


def _id(key: Column) -> Sql:
    # an id is a number or a text, and never empty
    if base_type(key.sql_type) == "numeric":
        return sql("CASE WHEN {name} > '-Infinity' AND {name} < 'Infinity' THEN {name}::text END", name=ident(key.name))
    plain = key.type in ("integer", "number", "string") and base_type(key.sql_type) != "oid"
    return _property(key) if plain else sql("{name}::text", name=ident(key.name))


def _property_value(collection: Collection, column: Column, base: str) -> Sql:
    """A property; of one that leads to a product of this service the address of that, where there is such a product."""
    behind, stored = PRODUCTS.get(column.name), _property(column)
    if behind is None or not base or collection.product_source is None or column.type != "string":
        return stored
    return sql(
        # renamed, as a bare event_id would be its own
        "coalesce((SELECT {base} || '/events/' || product.segment || {behind} FROM impact.event AS product (product_id)"
        " WHERE product.product_id = {event}::text AND (product.has_zones OR {always})), {stored})",
        base=bind(base, "text"),
        behind=bind(behind, "text"),
        event=ident(EVENT_KEY),
        # features have a bundle whether there are zones or not
        always=bind(column.name == "shapefile_url", "boolean"),
        stored=stored,
    )


def _property(column: Column) -> Sql:
    sql_type, name = base_type(column.sql_type), ident(column.name)
    if column.sql_type == "numeric":
        return sql(_UNSCALED, name=name)
    template = _TEMPLATES.get(sql_type) or ("{name}::text" if column.type == "string" else None)
    return as_json(name, sql_type) if template is None else sql(template, name=name)


def sort_places(order: Sequence[SortTerm], layout: Layout) -> tuple[tuple[int, ...], list[Sql]]:
    """Return the indices of a total order's values in the row, and the columns to fetch in addition."""
    end = layout.has_id + layout.has_geometry + len(layout.properties)
    places: list[int] = []
    more: list[Sql] = []
    for term in order:
        # an expression is not a property, even if it has the name of one
        place = None if term.expression is not None else _place(term.column, layout)
        if place is None:
            place = end + len(more)
            more.append(sort_value(term))
        places.append(place)
    return tuple(places), more


def _place(column: Column, layout: Layout) -> int | None:
    """Return the index of a column's value in the form that a cursor needs."""
    if base_type(column.sql_type) not in _SAME_TEXT:
        return None
    if column.name == layout.key:
        return 0
    start = layout.has_id + layout.has_geometry
    names = (entry.name for entry in layout.properties)
    return next((place for place, name in enumerate(names, start) if name == column.name), None)


def sort_value(term: SortTerm) -> Sql:
    """Return a value for a cursor: PostgreSQL's own text, which it reads back as the same value for any type."""
    return sql("({value})::text" if term.expression else "{value}::text", value=sort_expression(term))

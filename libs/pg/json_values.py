"""Convert arrays, composite values and hstore to the JSON text of features and tiles."""

from libs.pg.column_types import Kind, column_type
from libs.pg.sql import Sql, sql


def as_json(value: Sql, sql_type: str) -> Sql:
    """Return the JSON text of a value of this type; its members are formatted like columns of their type.

    Times are in RFC 3339 and UTC; times that it cannot represent and non-finite numbers become null.
    """
    if not sql_type.endswith("[]"):
        return sql("to_json({value})::text", value=value)
    element = column_type(sql_type.removesuffix("[]"))
    number = "numeric" if element.by_numeric else "int8" if element.name == "oid" else None
    if number is not None:
        # as an array of their own type they would become texts
        value = sql("{value}::{number}[]", value=value, number=Sql((number,)))
    text = sql("to_json({value})::text", value=value)
    if element.kind is Kind.GEOMETRY:
        return _remove_crs(text)
    if element.kind in (Kind.DATE, Kind.TIMESTAMP):
        return _times(text, element.name)
    if element.name == "numeric":
        # like a single value: 309 digits exceed the doubles; written as 3 times 103 because regular expressions count
        # to 255
        text = sql("regexp_replace({text}, '([[,])-?([0-9]{{103}}){{3}}[0-9]*(\\.[0-9]+)?', '\\1null', 'g')", text=text)
    if element.kind is Kind.NUMBER:
        return sql("regexp_replace({text}, '\"(NaN|-?Infinity)\"', 'null', 'g')", text=text)
    return text


def _remove_crs(text: Sql) -> Sql:
    """The text without the CRS that PostGIS writes into GeoJSON: RFC 7946 does not allow it (section 4)."""
    # in a string the quotes would be escaped
    return sql(
        'regexp_replace({text}, \'"crs":\\{{"type":"name","properties":\\{{"name":"[^"]*"\\}}\\}},\', \'\', \'g\')',
        text=text,
    )


def _times(text: Sql, element: str) -> Sql:
    # infinity, and years that RFC 3339 cannot represent
    text = sql("regexp_replace({text}, '\"(-?infinity|[^\"]* BC|[0-9]{{5,}}-[^\"]*)\"', 'null', 'g')", text=text)
    if element == "timestamp with time zone":
        return sql("replace({text}, '+00:00\"', 'Z\"')", text=text)
    if element == "timestamp without time zone":
        return sql("regexp_replace({text}, '([0-9])\"', '\\1Z\"', 'g')", text=text)
    return text

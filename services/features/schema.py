"""GET /collections/{collectionId}/schema and /schema/feature: what queryables cannot say (OGC 23-058r2, Common Part 3).

These are the values of columns with few distinct ones, ranges of numbers and times, and the items of arrays.
"""

from math import isfinite
from typing import Any

from aiohttp import web

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.ogc.link import path_segment
from libs.ogc.media_type import MediaType
from libs.pg.column_types import Kind, column_type
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import check_preconditions, check_tag, conditional, data_headers
from libs.web.html import page_response
from libs.web.respond import json_bytes, json_response, links_json, representations
from services.features.answer import Answer
from services.features.formats.feature_schema import feature_schema_json
from services.features.formats.json_schema import SCHEMA, argument_schema, column_members, geometry_format
from services.features.resources import CATALOGUE, VALUES, VERSIONS
from services.features.rows.value_ranges import ValueRange
from services.features.sending import send


async def get_schema(call: Call) -> web.StreamResponse:
    """Return the JSON Schema of the collection's features."""
    app, request = call.request.app, call.request
    collection = app[CATALOGUE].collection(call.path["collectionId"])
    answer = Answer(data_headers(request, call.media_type, app[VERSIONS].version(collection)))
    check_tag(request, answer.headers)
    call.query.check()
    check_preconditions(request, answer.headers)
    address = f"{base_url(call.request)}/collections/{path_segment(collection.id)}/schema"
    ranges = await app[VALUES].ranges(collection)
    if ranges is None:
        answer = answer.as_incomplete()
    document = schema_json(collection, ranges or {}, address)
    if call.media_type == MediaType.HTML:
        links = links_json(representations(address, call.media_type, call.offers))
        context = {"collection": collection, "document": document, "links": links}
        return page_response(call.request, "schema.html", context, headers=answer.headers)
    return await send(request, answer.with_body(json_bytes(document), call.media_type))


async def get_feature_schema(call: Call) -> web.StreamResponse:
    """Return the JSON Schema of one feature in GeoJSON, to which `rel=describedby` of the collection leads."""
    call.query.check()
    collection = call.request.app[CATALOGUE].collection(call.path["collectionId"])
    address = f"{base_url(call.request)}/collections/{path_segment(collection.id)}/schema/feature"
    document = feature_schema_json(collection, address)
    return conditional(call.request, json_response(document, media_type=MediaType.SCHEMAJSON))


def schema_json(collection: Collection, ranges: dict[str, ValueRange], address: str) -> dict[str, Any]:
    """Return a JSON Schema with a property per column, geometries included (/req/schemas/properties).

    Columns that are never null are `required`.
    """
    times = _time_roles(collection)
    properties: dict[str, Any] = {}
    for position, geometry in enumerate(collection.geometries):
        properties[geometry.name] = _geometry(geometry, ranges.get(geometry.name), primary=position == 0)
    for argument in collection.arguments:
        if argument.name:
            properties[argument.name] = {**argument_schema(argument), "x-ogc-role": "argument"}
    for column in collection.columns:
        members = _column(column, ranges.get(column.name))
        if column.name == collection.key:
            members["x-ogc-role"] = "id"
        elif column.name in times:
            members["x-ogc-role"] = times[column.name]
        properties[column.name] = members
    for place, members in enumerate(properties.values(), start=1):
        members["x-ogc-propertySeq"] = place
    required = [column.name for column in collection.columns if _is_always_given(column)]
    return {
        "$schema": SCHEMA,
        "$id": address,
        "title": collection.title,
        **({"description": collection.description} if collection.description else {}),
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _time_roles(collection: Collection) -> dict[str, str]:
    """Return the columns that `datetime` tests, and their roles."""
    pair = collection.period_columns()
    if pair is not None:
        if len({column.format for column in collection.columns if column.name in (pair[0].name, pair[1].name)}) > 1:
            # both are days or both are times (/req/advanced-property-roles/primary-temporal-constraints)
            return {}
        return {pair[0].name: "primary-interval-start", pair[1].name: "primary-interval-end"}
    time = collection.time()
    return {time.name: "primary-instant"} if time is not None and not time.is_period else {}


def _is_always_given(column: Column) -> bool:
    # JSON cannot represent infinite times and non-finite numbers
    return column.not_null and column.type != "number" and column.format not in ("date", "date-time")


def _column(column: Column, found: ValueRange | None) -> dict[str, Any]:
    values = column.enum or (found.values if found is not None else None)
    members: dict[str, Any] = {**column_members(column), "enum": [*values] if values else None}
    if column_type(column.sql_type).kind is Kind.JSON:
        # its content is unknown
        members["type"] = ["object", "array", "string", "number", "boolean"]
    if column.type == "array":
        members["items"] = {"type": [column.items, "null"]} if column.items else {}
    if found is not None:
        numeric = column.type in ("integer", "number")
        members["minimum" if numeric else "formatMinimum"] = _plain(found.minimum)
        members["maximum" if numeric else "formatMaximum"] = _plain(found.maximum)
    return {name: value for name, value in members.items() if value is not None}


def _plain(value: Any) -> Any:
    """Return the value, or None if JSON cannot represent it."""
    return None if isinstance(value, float) and not isfinite(value) else value


def _geometry(geometry: GeometryColumn, found: ValueRange | None, *, primary: bool) -> dict[str, Any]:
    role = {"x-ogc-role": "primary-geometry"} if primary else {}
    said = {}
    if found is not None and found.omitted:
        said["description"] = f"Outside longitude and latitude, hence null: {found.omitted}"
    return {"title": geometry.name, **said, "format": geometry_format(geometry), **role}

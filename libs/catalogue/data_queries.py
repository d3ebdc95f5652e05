"""The members of a Collection that OGC API EDR adds: data queries, parameters and output formats.

They follow from the links of the services that serve the queries, so that a missing service is not advertised.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

from libs.catalogue.model import Collection, Column
from libs.catalogue.modules import EVENT_KEY
from libs.ogc.link import Link
from libs.ogc.media_type import MediaType

_DEFAULT_FORMAT = "geojson"
_UNITS = ("km", "m", "ft", "mi", "nmi")
_UNITS_OF: Mapping[str, Mapping[str, Sequence[str]]] = {
    "radius": {"within_units": _UNITS},
    "corridor": {"width_units": _UNITS, "height_units": ("m",)},
}


_VERSIONS = "predecessor-version"
INSTANCES = "instances"


def instance_columns(collection: Collection) -> tuple[Column, Column] | None:
    """Return the columns of event and issue time that make an instance, such as an advisory; None without instances.

    A collection has instances if its features have earlier versions.
    """
    if collection.time_issued is None or _VERSIONS not in (rel for rel, _ in collection.item_links):
        return None
    event, issued = collection.column(EVENT_KEY), collection.column(collection.time_issued)
    return (event, issued) if event and issued and issued.format == "date-time" else None


def data_queries_json(
    collection: Collection, links: Sequence[Link], formats: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return the members for these links of the collection; empty if none of them is a data query.

    A data query is a template with relation `data`, whose path ends with the type of the query. `formats` are those of
    an instance; a collection has the formats of its links to items, which are a query, too.
    """
    addresses = [link.href.partition("{")[0] for link in links if link.rel == "data" and link.templated]
    if not addresses:
        return {}
    items = [link.href for link in links if link.rel == "items" and link.type != MediaType.HTML]
    if formats is None:
        formats = [parse_qs(urlsplit(href).query).get("f", [_DEFAULT_FORMAT])[0] for href in items]
        addresses += [href.partition("?")[0] for href in items[:1]]
    return {
        "data_queries": dict(_data_queries(addresses, formats)),
        "output_formats": formats,
        "parameter_names": {column.name: _parameter(column) for column in collection.columns},
    }


def _data_queries(addresses: Iterable[str], formats: Sequence[str]) -> Iterable[tuple[str, dict[str, Any]]]:
    for address in addresses:
        query_type = address.rpartition("/")[2]
        if query_type == INSTANCES:
            variables: dict[str, Any] = {"query_type": query_type, "output_formats": ["json"]}
            link = {"href": address, "rel": "data", "type": MediaType.JSON, "variables": variables}
            yield query_type, {"link": link}
            continue
        variables = {
            "query_type": query_type,
            "output_formats": formats,
            "default_output_format": _DEFAULT_FORMAT,
            **_UNITS_OF.get(query_type, {}),
        }
        link = {"href": address, "rel": "data", "type": "application/geo+json", "variables": variables}
        yield query_type, {"link": link}


def _parameter(column: Column) -> dict[str, Any]:
    unit = {"unit": {"symbol": column.unit}} if column.unit else {}
    return {
        "type": "Parameter",
        "observedProperty": {"id": column.name, "label": column.title or column.name},
        **unit,
    }

"""The formats of features. To add one: a module beside this one with a `FORMAT`, and its name here.

Links, negotiation, the OpenAPI document, pages and handlers use this registry.
"""

from collections.abc import Mapping
from importlib import import_module

from libs.catalogue.model import Collection
from libs.ogc.crs import CRS84, CRS84H
from libs.ogc.errors import NotAcceptable
from libs.ogc.link import is_web_address
from libs.ogc.media_type import MediaType, name_format
from libs.web.query_params import QueryValues
from services.features.formats import csv
from services.features.formats.format import FeatureFormat, FileFormat, Format
from services.features.formats.geojson import GeoJson
from services.features.formats.jsonfg import JSONFG, JSONFG_PLUS, RFC7946, JsonFg, Rfc7946, profile_name

_MODULES = (
    "geojson",
    "html",
    "json",
    "csv",
    "geojsonseq",
    "ndjson",
    "fgb",
    "parquet",
    "gpkg",
)
"""Names in order of preference; the first is the default of clients that name no format."""

FORMATS: tuple[Format, ...] = tuple(import_module(f"{__package__}.{name}").FORMAT for name in _MODULES)
MEDIA_TYPES = tuple(entry.media_type for entry in FORMATS)
FEATURE_FORMATS: Mapping[str, FeatureFormat] = {
    entry.media_type: entry for entry in FORMATS if isinstance(entry, FeatureFormat)
}
"""Formats by media type, without HTML, which `pages/` renders."""
EXPORT_FORMATS: Mapping[str, FeatureFormat | FileFormat] = {
    entry.media_type: entry for entry in FORMATS if isinstance(entry, FeatureFormat | FileFormat)
}
"""Formats of whole collections, by media type."""
WITH_LINKS = frozenset(entry.media_type for entry in FORMATS if entry.has_links)
"""Media types of formats whose bodies contain links."""

_DEFAULT = FORMATS[0].media_type
_PROFILES = (RFC7946, JSONFG, JSONFG_PLUS)


def page_format(media_type: str, query: QueryValues, collection: Collection) -> FeatureFormat | FileFormat | None:
    """Return the format of a page or a feature with its options; None for HTML. Adds a fault for each wrong option."""
    format_ = format_of(media_type, named=query.values["f"] is not None)
    refuse_options(query, format_)
    return apply_profile(format_, query, collection)


def export_format(media_type: str, query: QueryValues, collection: Collection) -> FeatureFormat | FileFormat:
    """Return the format of an export with its options. Adds a fault for each wrong option. Raises NotAcceptable."""
    format_ = apply_profile(EXPORT_FORMATS.get(media_type), query, collection)
    if format_ is None:
        raise NotAcceptable("none of the accepted media types is offered")
    refuse_options(query, format_)
    return format_


def format_of(media_type: str, *, named: bool) -> FeatureFormat | FileFormat | None:
    """Return the format of a response of this type, which `f` (`named`) or the `Accept` header chose; None for HTML.

    A client that accepts plain JSON without `f` is a client of OGC API Features, which expects GeoJSON.
    """
    return EXPORT_FORMATS.get(media_type if named or media_type != MediaType.JSON else _DEFAULT)


def apply_profile(
    format_: FeatureFormat | FileFormat | None, query: QueryValues, collection: Collection
) -> FeatureFormat | FileFormat | None:
    """Return the format with the effect of `profile`, `bom` and `separator`.

    The first requested profile that the format has is used. Formats without it, and addresses of other profiles, do not
    lead to a fault (/rec/profile-parameter/profile-negotiation); unknown names do.
    """
    names = [profile_name(text) for text in query.values["profile"] or ()]
    if format_ is csv.FORMAT:
        separator = query.values.get("separator") or "comma"
        format_ = csv.csv_of(for_spreadsheets=bool(query.values.get("bom")), separator=separator)
    for name in names:
        if name not in _PROFILES and not is_web_address(name):
            sentence = f"profile '{name}' is unknown; there are {', '.join(_PROFILES)}, and addresses of others"
            query.fault("profile", sentence, "enum", name)
    profile = next((name for name in names if name in _PROFILES), None)
    if profile is None or type(format_) is not GeoJson:
        return format_
    if profile == RFC7946:
        return Rfc7946()
    # the plain profile, if features would need two geometries
    is_plus = profile == JSONFG_PLUS and query.values.get("crs") in {None, CRS84, CRS84H}
    return JsonFg(collection, JSONFG_PLUS if is_plus else JSONFG)


def refuse_options(query: QueryValues, format_: Format | None) -> None:
    """Add a fault for each parameter that belongs to other formats, or to none of a page."""
    if query.values.get("bom") and not (format_ and format_.byte_order_mark):
        query.fault("bom", "bom is for CSV alone")
    if query.values.get("separator") and not (format_ and format_.byte_order_mark):
        query.fault("separator", "separator is for CSV alone", "enum", query.values["separator"])
    if query.values["geometry"] is not None and not (format_ and format_.of_rows):
        names = ", ".join(entry.name for entry in FEATURE_FORMATS.values() if entry.of_rows)
        query.fault("geometry", f"geometry is for rows alone: f={names}", "enum", query.values["geometry"])


for _entry in FORMATS:
    name_format(_entry.name, _entry.media_type, _entry.label, _entry.aliases)

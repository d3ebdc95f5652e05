"""The formats of features. To add one: a module beside this one with a `FORMAT`, and its name here.

Links, negotiation, the OpenAPI document, pages and the handlers follow from this.
"""

from collections.abc import Mapping
from importlib import import_module

from libs.ogc.media_type import name_format
from services.features.formats.format import FeatureFormat, Format

_MODULES = (
    "geojson",
    "html",
    "json",
    "csv",
    "geojsonseq",
    "ndjson",
)
"""In the order of preference; the first is answered where the client names none."""

FORMATS: tuple[Format, ...] = tuple(import_module(f"{__package__}.{name}").FORMAT for name in _MODULES)
MEDIA_TYPES = tuple(entry.media_type for entry in FORMATS)
FEATURE_FORMATS: Mapping[str, FeatureFormat] = {
    entry.media_type: entry for entry in FORMATS if isinstance(entry, FeatureFormat)
}
"""By media type; HTML is a page for people, and made elsewhere."""

for _entry in FORMATS:
    name_format(_entry.name, _entry.media_type, _entry.label, _entry.aliases)

"""The name of a feature in the language of the page. The map's words/feature-name.js does the same."""

from collections.abc import Mapping
from typing import Any

from libs.catalogue.basins import BASIN, BASINS
from libs.catalogue.feature_name import feature_name
from libs.catalogue.model import Collection
from libs.web.local_title import local_title


def local_name(collection: Collection, identifier: Any, properties: Mapping[str, Any]) -> str:
    """Return the name; the source's English one if the properties do not suffice."""
    basin = str(properties.get(BASIN) or "").strip()
    times = collection.period_columns() or (collection.time(),)
    moments = [properties.get(time.name) for time in times if time is not None]
    title = local_title(properties, basin=BASINS.get(basin, basin), moments=moments)
    return title or feature_name(collection, identifier, properties)

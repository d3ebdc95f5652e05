"""The file name under which a browser saves a response."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import quote

from libs.catalogue.model import Collection
from libs.catalogue.modules import EVENT_KEY
from services.features.formats.format import Format
from services.features.formats.links import NOT_SELECTING

_TOKEN = re.compile(r"[A-Za-z0-9._-]+")
_UNSAFE = re.compile(r"[^A-Za-z0-9.-]+")
_LONGEST = 60
_NONE: Mapping[str, str] = MappingProxyType({})


def saved_as(collection: Collection, format_: Format, given: Mapping[str, str] = _NONE) -> dict[str, str]:
    """Return the header that makes a browser save the response as a file; empty if the format is not for that.

    `given` are the parameters: the name of the file says which features it has.
    """
    extension = format_.extension
    if extension is None:
        return {}
    name = f"{'_'.join([collection.id, *_selection(given)])}.{extension}"
    # RFC 6266 section 4.3: other characters are escaped, in a parameter that some clients do not know
    file = f"filename={name}" if _TOKEN.fullmatch(name) else f"filename*=UTF-8''{quote(name, safe='')}"
    return {"Content-Disposition": f"attachment; {file}"}


def _selection(given: Mapping[str, str]) -> list[str]:
    """Return the event and the time that a request names, and `selection` if it selects by anything else."""
    selecting = given.keys() - set(NOT_SELECTING)
    event, time = (_UNSAFE.sub("-", given.get(name, "")).strip("-.")[:_LONGEST] for name in (EVENT_KEY, "datetime"))
    others = selecting - {EVENT_KEY, "datetime", "geom-column", "filter-lang"}
    return [part for part in (event, time, "selection" if others else "") if part]

"""The file name under which a browser saves a response."""

import re
from collections.abc import Mapping
from urllib.parse import quote

from libs.catalogue.modules import EVENT_KEY
from services.features.formats.links import NOT_SELECTING

_TOKEN = re.compile(r"[A-Za-z0-9._-]+")
_UNSAFE = re.compile(r"[^A-Za-z0-9.-]+")
_LONGEST = 60


def attachment(name: str, extension: str, given: Mapping[str, str]) -> dict[str, str]:
    """Return the header that makes a browser save the response as a file.

    `given` are the parameters: the name of the file says which features it has.
    """
    file = f"{'_'.join([name, *_selection(given)])}.{extension}"
    # RFC 6266 section 4.3: other characters are escaped, in a parameter that some clients do not know
    named = f"filename={file}" if _TOKEN.fullmatch(file) else f"filename*=UTF-8''{quote(file, safe='')}"
    return {"Content-Disposition": f"attachment; {named}"}


def _selection(given: Mapping[str, str]) -> list[str]:
    """Return the event and the time that a request names, and `selection` if it selects by anything else."""
    selecting = given.keys() - set(NOT_SELECTING)
    event, time = (_UNSAFE.sub("-", given.get(name, "")).strip("-.")[:_LONGEST] for name in (EVENT_KEY, "datetime"))
    others = selecting - {EVENT_KEY, "datetime", "geom-column", "filter-lang"}
    return [part for part in (event, time, "selection" if others else "") if part]

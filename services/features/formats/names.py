"""The file name under which a browser saves a response."""

import re
from urllib.parse import quote

from libs.catalogue.model import Collection
from services.features.formats.format import Format

_TOKEN = re.compile(r"[A-Za-z0-9._-]+")


def saved_as(collection: Collection, format_: Format, *, always: bool = False) -> dict[str, str]:
    """Return the header that makes a browser save the response as a file: `always`, or if the format is for that."""
    extension = format_.extension or (format_.name if always else None)
    if extension is None:
        return {}
    name = f"{collection.id}.{extension}"
    # RFC 6266 section 4.3: other characters are escaped, in a parameter that some clients do not know
    file = f"filename={name}" if _TOKEN.fullmatch(name) else f"filename*=UTF-8''{quote(name, safe='')}"
    return {"Content-Disposition": f"attachment; {file}"}

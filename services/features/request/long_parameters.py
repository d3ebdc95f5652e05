"""Long parameters inside a cursor, to keep the address of the next page short enough for a `Link` header.

This cursor is `z`, the packed parameters, a dot, and the plain cursor, if any.
"""

import binascii
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping

import orjson

NAMES = ("filter", "ids")
"""Parameters that may be packed."""
_LONG = 500
_LARGEST = 64 * 1024
"""Maximum unpacked size, in bytes: the length of a request line."""


def pack_parameters(given: Mapping[str, str], cursor: str) -> tuple[dict[str, str], str]:
    """Return the parameters that stay, and the cursor with the long ones."""
    long = {name: text for name, text in given.items() if name in NAMES and len(text) > _LONG}
    kept = {name: text for name, text in given.items() if name not in long}
    return kept, f"z{urlsafe_b64encode(zlib.compress(orjson.dumps(long), 9)).decode().rstrip('=')}.{cursor}"


def unpack_cursor(cursor: str) -> tuple[dict[str, str], str | None]:
    """Return the parameters in a cursor, and the plain cursor. Raises ValueError for a cursor that is not ours."""
    if not cursor.startswith("z") or "." not in cursor:
        return {}, cursor
    text, _, rest = cursor[1:].partition(".")
    try:
        inflating = zlib.decompressobj()
        body = inflating.decompress(urlsafe_b64decode(f"{text}==="), _LARGEST)
        found = orjson.loads(body)
    except (binascii.Error, zlib.error, orjson.JSONDecodeError):
        raise ValueError("is not one of this service") from None
    if not isinstance(found, dict) or not all(name in NAMES and isinstance(found[name], str) for name in found):
        raise ValueError("is not one of this service")
    return found, rest or None

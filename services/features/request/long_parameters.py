"""Long parameters inside a cursor, so that the address of the next page stays short enough for a `Link` header.

The cursor of such an address is `z`, what was packed, a dot, and the cursor itself where there is one.
"""

import binascii
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping

import orjson

NAMES = ("filter", "ids")
"""The parameters that may be packed."""
_LONG = 500
_LARGEST = 64 * 1024
"""Bytes when unpacked: what a request line can hold."""


def packed(given: Mapping[str, str], cursor: str) -> tuple[dict[str, str], str]:
    """The parameters that stay, and the cursor that holds the long ones."""
    long = {name: text for name, text in given.items() if name in NAMES and len(text) > _LONG}
    kept = {name: text for name, text in given.items() if name not in long}
    return kept, f"z{urlsafe_b64encode(zlib.compress(orjson.dumps(long), 9)).decode().rstrip('=')}.{cursor}"


def unpacked(cursor: str) -> tuple[dict[str, str], str | None]:
    """The parameters that a cursor holds, and the cursor itself. Raises ValueError where it is none of ours."""
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

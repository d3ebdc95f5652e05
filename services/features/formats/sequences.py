"""Features one a line: GeoJSON text sequences (RFC 8142) and newline-delimited JSON."""

from collections.abc import Iterable

RECORD_SEPARATOR = b"\x1e"
"""Comes before each text of a sequence (RFC 7464)."""


def lines(texts: Iterable[bytes], separator: bytes) -> bytes:
    """Each feature between `separator` and a newline."""
    # a line break is none of a string's, which are escaped: a column of type json may have some between its values
    return b"".join([separator + text.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n" for text in texts])

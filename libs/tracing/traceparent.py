"""The header `traceparent` (W3C Trace Context, section 3.2)."""

import re

_TRACEPARENT = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}", re.ASCII)


def trace_id(traceparent: str | None) -> str | None:
    """Return the trace id in the header, 32 hexadecimal digits; None if missing or malformed."""
    found = _TRACEPARENT.fullmatch(traceparent) if traceparent else None
    return found[1] if found else None

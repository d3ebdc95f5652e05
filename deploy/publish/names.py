"""Names of files that are the same in folders, in buckets and in addresses. Pure."""

from __future__ import annotations

import hashlib
import re

_OTHERS = re.compile(r"[^A-Za-z0-9._-]")


def file_name(identifier: str) -> str:
    """Return the identifier; if it has other characters than letters, digits, `.`, `_` and `-`, a name made of it."""
    plain = _OTHERS.sub("_", identifier)
    if plain == identifier and not plain.startswith("."):
        return plain
    return f"{plain.lstrip('.')}-{hashlib.sha256(identifier.encode()).hexdigest()[:8]}"

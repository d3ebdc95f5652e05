"""Keys by which a CDN purges everything cached from a collection (`Surrogate-Key`)."""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import quote

_LONGEST = 64
"""Maximum length of a key in characters: 32 keys fit into a header that every CDN accepts."""
_DIGEST_BYTES = 8


@lru_cache(maxsize=1024)
def surrogate_key(collection_id: str) -> str:
    """Return the key of a collection: its id, percent-encoded; for a long id, its beginning and a hash."""
    key = quote(collection_id, safe="")
    if len(key) <= _LONGEST:
        return key
    digest = blake2b(collection_id.encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{key[: _LONGEST - 2 * _DIGEST_BYTES - 1]}~{digest}"


def surrogate_keys(collection_ids: Iterable[str]) -> str:
    """Return the header's value for content made from these collections."""
    return " ".join(map(surrogate_key, collection_ids))

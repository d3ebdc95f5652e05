"""Names by which a CDN forgets all that it keeps of a collection (`Surrogate-Key`)."""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import quote

_LONGEST = 64
"""Characters of a key: 32 of them fit into a header that any CDN takes."""
_DIGEST_BYTES = 8


@lru_cache(maxsize=1024)
def surrogate_key(collection_id: str) -> str:
    """The key of a collection: its id, percent-encoded; its beginning and a hash of a long one."""
    key = quote(collection_id, safe="")
    if len(key) <= _LONGEST:
        return key
    digest = blake2b(collection_id.encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{key[: _LONGEST - 2 * _DIGEST_BYTES - 1]}~{digest}"


def surrogate_keys(collection_ids: Iterable[str]) -> str:
    """The value of the header for what is made of these collections."""
    return " ".join(map(surrogate_key, collection_ids))

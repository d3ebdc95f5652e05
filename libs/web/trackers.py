"""What others add to links that people share: no doing of who follows them."""

_TRACKERS = frozenset({"fbclid", "gclid", "mc_cid", "mc_eid", "msclkid"})


_ADDED_TO_TILES = frozenset({"_", "access_token"})
"""Parameters that map libraries add to each address of a tileset: against caches, and for servers that want a key."""


def is_added_to_tiles(name: str) -> bool:
    """Whether a map library adds a parameter of this name to addresses of tiles and of their metadata."""
    return name in _ADDED_TO_TILES or is_tracking(name)


def is_tracking(name: str) -> bool:
    """Whether a parameter of this name is a tracker's."""
    return name.startswith("utm_") or name in _TRACKERS

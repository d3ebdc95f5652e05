"""Parameters that trackers add to shared links, and map libraries to the addresses of tiles."""

_TRACKERS = frozenset({"fbclid", "gclid", "mc_cid", "mc_eid", "msclkid"})


_ADDED_TO_TILES = frozenset({"_", "access_token"})
"""Parameters that map libraries add to each address of a tileset: against caches, and for servers that need a key."""


def is_added_to_tiles(name: str) -> bool:
    """Return whether map libraries add a parameter of this name to addresses of tiles and their metadata."""
    return name in _ADDED_TO_TILES or is_tracking(name)


def is_tracking(name: str) -> bool:
    """Return whether a parameter of this name belongs to a tracker."""
    return name.startswith("utm_") or name in _TRACKERS

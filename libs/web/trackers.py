"""What others add to links that people share: no doing of who follows them."""

_TRACKERS = frozenset({"fbclid", "gclid", "mc_cid", "mc_eid", "msclkid"})


def is_tracking(name: str) -> bool:
    """Whether a parameter of this name is a tracker's."""
    return name.startswith("utm_") or name in _TRACKERS

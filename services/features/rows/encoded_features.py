"""Memory for encoded features: which are cached, for how long, and when it pays to look for them."""

from collections.abc import Mapping, Sequence

from prometheus_client import Counter, Gauge

Namespace = tuple[object, ...]
"""What encoded features have in common: the server, the collection, its columns, the geometry that is shown."""
RowVersion = tuple[object, ...]
"""A version of a row: its key, table, transaction and place.

PostgreSQL never changes a row, it writes a new version: what has the same row version has the same values.
"""

_LOOKUPS = Counter("dams_feature_cache_lookups_total", "Features looked for in the memory of the process", ["result"])
_HITS, _MISSES_COUNTED = _LOOKUPS.labels("hit"), _LOOKUPS.labels("miss")
_BYTES = Gauge(
    "dams_feature_cache_bytes", "Bytes of the features that were encoded last, up to half of what there may be"
)

_LARGEST = 4 * 1024
"""Bytes of a feature; larger ones are few to a page, and would crowd out many others."""
_OVERHEAD = 250
"""Bytes that a feature takes beside its text."""
_ONE_IN = 16
_USUAL = 700
"""Bytes of a feature."""
_MISSES = 4
"""Pages that were mostly not cached, after which the next are not looked for."""


class EncodedFeatures:
    """Encoded features by namespace and row version, up to so many bytes; those only that are asked for more than once.

    Two generations: when the young one has half of the bytes it becomes the old one, and what was the old one goes,
    but for what was asked for meanwhile.
    """

    def __init__(self, most_bytes: int) -> None:
        self._half = most_bytes // 2
        self._bytes = 0
        _BYTES.set_function(lambda: self._bytes)
        self._young: dict[Namespace, dict[RowVersion, bytes]] = {}
        self._old: dict[Namespace, dict[RowVersion, bytes]] = {}
        self._misses_left: dict[Namespace, int] = {}
        self._recent: set[tuple[Namespace, object]] = set()
        # what there would be no room for is not worth remembering: it is gone before it comes again
        self._most_recent = 2 * most_bytes // (_USUAL * _ONE_IN)

    def expects_hits(self, namespace: Namespace) -> bool:
        """Whether pages of the namespace come again: then it pays to fetch row versions first."""
        return namespace in self._misses_left

    def expect_hits(self, namespace: Namespace) -> None:
        """Pages of the namespace come again."""
        self._misses_left[namespace] = _MISSES

    def get(self, namespace: Namespace, versions: Sequence[RowVersion]) -> list[bytes | None]:
        """The features of these rows, which stay longer for it; None for those that are not cached."""
        young = self._young.get(namespace, {})
        features = [young.get(version) for version in versions]
        if None in features:
            old = self._old.get(namespace, {})
            features = [
                old.get(version) if feature is None else feature
                for version, feature in zip(versions, features, strict=True)
            ]
            found = zip(versions, features, strict=True)
            self.put(namespace, {version: feature for version, feature in found if feature is not None})
        missing = features.count(None)
        _HITS.inc(len(features) - missing)
        _MISSES_COUNTED.inc(missing)
        if 2 * missing <= len(features):
            self.expect_hits(namespace)
        elif self._misses_left.get(namespace, 0) > 1:
            self._misses_left[namespace] -= 1
        else:
            self._misses_left.pop(namespace, None)
        return features

    def admits(self, namespace: Namespace, keys: Sequence[object]) -> bool:
        """Whether most of these were asked for recently: who reads a collection once, page by page, leaves nothing."""
        # enough to look at some, the same ones whatever the page; within a tuple numbers have hashes without a pattern
        some = {(namespace, key) for key in keys if not hash((key, None)) % _ONE_IN}
        new = some - self._recent
        if len(self._recent) > self._most_recent:
            self._recent.clear()
        self._recent |= new
        return 2 * len(new) < len(some)

    def put(self, namespace: Namespace, features: Mapping[RowVersion, bytes]) -> None:
        """Features that had to be encoded, by their row versions."""
        young = self._young.get(namespace, {})
        new = {
            version: feature
            for version, feature in features.items()
            if version not in young and len(feature) <= _LARGEST
        }
        if not new:
            return
        self._young.setdefault(namespace, young).update(new)
        self._bytes += sum(map(len, new.values())) + _OVERHEAD * len(new)
        if self._bytes > self._half:
            self._old, self._young, self._bytes = self._young, {}, 0
            self._misses_left = {name: left for name, left in self._misses_left.items() if name in self._old}

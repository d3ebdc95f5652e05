"""Memory for encoded features: which are cached, for how long, and when a lookup is worth its cost."""

from collections.abc import Mapping, Sequence

from prometheus_client import Counter, Gauge

Namespace = tuple[object, ...]
"""What encoded features share: the server, the collection, its columns, the geometry column."""
RowVersion = tuple[object, ...]
"""A version of a row: its key, table, transaction and location.

PostgreSQL never changes a row in place: it writes a new version. So equal row versions have equal values.
"""

_LOOKUPS = Counter("dams_feature_cache_lookups_total", "Features looked for in the memory of the process", ["result"])
_HITS, _MISSES_COUNTED = _LOOKUPS.labels("hit"), _LOOKUPS.labels("miss")
_BYTES = Gauge(
    "dams_feature_cache_bytes", "Bytes of the features that were encoded last, up to half of what there may be"
)

_LARGEST = 4 * 1024
"""Maximum size of a cached feature, in bytes; a larger one would displace many others."""
_OVERHEAD = 250
"""Memory that a feature takes beside its text, in bytes."""
_ONE_IN = 16
_USUAL = 700
"""Usual size of a feature, in bytes."""
_MISSES = 4
"""Number of pages with mostly uncached features after which lookups stop."""


class EncodedFeatures:
    """Encoded features by namespace and row version, limited in bytes; only those that are requested repeatedly.

    Two generations: when the young one has half of the bytes, it replaces the old one. Features of the old generation
    that were requested since then move to the young one.
    """

    def __init__(self, most_bytes: int) -> None:
        self._half = most_bytes // 2
        self._bytes = 0
        _BYTES.set_function(lambda: self._bytes)
        self._young: dict[Namespace, dict[RowVersion, bytes]] = {}
        self._old: dict[Namespace, dict[RowVersion, bytes]] = {}
        self._misses_left: dict[Namespace, int] = {}
        self._recent: set[tuple[Namespace, object]] = set()
        # remember only as many keys as features fit: others would be evicted before the next request
        self._most_recent = 2 * most_bytes // (_USUAL * _ONE_IN)

    def expects_hits(self, namespace: Namespace) -> bool:
        """Return whether pages of the namespace repeat, so that fetching row versions first is worth its cost."""
        return namespace in self._misses_left

    def expect_hits(self, namespace: Namespace) -> None:
        """Record that pages of the namespace repeat."""
        self._misses_left[namespace] = _MISSES

    def get(self, namespace: Namespace, versions: Sequence[RowVersion]) -> list[bytes | None]:
        """Return the features of these rows, and keep these longer; None for those that are not cached."""
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
        """Return whether most of these keys were requested recently: a client that reads every page caches nothing."""
        # a sample suffices, the same keys on any page; within a tuple, hashes of numbers have no pattern
        some = {(namespace, key) for key in keys if not hash((key, None)) % _ONE_IN}
        new = some - self._recent
        if len(self._recent) > self._most_recent:
            self._recent.clear()
        self._recent |= new
        return 2 * len(new) < len(some)

    def put(self, namespace: Namespace, features: Mapping[RowVersion, bytes]) -> None:
        """Store encoded features by their row versions."""
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

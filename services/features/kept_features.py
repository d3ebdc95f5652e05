"""Features that were encoded before, kept while the data they were made of stay the same.

Large pages overlap: a map is moved, a filter narrowed, an order turned round, a page asked for by another address.
What costs is to fetch the values of a row and to write them as JSON; which rows a page has is told by their keys.
"""

from collections.abc import Mapping, Sequence

Shelf = tuple[str, str, str | None, bool]
"""What encoded features have in common: collection, data version, geometry column, whether boxes stand for shapes.

A version that has passed is not asked for again, so nothing has to be forgotten but for want of room.
"""
Key = object
"""The value of a feature's key, as it is fetched."""

FEWEST = 100
"""Features of a page for which to look: the statement that finds them costs more than a few of them do."""
_LARGEST = 4 * 1024
"""Bytes of a feature; larger ones are few to a page, and would crowd out many others."""
_OVERHEAD = 120
"""Bytes that a feature takes beside its text."""
_ONE_IN = 16
_USUAL = 700
"""Bytes of a feature."""


class KeptFeatures:
    """Encoded features by shelf and key, up to so many bytes; those only that are asked for more than once.

    Two generations: when the young one has half of the bytes it becomes the old one, and what was the old one goes,
    but for what was asked for meanwhile.
    """

    def __init__(self, most_bytes: int) -> None:
        self._half = most_bytes // 2
        self._bytes = 0
        self._young: dict[Shelf, dict[Key, bytes]] = {}
        self._old: dict[Shelf, dict[Key, bytes]] = {}
        self._likely: set[Shelf] = set()
        self._asked: set[tuple[Shelf, Key]] = set()
        # what there would be no room for is not worth remembering: it is gone before it comes again
        self._most_asked = 2 * most_bytes // (_USUAL * _ONE_IN)

    def likely(self, shelf: Shelf) -> bool:
        """Whether most of the last page of the shelf was there: then it pays to fetch keys alone first."""
        return shelf in self._likely

    def found(self, shelf: Shelf, keys: Sequence[Key]) -> list[bytes | None]:
        """The features of these keys; None for those that are not there."""
        young = self._young.get(shelf, {})
        texts = [young.get(key) for key in keys]
        if None in texts:
            old = self._old.get(shelf, {})
            texts = [old.get(key) if text is None else text for key, text in zip(keys, texts, strict=True)]
            self.keep(shelf, {key: text for key, text in zip(keys, texts, strict=True) if text is not None})
        if 2 * texts.count(None) < len(texts):
            self._likely.add(shelf)
        else:
            self._likely.discard(shelf)
        return texts

    def wanted(self, shelf: Shelf, keys: Sequence[Key]) -> bool:
        """Whether most of these were asked for before: who reads a collection once, page by page, leaves nothing."""
        # enough to look at some, the same ones whatever the page
        some = {(shelf, key) for key in keys if not hash(key) % _ONE_IN}
        new = some - self._asked
        if len(self._asked) > self._most_asked:
            self._asked.clear()
        self._asked |= new
        return 2 * len(new) < len(some)

    def keep(self, shelf: Shelf, texts: Mapping[Key, bytes]) -> None:
        """Features that had to be encoded, by their keys."""
        young = self._young.get(shelf, {})
        new = {key: text for key, text in texts.items() if key not in young and len(text) <= _LARGEST}
        if not new:
            return
        self._young.setdefault(shelf, young).update(new)
        self._bytes += sum(map(len, new.values())) + _OVERHEAD * len(new)
        if self._bytes > self._half:
            self._old, self._young, self._bytes = self._young, {}, 0
            self._likely &= self._old.keys()

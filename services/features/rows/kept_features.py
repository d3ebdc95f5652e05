"""Features that were encoded before, for pages that hold the same rows again.

Large pages overlap: a map is moved, a filter narrowed, an order turned round, a page asked for by another address.
What costs is to fetch the values of a row and to write them as JSON; which rows a page has is told by their marks.
"""

from collections.abc import Mapping, Sequence

Shelf = tuple[object, ...]
"""What encoded features have in common: the collection, its columns, the geometry that is shown, the server."""
Mark = tuple[object, ...]
"""A version of a row: its key, table, transaction and place.

PostgreSQL never changes a row, it writes a new version: what has the same mark has the same values.
"""

FEWEST = 100
"""Features of a page for which to look: the statement that finds them costs more than a few of them do."""
_LARGEST = 4 * 1024
"""Bytes of a feature; larger ones are few to a page, and would crowd out many others."""
_OVERHEAD = 250
"""Bytes that a feature takes beside its text."""
_ONE_IN = 16
_USUAL = 700
"""Bytes of a feature."""
_PATIENCE = 4
"""Pages that were mostly not there, after which the next are not looked for."""


class KeptFeatures:
    """Encoded features by shelf and mark, up to so many bytes; those only that are asked for more than once.

    Two generations: when the young one has half of the bytes it becomes the old one, and what was the old one goes,
    but for what was asked for meanwhile.
    """

    def __init__(self, most_bytes: int) -> None:
        self._half = most_bytes // 2
        self._bytes = 0
        self._young: dict[Shelf, dict[Mark, bytes]] = {}
        self._old: dict[Shelf, dict[Mark, bytes]] = {}
        self._patience: dict[Shelf, int] = {}
        self._asked: set[tuple[Shelf, object]] = set()
        # what there would be no room for is not worth remembering: it is gone before it comes again
        self._most_asked = 2 * most_bytes // (_USUAL * _ONE_IN)

    def likely(self, shelf: Shelf) -> bool:
        """Whether pages of the shelf come again: then it pays to fetch marks first."""
        return shelf in self._patience

    def expect(self, shelf: Shelf) -> None:
        """Pages of the shelf come again."""
        self._patience[shelf] = _PATIENCE

    def take(self, shelf: Shelf, marks: Sequence[Mark]) -> list[bytes | None]:
        """The features of these marks, which stay longer for it; None for those that are not there."""
        young = self._young.get(shelf, {})
        texts = [young.get(mark) for mark in marks]
        if None in texts:
            old = self._old.get(shelf, {})
            texts = [old.get(mark) if text is None else text for mark, text in zip(marks, texts, strict=True)]
            self.keep(shelf, {mark: text for mark, text in zip(marks, texts, strict=True) if text is not None})
        if 2 * texts.count(None) <= len(texts):
            self.expect(shelf)
        elif self._patience.get(shelf, 0) > 1:
            self._patience[shelf] -= 1
        else:
            self._patience.pop(shelf, None)
        return texts

    def asked_before(self, shelf: Shelf, keys: Sequence[object]) -> bool:
        """Whether most of these were asked for lately: who reads a collection once, page by page, leaves nothing."""
        # enough to look at some, the same ones whatever the page; within a tuple numbers have hashes without a pattern
        some = {(shelf, key) for key in keys if not hash((key, None)) % _ONE_IN}
        new = some - self._asked
        if len(self._asked) > self._most_asked:
            self._asked.clear()
        self._asked |= new
        return 2 * len(new) < len(some)

    def keep(self, shelf: Shelf, texts: Mapping[Mark, bytes]) -> None:
        """Features that had to be encoded, by their marks."""
        young = self._young.get(shelf, {})
        new = {mark: text for mark, text in texts.items() if mark not in young and len(text) <= _LARGEST}
        if not new:
            return
        self._young.setdefault(shelf, young).update(new)
        self._bytes += sum(map(len, new.values())) + _OVERHEAD * len(new)
        if self._bytes > self._half:
            self._old, self._young, self._bytes = self._young, {}, 0
            self._patience = {name: left for name, left in self._patience.items() if name in self._old}

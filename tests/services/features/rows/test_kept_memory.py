"""What encoded features take, and which are worth keeping."""

from __future__ import annotations

from services.features.rows.kept_features import KeptFeatures, Shelf

_SHELF: Shelf = ("server", "a.b", "geom")


def test_what_comes_once_is_not_asked_before() -> None:
    kept = KeptFeatures(1_000_000)
    assert not kept.asked_before(_SHELF, range(1000))
    assert kept.asked_before(_SHELF, range(1000))
    assert kept.asked_before(_SHELF, range(300, 1300))
    assert not kept.asked_before(_SHELF, range(5000, 6000))
    assert not kept.asked_before((*_SHELF, "later"), range(1000))
    assert not kept.asked_before(_SHELF, [])
    # numbers that several servers share out
    assert not kept.asked_before(_SHELF, range(10_001, 12_000, 16))
    assert kept.asked_before(_SHELF, range(10_001, 12_000, 16))


def test_a_walk_through_more_than_there_is_room_for_leaves_nothing() -> None:
    kept = KeptFeatures(1_000_000)
    pages = [range(start, start + 500) for start in range(0, 20_000, 500)]
    assert not [page for _ in range(3) for page in pages if kept.asked_before(_SHELF, page)]


def test_memory_is_bounded_and_what_is_asked_for_stays() -> None:
    most = 1_000_000
    kept = KeptFeatures(most)
    kept.keep(_SHELF, {("asked",): b"a" * 500})
    for number in range(100):
        kept.keep(_SHELF, {(number, place): b"x" * 800 for place in range(40)})
        if number % 5 == 0:
            assert kept.take(_SHELF, [("asked",)]) == [b"a" * 500]
        shelves = [shelf for generation in (kept._young, kept._old) for shelf in generation.values()]
        assert sum(len(text) for shelf in shelves for text in shelf.values()) < most
    assert kept.take(_SHELF, [(0, 0)]) == [None]
    kept.keep(_SHELF, {("large",): b"x" * 5000})
    assert kept.take(_SHELF, [("large",)]) == [None]


def test_pages_that_are_not_there_are_given_up() -> None:
    kept = KeptFeatures(1_000_000)
    kept.expect(_SHELF)
    kept.keep(_SHELF, {(1,): b"x", (2,): b"y"})
    for _ in range(10):
        kept.take(_SHELF, [(8,), (9,)])
        kept.take(_SHELF, [(1,), (2,)])
    assert kept.likely(_SHELF)
    for _ in range(10):
        kept.take(_SHELF, [(8,), (9,)])
    assert not kept.likely(_SHELF)
    kept.take(_SHELF, [])


def test_shelves_that_hold_nothing_are_forgotten() -> None:
    kept = KeptFeatures(1_000_000)
    for number in range(100):
        shelf = ("server", number)
        kept.keep(shelf, {("large",): b"x" * 5000})
        kept.take(shelf, [("large",)])
    assert not kept._young
    assert not kept._patience

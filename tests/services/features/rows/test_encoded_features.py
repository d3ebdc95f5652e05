"""The room that encoded features take, and which are worth caching."""

from __future__ import annotations

import gc
import weakref

from prometheus_client import REGISTRY

from services.features.rows.encoded_features import EncodedFeatures, Namespace

_SPACE: Namespace = ("server", "a.b", "geom")


class _Server:
    """An object that can begin a namespace, and whose deletion a test can observe."""


def test_what_comes_once_is_not_admitted() -> None:
    cache = EncodedFeatures(1_000_000)
    assert not cache.admits(_SPACE, range(1000))
    assert cache.admits(_SPACE, range(1000))
    assert cache.admits(_SPACE, range(300, 1300))
    assert not cache.admits(_SPACE, range(5000, 6000))
    assert not cache.admits((*_SPACE, "later"), range(1000))
    assert not cache.admits(_SPACE, [])
    # numbers that several servers share out
    assert not cache.admits(_SPACE, range(10_001, 12_000, 16))
    assert cache.admits(_SPACE, range(10_001, 12_000, 16))


def test_a_walk_through_more_than_there_is_room_for_leaves_nothing() -> None:
    cache = EncodedFeatures(1_000_000)
    pages = [range(start, start + 500) for start in range(0, 20_000, 500)]
    assert not [page for _ in range(3) for page in pages if cache.admits(_SPACE, page)]


def test_memory_is_bounded_and_what_is_asked_for_stays() -> None:
    most = 1_000_000
    cache = EncodedFeatures(most)
    cache.put(_SPACE, {("asked",): b"a" * 500})
    for number in range(100):
        cache.put(_SPACE, {(number, place): b"x" * 800 for place in range(40)})
        if number % 5 == 0:
            assert cache.get(_SPACE, [("asked",)]) == [b"a" * 500]
    cached = cache.get(_SPACE, [(number, place) for number in range(100) for place in range(40)])
    assert most // 4 < sum(len(text) for text in cached if text is not None) < most
    assert cached[0] is None
    cache.put(_SPACE, {("large",): b"x" * 5000})
    assert cache.get(_SPACE, [("large",)]) == [None]


def test_pages_that_are_not_there_are_given_up() -> None:
    cache = EncodedFeatures(1_000_000)
    cache.expect_hits(_SPACE)
    cache.put(_SPACE, {(1,): b"x", (2,): b"y"})
    for _ in range(10):
        cache.get(_SPACE, [(8,), (9,)])
        cache.get(_SPACE, [(1,), (2,)])
    assert cache.expects_hits(_SPACE)
    for _ in range(10):
        cache.get(_SPACE, [(8,), (9,)])
    assert not cache.expects_hits(_SPACE)
    cache.get(_SPACE, [])


def test_namespaces_that_hold_nothing_are_forgotten() -> None:
    cache, server = EncodedFeatures(1_000_000), _Server()
    forgotten = weakref.ref(server)
    cache.put((server,), {("large",): b"x" * 5000})
    cache.get((server,), [("large",)])
    del server
    gc.collect()
    assert forgotten() is None


def test_four_pages_in_a_row_that_are_mostly_missing_and_no_fewer() -> None:
    cache = EncodedFeatures(1_000_000)
    cache.put(_SPACE, {(1,): b"x"})
    cache.expect_hits(_SPACE)
    for _ in range(3):
        cache.get(_SPACE, [(1,), (8,), (9,)])
    assert cache.expects_hits(_SPACE)
    # hits for half of a page are worth a lookup, and restart the count
    cache.get(_SPACE, [(1,), (8,)])
    for _ in range(3):
        cache.get(_SPACE, [(1,), (8,), (9,)])
    assert cache.expects_hits(_SPACE)
    cache.get(_SPACE, [(1,), (8,), (9,)])
    assert not cache.expects_hits(_SPACE)


def test_the_largest_that_is_cached_has_four_kibibytes() -> None:
    cache = EncodedFeatures(1_000_000)
    cache.put(_SPACE, {(1,): b"x" * 4096, (2,): b"x" * 4097})
    assert cache.get(_SPACE, [(1,), (2,)]) == [b"x" * 4096, None]


def test_what_is_there_already_takes_no_more_room() -> None:
    cache = EncodedFeatures(20_000)
    for _ in range(50):
        cache.put(_SPACE, {(1,): b"x" * 1000})
    assert _metric("dams_feature_cache_bytes") == 1250
    # one that is looked for when it has become old is young again
    cache.put(_SPACE, {(number,): b"x" * 4000 for number in (2, 3, 4)})
    assert cache.get(_SPACE, [(1,)]) == [b"x" * 1000]
    cache.put(_SPACE, {(number,): b"x" * 4000 for number in (5, 6, 7)})
    assert cache.get(_SPACE, [(1,), (2,)]) == [b"x" * 1000, None]


def test_what_there_is_room_for_is_all_there() -> None:
    cache = EncodedFeatures(1_000_000)
    for number in range(980):
        cache.put(_SPACE, {(number,): b"x" * 750})
    assert None not in cache.get(_SPACE, [(number,) for number in range(980)])


def _metric(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def test_how_many_bytes_are_held_is_a_metric_and_half_of_them_are_young() -> None:
    cache = EncodedFeatures(1300)
    assert _metric("dams_feature_cache_bytes") == 0
    # each takes 250 beside its text
    cache.put(_SPACE, {(1,): b"x" * 100, (2,): b"y" * 50})
    assert _metric("dams_feature_cache_bytes") == 650
    cache.put(_SPACE, {(3,): b""})
    assert _metric("dams_feature_cache_bytes") == 0
    assert cache.get(_SPACE, [(1,)]) == [b"x" * 100]
    assert _metric("dams_feature_cache_bytes") == 350


def test_what_is_found_and_what_is_missing_is_counted() -> None:
    cache, name = EncodedFeatures(1_000_000), "dams_feature_cache_lookups_total"
    before = [_metric(name, result=result) for result in ("hit", "miss")]
    cache.put(_SPACE, {(1,): b"x", (2,): b"y"})
    cache.get(_SPACE, [(1,), (2,), (8,)])
    assert [_metric(name, result=result) for result in ("hit", "miss")] == [before[0] + 2, before[1] + 1]


def test_more_than_half_of_a_page_must_be_known() -> None:
    cache = EncodedFeatures(100_000_000)
    cache.admits(_SPACE, range(10_000))
    assert cache.admits(_SPACE, range(4_000, 14_000))
    assert not cache.admits(_SPACE, range(10_000, 20_000))


def test_pages_of_what_is_no_longer_held_are_not_expected() -> None:
    cache, other = EncodedFeatures(2_000), (*_SPACE, "other")
    for namespace in (_SPACE, other):
        cache.expect_hits(namespace)
    cache.put(_SPACE, {(1,): b"x" * 2_000})
    assert cache.expects_hits(_SPACE)
    assert not cache.expects_hits(other)


def test_what_has_become_old_twice_is_gone_whatever_it_has_in_common() -> None:
    cache = EncodedFeatures(2_000)
    others = [(*_SPACE, number) for number in range(3)]
    for namespace in others:
        cache.put(namespace, {(1,): b"x" * 2_000})
    assert [cache.get(namespace, [(1,)]) for namespace in others] == [[None], [None], [b"x" * 2_000]]

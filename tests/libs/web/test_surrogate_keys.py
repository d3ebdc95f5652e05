"""Names by which a CDN forgets what it keeps of a collection."""

from __future__ import annotations

from libs.web.surrogate_keys import surrogate_key, surrogate_keys


def test_a_key_is_the_id_as_one_word() -> None:
    assert surrogate_key("hazard.eq_events") == "hazard.eq_events"
    assert surrogate_key("a b/ü") == "a%20b%2F%C3%BC"
    assert surrogate_keys(["a b", "c"]) == "a%20b c"
    assert surrogate_keys([]) == ""


def test_a_long_key_is_its_beginning_and_what_tells_it_from_others() -> None:
    assert surrogate_key("a" * 64) == "a" * 64
    one, other = surrogate_key("a" * 65), surrogate_key("a" * 64 + "b")
    assert (len(one), len(other)) == (64, 64)
    assert one != other
    assert one.startswith("a" * 47 + "~")
    # no id that is short is called so: a tilde of an id is in what is written of it, and its hash is not
    assert surrogate_key("a" * 65) == one

from base64 import urlsafe_b64encode
from hashlib import blake2b

import pytest

from libs.catalogue.model import Column
from libs.selection.selection import SortTerm
from services.features.request.cursor import PageEnds, Position, decode_cursor, digest, encode_cursor

ORDER = (
    SortTerm(Column("magnitude", "double precision", "number"), descending=True),
    SortTerm(Column("id", "integer", "integer", not_null=True)),
)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("alike", [0, 3])
def test_a_position_survives_the_way_there_and_back(backwards: bool, alike: int) -> None:
    position = Position(("6.5", "17"), backwards=backwards, alike=alike)
    assert decode_cursor(encode_cursor(position, "f00"), "f00", ORDER) == position


def token_of(content: bytes) -> str:
    """Return a cursor as a program would forge it that knows our checksum."""
    return urlsafe_b64encode(content + blake2b(content, digest_size=6).digest()).rstrip(b"=").decode()


def test_a_position_reads_forwards_unless_it_says_otherwise() -> None:
    assert Position(("6.5",)) == Position(("6.5",), backwards=False)
    assert PageEnds() == PageEnds(None, None, more=False)
    assert not decode_cursor(encode_cursor(Position(("6.5", "17")), "f00"), "f00", ORDER).backwards


def test_links_of_earlier_releases_lead_on() -> None:
    assert encode_cursor(Position(("6.5", "17")), "f00") == token_of(b'["f00",0,"6.5","17"]')


@pytest.mark.parametrize(
    "content",
    [b'{"f00":0,"a":1,"b":2,"c":3}', b'["f00",0,"1"]', b'["f00",0,"1","2","3"]', b'["f00",2,"1","2"]', b'"abcd"'],
)
def test_a_cursor_of_another_shape_does_not_fit(content: bytes) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        decode_cursor(token_of(content), "f00", ORDER)


def test_values_are_text() -> None:
    with pytest.raises(ValueError, match="damaged"):
        decode_cursor(token_of(b'["f00",0,"1",2]'), "f00", ORDER)


def test_the_longest_cursor() -> None:
    frame = len(b'["f00",0,"","17"]') + 6
    longest = token_of(b'["f00",0,"%s","17"]' % (b"x" * (18 * 1024 - frame)))
    assert len(longest) == 24 * 1024
    assert decode_cursor(longest, "f00", ORDER).values[1] == "17"
    with pytest.raises(ValueError, match="too long"):
        decode_cursor("A" * (24 * 1024 + 1), "f00", ORDER)


def test_a_long_value_is_a_digest() -> None:
    token = encode_cursor(Position(("é" * 500_000, "17")), "f00")
    assert len(token) < 100
    position = decode_cursor(token, "f00", ORDER)
    assert position.values == (digest("é" * 500_000), "17")
    assert position.digested == {0}
    assert decode_cursor(encode_cursor(Position(("é" * 1000, "17")), "f00"), "f00", ORDER).values[0] == "é" * 1000
    assert decode_cursor(encode_cursor(Position(("é" * 1001, "17")), "f00"), "f00", ORDER).digested == {0}


@pytest.mark.parametrize("value", [b'{"md5":5}', b'{"sha":"x"}', b"{}", b"[1]"])
def test_what_is_no_digest_is_damaged(value: bytes) -> None:
    with pytest.raises(ValueError, match="damaged"):
        decode_cursor(token_of(b'["f00",0,%s,"17"]' % value), "f00", ORDER)


def test_a_null_survives_too() -> None:
    position = Position((None, "17"))
    assert decode_cursor(encode_cursor(position, "f00"), "f00", ORDER) == position


@pytest.mark.parametrize(
    "token",
    ["", "%%%", "é", "A" * 5000, "eyJhIjoxfQ", urlsafe_b64encode(b'["f00",0,"1"]').decode(),
     urlsafe_b64encode(b'["f00",2,"1","2"]').decode(), urlsafe_b64encode(b'["f00",0,1,2]').decode()],
)  # fmt: skip
def test_a_damaged_cursor_is_an_error_never_the_first_page(token: str) -> None:
    with pytest.raises(ValueError, match=r"damaged|does not fit|too long"):
        decode_cursor(token, "f00", ORDER)


def test_a_cursor_belongs_to_its_query() -> None:
    token = encode_cursor(Position(("6.5", "17")), "f00")
    with pytest.raises(ValueError, match="another query"):
        decode_cursor(token, "ba4", ORDER)


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("A" * (24 * 1024 + 1), "is too long: sort by a column of shorter values"),
        ("é", "is damaged; start again without it"),
        ("A", "is damaged; start again without it"),
        # no JSON, another checksum, no text
        (urlsafe_b64encode(b"123456").decode(), "is damaged; start again without it"),
        (urlsafe_b64encode(b'["f00",0,"1","2"]123456').rstrip(b"=").decode(), "is damaged; start again without it"),
        (token_of(b'["f00",0,"1",2]'), "is damaged; start again without it"),
        (token_of(b'["f00",0,"1"]'), "does not fit this request; start again without it"),
        (
            token_of(b'["ba4",0,"1","2"]'),
            "belongs to another query; keep the parameters of the link it came with",
        ),
    ],
)
def test_what_is_wrong_with_a_cursor_is_said(token: str, words: str) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        decode_cursor(token, "f00", ORDER)
    assert str(refused.value) == words


def test_how_many_rows_alike_are_behind_ends_a_cursor() -> None:
    token = encode_cursor(Position(("6.5", None), backwards=True, alike=4), "f00")
    assert token == token_of(b'["f00",1,"6.5",null,4]')
    assert decode_cursor(token, "f00", ORDER) == Position(("6.5", None), backwards=True, alike=4)
    # of one column more it would be a value
    with pytest.raises(ValueError, match="damaged"):
        decode_cursor(token, "f00", (*ORDER, ORDER[1]))
    assert decode_cursor(token_of(b'["f00",1,{"md5":"a"},{"md5":"b"}]'), "f00", ORDER) == Position(
        ("a", "b"), backwards=True, digested=frozenset({0, 1})
    )


def test_no_changed_character_moves_the_page() -> None:
    position = Position(("6.5", "17"))
    token = encode_cursor(position, "f00")
    for place, letter in enumerate(token):
        damaged = token[:place] + ("B" if letter == "A" else "A") + token[place + 1 :]
        try:
            moved = decode_cursor(damaged, "f00", ORDER)
        except ValueError:
            continue
        # the last character has bits that mean nothing
        assert moved == position

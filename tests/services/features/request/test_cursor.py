from base64 import urlsafe_b64encode

import pytest

from libs.catalogue.model import Column
from libs.selection.selection import SortTerm
from services.features.request.cursor import Position, decode_cursor, encode_cursor

ORDER = (
    SortTerm(Column("magnitude", "double precision", "number"), descending=True),
    SortTerm(Column("id", "integer", "integer", not_null=True)),
)


def test_a_position_survives_the_way_there_and_back() -> None:
    position = Position(("6.5", "17"), backwards=True)
    assert decode_cursor(encode_cursor(position, "f00"), "f00", ORDER) == position


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

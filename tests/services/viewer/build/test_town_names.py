"""Names of towns in the languages of the pages."""

import pytest

from services.viewer.build.town_names import only_arabic_name, town_names


def test_large_towns_have_names_in_each_language() -> None:
    names = town_names()
    assert names["EG Cairo"][2] == {"es": "El Cairo", "fr": "Le Caire", "ar": "القاهرة"}
    assert names["TW Taipei"][2]["ar"] == "تايبيه"
    # time zones have the city without its last word
    assert names["US New York City"][2]["es"] == "Nueva York"
    # a town of the same name in another country
    assert names["CA London"][2].keys() <= {"ar"}


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        (["Lima", "ليما", "لىما"], "ليما"),
        (["Shanghai", "شانغهاي", "上海"], "شانغهاي"),
        (["بكين", "بيكين"], None),
        (["لاهور", "لہور"], "لاهور"),
        (["Paris"], None),
    ],
)
def test_only_name_in_arabic_letters_is_arabic(names: list[str], wanted: str | None) -> None:
    assert only_arabic_name(names) == wanted

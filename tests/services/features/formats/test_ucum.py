"""Units as UCUM writes them."""

from __future__ import annotations

import pytest

from services.features.formats.ucum import ucum


@pytest.mark.parametrize(
    ("unit", "code"),
    [
        ("km", "km"),
        ("hPa", "hPa"),
        ("%", "%"),
        ("m/s", "m/s"),
        ("m³/s", "m3/s"),
        ("km²", "km2"),
        ("m/s2", "m/s2"),
        ("W/m2.sr", "W/m2.sr"),
        ("/d", "/d"),
        ("10*6", "10*6"),
        ("{events}", "{events}"),
        ("[ft_i]", "[ft_i]"),
        ("kt", "[kn_i]"),
        ("°", "deg"),
        ("µm", "um"),
        ("N·m", "N.m"),
        ("s−1", "s-1"),
        ("°C", "Cel"),
        ("mph", "[mi_i]/h"),
        # the meaning of these is not known
        ("bushels", None),
        ("USD", None),
        ("km per h", None),
        ("m//s", None),
        ("", None),
        ("knots per hour", None),
    ],
)
def test_codes(unit: str, code: str | None) -> None:
    assert ucum(unit) == code


def test_units_of_the_metric_system_are_codes_with_and_without_a_prefix() -> None:
    units = [
        *("m", "g", "s", "rad", "sr", "K", "Cel", "Pa", "J", "W", "A", "V", "N"),
        *("Hz", "L", "l", "t", "bar", "mol", "eV", "B", "ar", "u"),
    ]
    codes = [*units, *(f"M{unit}" for unit in units), *(f"da{unit}2" for unit in units)]
    assert [ucum(code) for code in codes] == codes


def test_what_people_write_has_a_code() -> None:
    codes = {
        "[kn_i]": "kt kn knots", "[nmi_i]": "nmi NM", "[mi_i]": "mi", "[mi_i]/h": "mph", "[ft_i]": "ft", "[in_i]": "in",
        "deg": "° degree degrees", "Cel": "°C", "[degF]": "°F", "h": "hours hr", "d": "days day", "a": "years year",
        "{people}": "people", "{persons}": "persons", "{count}": "count",
    }  # fmt: skip
    for code, words in codes.items():
        assert {word: ucum(word) for word in words.split()} == dict.fromkeys(words.split(), code)
        # which is one itself
        assert ucum(code) == code


def test_codes_of_other_systems_prefixes_powers_and_notes() -> None:
    others = [
        *("min", "h", "d", "wk", "mo", "a", "deg", "'", "''", "har", "Cel", "%", "1", "10*6", "10*-3"),
        *(f"[{name}]" for name in ("kn_i", "nmi_i", "mi_i", "ft_i", "in_i", "yd_i", "degF", "acr_us")),
        *("[ppm]", "[ppb]", "[ppth]", "[pH]"),
    ]
    prefixed = [f"{prefix}m" for prefix in "YZEPTGMkhdcmunpfazy"]
    noted = ["m{above_sea}", "{a}", "m2{gauge}", "m{}", "s-1", "/s", "/s.m2", "1/s/m"]
    codes = [*others, *prefixed, *noted]
    assert [ucum(code) for code in codes] == codes
    # no prefix, no note with a blank, nothing behind
    assert {ucum(text) for text in ("kmin", "m{a b}", "{}", "xm", "m ", "m/", "[mi]", "10*", "m{")} == {None}

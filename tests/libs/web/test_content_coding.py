import re

import pytest

from libs.web.content_coding import RULES, best_coding, takes_brotli, takes_gzip
from tests.libs.web.accept_encodings import TAKES_BROTLI, TAKES_GZIP


@pytest.mark.parametrize(("header", "taken"), TAKES_GZIP.items(), ids=repr)
def test_headers(header: str, taken: bool) -> None:
    assert takes_gzip(header) is taken


@pytest.mark.parametrize(("header", "taken"), TAKES_BROTLI.items(), ids=repr)
def test_brotli(header: str, taken: bool) -> None:
    assert takes_brotli(header) is taken


@pytest.mark.parametrize(
    ("header", "coding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip, br;q=0, zstd", "gzip"),
        ("br;q=0, gzip;q=0.1", "gzip"),
        ("br", "br"),
        ("br2, broad", None),
        ("*", "gzip"),
        ("identity", None),
        ("", None),
        (None, None),
        ("x;q=1, " * 40 + "br", "br"),
        ("x;q=1, " * 40, None),
    ],
)
def test_what_makes_texts_smallest_of_what_is_allowed(header: str | None, coding: str | None) -> None:
    assert best_coding(header) == coding


def test_without_a_header_bytes_are_plain() -> None:
    assert takes_gzip(None) is False
    assert takes_brotli(None) is False


def test_long_headers() -> None:
    assert takes_gzip(", ".join(["br;q=0.5"] * 100) + ", gzip") is True
    assert takes_gzip(", ".join(["br;q=0.5"] * 100) + ", notgzip") is False


@pytest.mark.parametrize("part", [" ", ", ", "gzip ", "gzip;", "0", "gzip;q=0.", "gzip;q=", "*"])
def test_no_header_takes_long(part: str) -> None:
    # with repetitions that match the same text, 60,000 characters would take minutes, and the test its time limit
    for text in (part * (60_000 // len(part)), "gzip;q=0." + part * (60_000 // len(part))):
        assert takes_gzip(text + "!") in (True, False)
    assert all(re.compile(pattern).groups == 0 for rules in RULES.values() for pattern, _ in rules)

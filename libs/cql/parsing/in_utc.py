"""Rewrite a filter as it was interpreted: times without a zone get an explicit UTC. All else stays unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator

from libs.ogc.temporal import in_utc_text

_STRING = r"'(?:[^'\\]|''|\\.)*'"
"""The same as in the grammar."""
_WITHOUT_Z = re.compile(r":\d\d(?:\.\d+)?['\"]")
"""Occurs in every filter that has a time without a zone."""
_TEXT = re.compile(
    rf"""(?P<string>{_STRING})|"(?:[^"]|"")+"|(?:(?<![\w:.])(?P<name>TIMESTAMP|INTERVAL)\s*)?(?P<open>\()|\)""",
    re.IGNORECASE | re.DOTALL,
)
_JSON = re.compile(r'(?P<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?P<string>"(?:[^"\\]|\\.)*")|(?P<open>[\[{])|[\]}]')


def in_utc(text: str, lang: str) -> str:
    """Return a valid filter with all times in UTC as in RFC 3339; times that end with `Z` stay unchanged."""
    if not _WITHOUT_Z.search(text):
        return text
    pieces, end = [], 0
    for match in _times_of_json(text) if lang == "cql2-json" else _times_of_text(text):
        written = match["string"]
        pieces += [text[end : match.start()], written[0], in_utc_text(written[1:-1]), written[0]]
        end = match.end()
    return "".join([*pieces, text[end:]])


def _times_of_text(text: str) -> Iterator[re.Match[str]]:
    """Yield the strings within TIMESTAMP() and INTERVAL()."""
    of_times: list[bool] = []
    for match in _TEXT.finditer(text):
        if match["open"]:
            of_times.append(match["name"] is not None)
        elif match["string"]:
            if of_times and of_times[-1]:
                yield match
        elif match[0] == ")":
            of_times.pop()


def _times_of_json(text: str) -> Iterator[re.Match[str]]:
    """Yield the strings that are a `timestamp`, or an end of an `interval`."""
    # for each enclosing array and object: whether its strings are times
    of_times: list[bool] = []
    key = ""
    for match in _JSON.finditer(text):
        if match["key"]:
            key = match["key"]
        elif match["open"]:
            of_times.append(key == '"interval"')
            key = ""
        elif match["string"]:
            if key == '"timestamp"' or (of_times and of_times[-1]):
                yield match
            key = ""
        else:
            of_times.pop()

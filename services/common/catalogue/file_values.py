"""Values of the collections file: texts, addresses, CRSs, zoom ranges and pairs of columns. Each raises ValueError."""

import re

from libs.ogc.link import is_web_address

_ZOOMS = re.compile(r"(\d{1,2})(?:-(\d{1,2}))?\Z", re.ASCII)
_RELATION = re.compile(r"[a-z][a-z0-9.-]*\Z")
_CODE = re.compile(r"(?:EPSG|ESRI):(\d{4,6})\Z", re.ASCII)


def parse_texts(value: object) -> object:
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise ValueError("must be a list of texts")
    return tuple(value)


def parse_address(text: str) -> str:
    if not is_web_address(text):
        without = " without blanks and credentials" if text.startswith(("https://", "http://")) else ""
        raise ValueError(f"must be an address (https://…){without}")
    return text


def parse_addresses(value: object) -> object:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in (*value, *value.values())):
        raise ValueError("must be a mapping from words to addresses (https://…)")
    return tuple((words, parse_address(address)) for words, address in value.items())


def parse_one_or_two(value: object) -> object:
    """Parse one column, or two: the start and the end of features."""
    names = parse_texts(value) if isinstance(value, list) else value
    if not isinstance(names, str) and not (isinstance(names, tuple) and len(names) == len(set(names)) == 2):
        raise ValueError("must be a text, or a list of two columns: where features start and where they end")
    return names


def parse_zoom_ranges(value: object) -> object:
    """Parse `{0-4: [...], 5: [...]}` into first zoom, last zoom, names; ranges may not overlap."""
    if not isinstance(value, dict):
        raise ValueError("must be a mapping from zooms, such as 0-4, to lists of columns")  # noqa: TRY004 - pydantic's
    ranges: list[tuple[int, int, object]] = []
    for zooms, names in value.items():
        found = _ZOOMS.match(str(zooms))
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if first > last:
            raise ValueError(f": '{zooms}' is not a zoom or a range of zooms such as 0-4")
        if any(first <= other_last and last >= other_first for other_first, other_last, _ in ranges):
            raise ValueError(f": '{zooms}' overlaps another range")
        try:
            ranges.append((first, last, parse_texts(names)))
        except ValueError as error:
            raise ValueError(f".{zooms} {error}") from None
    return tuple(ranges)


def parse_srids(value: object) -> object:
    codes = [_CODE.match(str(entry)) for entry in value] if isinstance(value, list) else [None]
    if not all(codes):
        raise ValueError("must be a list of CRSs, such as EPSG:25832")
    return tuple(int(found[1]) for found in codes if found)


def parse_column_pairs(value: object) -> object:
    """Parse `{predecessor-version: {event_id: event_id, …}}` into relation types with pairs of columns."""
    if not isinstance(value, dict):
        raise ValueError("must be a mapping from relation types to mappings of columns")  # noqa: TRY004 - pydantic's
    for rel, found_by in value.items():
        if not isinstance(rel, str) or not _RELATION.match(rel):
            raise ValueError(f": '{rel}' is no relation type such as predecessor-version")
        texts = [*found_by, *found_by.values()] if isinstance(found_by, dict) else []
        if not texts or not all(isinstance(text, str) for text in texts):
            raise ValueError(f".{rel} must be a mapping of columns, such as event_id: event_id")
    return tuple((rel, tuple(found_by.items())) for rel, found_by in value.items())

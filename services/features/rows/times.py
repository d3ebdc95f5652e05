"""Convert times from PostgreSQL's text to RFC 3339, one column at a time.

They are fetched as text: making date objects in the driver and formatting them again takes a third of a page's time.
Most columns hold only whole seconds, and are converted in one step.
"""

from collections.abc import Sequence

Times = Sequence[str | None]

_SECONDS = 19
"""Length of a time without fraction and zone, in characters."""


def rfc3339_times(texts: Times) -> list[str | None]:
    """Convert timestamps in ISO style, in UTC if they have a zone, such as `2024-05-01 12:30:00.25+00`.

    Infinity, and years that RFC 3339 does not allow, become None.
    """
    present = [text for text in texts if text is not None]
    number, joined = len(present), "\n".join(present)
    zone = "+00" if joined.endswith("+00") else ""
    length = _SECONDS + len(zone)
    # infinity has no colons; all other exceptions are longer: years BC or of more than four digits, fractions
    whole_seconds = joined.count(":") == 2 * number and len(joined) == (length + 1) * number - 1
    if not whole_seconds:
        return [None if text is None else _rfc3339_time(text) for text in texts]
    joined = joined.replace(" ", "T")
    done = joined.replace("+00", "Z") if zone else f"{joined.replace(chr(10), f'Z{chr(10)}')}Z"
    if number == len(texts):
        return [*done.split("\n")]
    each = iter(done.split("\n"))
    return [None if text is None else next(each) for text in texts]


def _rfc3339_time(text: str) -> str | None:
    if text[4:5] != "-" or text.endswith("C"):
        return None
    return f"{text[:10]}T{text[11:].partition('+')[0]}Z"


def rfc3339_dates(texts: Times) -> list[str | None]:
    """Convert dates in ISO style; infinity, and years that RFC 3339 does not allow, become None."""
    return [text if text is not None and len(text) == 10 else None for text in texts]

"""Times as the database writes them, in the words of RFC 3339, a column at a time.

They travel as text: a driver that makes objects of them, for the encoder to take apart again, needs a third of the
time that a page of features takes. Most columns hold whole seconds only, and are made over at once.
"""

from collections.abc import Sequence

Times = Sequence[str | None]

_SECONDS = 19
"""Characters of a time without a fraction and a zone."""


def rfc3339_times(texts: Times) -> list[str | None]:
    """Timestamps of ISO style and, where they have a zone, in UTC, such as `2024-05-01 12:30:00.25+00`.

    None for infinity and for years that RFC 3339 does not know.
    """
    present = [text for text in texts if text is not None]
    number, joined = len(present), "\n".join(present)
    zone = "+00" if joined.endswith("+00") else ""
    length = _SECONDS + len(zone)
    # infinity has no colons; all else is longer: years before our era or of more than four digits, fractions
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
    """Dates of ISO style; None for infinity and for years that RFC 3339 does not know."""
    return [text if text is not None and len(text) == 10 else None for text in texts]

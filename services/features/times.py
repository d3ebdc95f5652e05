"""Times as the database writes them, in the words of RFC 3339.

They travel as text: a driver that makes objects of them, for the encoder to take apart again, needs a third of the
time that a page of features takes.
"""

_SECONDS = 19
"""Characters of a time without a fraction and a zone."""


def rfc3339_time(text: str) -> str | None:
    """A timestamp of ISO style and, where it has a zone, in UTC, such as `2024-05-01 12:30:00.25+00`.

    None for infinity and for years that RFC 3339 does not know.
    """
    if text[4:5] != "-" or text.endswith("C"):
        return None
    if len(text) <= _SECONDS + 3 and "." not in text:
        return f"{text[:10]}T{text[11:_SECONDS]}Z"
    fraction = text[_SECONDS + 1 :].partition("+")[0]
    return f"{text[:10]}T{text[11:_SECONDS]}.{fraction:0<6}Z"


def rfc3339_date(text: str) -> str | None:
    """A date of ISO style; None for infinity and for years that RFC 3339 does not know."""
    return text if len(text) == 10 else None

"""Values of a row as text that PostgreSQL reads back as the same values."""

from datetime import date, datetime, timedelta


def cursor_text(value: object) -> str | None:
    """The text of a column's value, None for null."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return f"{value.days} days {value.seconds} seconds {value.microseconds} microseconds"
    return repr(value) if isinstance(value, float) else str(value)

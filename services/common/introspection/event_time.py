"""Decide by name and type which column of dates or times is the time of features."""

import re

from libs.pg.column_types import column_type

_PART = re.compile(r"[^\W\d_]+")
_BETWEEN = re.compile(r"(?<=[a-z])(?=[A-Z])")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OF_RECORDS = _words(
    "approval approved birth born build building built changed checked closed commissioned constructed construction"
    " created creation decommissioned deleted digitised digitized downloaded due edited edition established exported"
    " founded imported inserted inspected inspection installation installed last licence license loaded maintained"
    " maintenance modified opened opening planned processed purchase purchased registered registration renewed"
    " retrieved review reviewed surveyed synced update updated upload uploaded verified"
)
"""Words of columns about the row, or about a thing that lasts, such as a building."""
_OF_EVENTS = _words(
    "acquired at began begin beginning begins data date dates datetime datum day dia end ended ends event fecha"
    " forecast from happened issued jour measured moment observation observed occurred onset origin recorded"
    " reported sampled seen since start started starts tag time timestamp to until valid when"
)


def says_when(name: str, sql_type: str) -> bool:
    """Return whether a column of dates or times is the time of features if the operator names none.

    >>> says_when("event_date", "date"), says_when("built", "date"), says_when("lastUpdate", "timestamp with time zone")
    (True, False, False)
    """
    words = {word.lower() for word in _PART.findall(_BETWEEN.sub(" ", name))}
    if words & _OF_RECORDS:
        return False
    return column_type(sql_type).json_format != "date" or bool(words & _OF_EVENTS)

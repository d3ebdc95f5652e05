"""Which columns name a feature, on pages, on the map and in its labels.

services/viewer/browser/words/feature-name.js says the same; the cases of tests/services/feature_names.json hold
for both.
"""

import re
from collections.abc import Iterable

_OWN = ("title", "name", "place")
_WORD = re.compile(r"(title|name|label|place|nom|nombre|nome|naam|namn|nazwa|bezeichnung)\Z", re.IGNORECASE | re.ASCII)
_PART = re.compile(r"name_|.*_name\Z", re.IGNORECASE | re.ASCII | re.DOTALL)


def name_columns(names: Iterable[str]) -> list[str]:
    """Those of these columns whose text may name a feature, the likeliest first.

    >>> name_columns(["ID", "NAME_EN", "station_name", "Name", "place"])
    ['place', 'Name', 'NAME_EN', 'station_name']
    """
    known = list(names)
    found = [name for name in _OWN if name in known]
    for pattern in (_WORD, _PART):
        found += [name for name in known if pattern.match(name) and name not in found]
    return found

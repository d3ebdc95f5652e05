"""Units of measure in UCUM codes (OGC 23-058r2, /req/schemas/unit): exact, but not for people."""

import re

_WORDS = {
    "kt": "[kn_i]",
    "kn": "[kn_i]",
    "knots": "[kn_i]",
    "nmi": "[nmi_i]",
    "NM": "[nmi_i]",
    "mi": "[mi_i]",
    "mph": "[mi_i]/h",
    "ft": "[ft_i]",
    "in": "[in_i]",
    "°": "deg",
    "degree": "deg",
    "degrees": "deg",
    "°C": "Cel",
    "°F": "[degF]",
    "hours": "h",
    "hr": "h",
    "days": "d",
    "day": "d",
    "years": "a",
    "year": "a",
    "people": "{people}",
    "persons": "{persons}",
    "count": "{count}",
}
"""Common names of units that have another UCUM code."""
_POWERS = str.maketrans({"²": "2", "³": "3", "·": ".", "µ": "u", "−": "-"})

_METRIC = "m|g|s|rad|sr|K|Cel|Pa|J|W|A|V|N|Hz|L|l|t|bar|mol|eV|B|ar|u"
_OTHERS = (
    r"min|h|d|wk|mo|a|deg|'|''|har|Cel|\[(?:kn_i|nmi_i|mi_i|ft_i|in_i|yd_i|degF|acr_us|ppm|ppb|ppth|pH)\]|%|10\*-?\d+|1"
)
_SIMPLE = rf"(?:(?:da|[YZEPTGMkhdcmunpfazy])?(?:{_METRIC})|{_OTHERS})(?:-?\d+)?(?:\{{[!-z|~]*\}})?|\{{[!-z|~]+\}}"
_CODE = re.compile(rf"/?(?:{_SIMPLE})(?:[./](?:{_SIMPLE}))*\Z")


def ucum(unit: str) -> str | None:
    """The UCUM code of a unit, such as `[kn_i]` for `kt`; None if unknown.

    >>> ucum("m³/s"), ucum("kt"), ucum("hPa"), ucum("bushels")
    ('m3/s', '[kn_i]', 'hPa', None)
    """
    code = _WORDS.get(unit) or unit.translate(_POWERS)
    return code if _CODE.match(code) else None

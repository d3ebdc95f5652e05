"""Filters of every kind over the standard's three tables, the same ones for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.libs.cql.conftest import standard_features

NUMBERS = {"countries": ["POP_EST"], "places": ["pop_max", "pop_min", "pop_other"], "rivers": []}
TEXTS = {"countries": ["NAME"], "places": ["name", "nameascii"], "rivers": ["name"]}
INSTANTS = ["date", "start", '"end"']
SPATIAL = ("INTERSECTS", "DISJOINT", "WITHIN", "CONTAINS", "TOUCHES", "CROSSES", "OVERLAPS", "EQUALS")
OF_INTERVALS = (
    *("AFTER", "BEFORE", "CONTAINS", "DISJOINT", "DURING", "EQUALS", "FINISHEDBY", "FINISHES", "INTERSECTS", "MEETS"),
    *("METBY", "OVERLAPPEDBY", "OVERLAPS", "STARTEDBY", "STARTS"),
)
OF_INSTANTS = ("AFTER", "BEFORE", "DISJOINT", "EQUALS", "INTERSECTS")
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")


class Filters:
    """Makes filters over one table."""

    def __init__(self, table: str, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311
        self._table = table
        self._rows = [feature["properties"] for feature in standard_features(table)]

    def filter(self, depth: int = 2) -> str:
        """One filter, with AND, OR and NOT as deep as `depth`."""
        choice = self._random.random()
        if depth == 0 or choice < 0.5:
            return self._random.choice(self._kinds())()
        if choice < 0.65:
            return f"NOT ({self.filter(depth - 1)})"
        word = "AND" if choice < 0.82 else "OR"
        return f"({self.filter(depth - 1)}) {word} ({self.filter(depth - 1)})"

    def _kinds(self) -> list[Callable[[], str]]:
        kinds = [self._text, self._like, self._in, self._null, self._folded, self._spatial, self._array]
        if NUMBERS[self._table]:
            kinds += [self._number, self._arithmetic, self._between]
        if self._table == "places":
            kinds += [self._boolean, self._instant, self._instants, self._intervals, self._intervals]
        return kinds

    def _pick(self, names: list[str]) -> str:
        return self._quoted(self._random.choice(names))

    def _quoted(self, name: str) -> str:
        return f'"{name}"' if name != name.lower() else name

    def _value(self, name: str) -> str:
        values = [row[name] for row in self._rows if row[name] is not None]
        return str(self._random.choice(values))

    def _literal(self, text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    def _number(self) -> str:
        name = self._random.choice(NUMBERS[self._table])
        other = self._pick(NUMBERS[self._table]) if self._random.random() < 0.2 else self._value(name)
        sides = [self._quoted(name), other]
        self._random.shuffle(sides)
        return f"{sides[0]} {self._random.choice(COMPARISONS)} {sides[1]}"

    def _arithmetic(self) -> str:
        name = self._random.choice(NUMBERS[self._table])
        operator = self._random.choice(("+", "-", "*", "/", "%", "div"))
        number = self._random.choice((2, 3, 7, 1000, 12345))
        comparison = self._random.choice(("<", "<=", ">", ">="))
        return f"{self._quoted(name)} {operator} {number} {comparison} {self._value(name)} {operator} {number + 1}"

    def _between(self) -> str:
        name = self._random.choice(NUMBERS[self._table])
        low, high = sorted([float(self._value(name)), float(self._value(name))])
        word = self._random.choice(("", "NOT "))
        return f"{self._quoted(name)} {word}BETWEEN {low} AND {high}"

    def _text(self) -> str:
        name = self._random.choice(TEXTS[self._table])
        return f"{self._quoted(name)} {self._random.choice(COMPARISONS)} {self._literal(self._value(name))}"

    def _pattern(self, text: str) -> str:
        start, length = self._random.randrange(len(text)), self._random.randrange(1, 4)
        part = text[start : start + length].replace("%", "").replace("_", "") or "a"
        return self._random.choice((f"%{part}%", f"{part}%", f"%{part}", f"_{part}%", f"%{part[:1]}_%"))

    def _like(self) -> str:
        name = self._random.choice(TEXTS[self._table])
        word = self._random.choice(("", "NOT "))
        return f"{self._quoted(name)} {word}LIKE {self._literal(self._pattern(self._value(name)))}"

    def _folded(self) -> str:
        name = self._random.choice(TEXTS[self._table])
        folds = self._random.choice((("CASEI",), ("ACCENTI",), ("CASEI", "ACCENTI"), ("ACCENTI", "CASEI")))
        is_like = self._random.random() < 0.5
        text = self._value(name)
        text = self._pattern(text) if is_like else text
        text = self._random.choice((text, text.upper(), text.lower()))
        sides = [self._quoted(name), self._literal(text)]
        for fold in folds:
            sides = [f"{fold}({side})" for side in sides]
        return f"{sides[0]} {'LIKE' if is_like else self._random.choice(('=', '<>'))} {sides[1]}"

    def _in(self) -> str:
        name = self._random.choice([*TEXTS[self._table], *NUMBERS[self._table]])
        values = [self._value(name) for _ in range(self._random.randrange(1, 5))]
        written = values if name in NUMBERS[self._table] else [self._literal(value) for value in values]
        return f"{self._quoted(name)} {self._random.choice(('', 'NOT '))}IN ({', '.join(written)})"

    def _null(self) -> str:
        name = self._pick([*TEXTS[self._table], *NUMBERS[self._table]])
        return f"{name} IS {self._random.choice(('', 'NOT '))}NULL"

    def _boolean(self) -> str:
        return f"boolean {self._random.choice(('=', '<>'))} {self._random.choice(('TRUE', 'FALSE'))}"

    def _moment(self) -> tuple[str, str]:
        """A kind of literal and its text, in the years of the data."""
        day = f"202{self._random.randrange(1, 4)}-{self._random.randrange(1, 13):02}-{self._random.randrange(1, 29):02}"
        if self._random.random() < 0.3:
            name = self._random.choice(("date", "start", "end"))
            day = self._value(name)[:10]
        if self._random.random() < 0.5:
            return "DATE", day
        return "TIMESTAMP", f"{day}T{self._random.randrange(24):02}:{self._random.randrange(60):02}:00Z"

    def _instant(self) -> str:
        kind, text = self._moment()
        return f"{self._random.choice(INSTANTS)} {self._random.choice(COMPARISONS)} {kind}('{text}')"

    def _instants(self) -> str:
        kind, text = self._moment()
        return f"T_{self._random.choice(OF_INSTANTS)}({self._random.choice(INSTANTS)}, {kind}('{text}'))"

    def _interval(self) -> str:
        if self._random.random() < 0.4:
            return self._random.choice(('INTERVAL(start, "end")', "INTERVAL(start, '..')", "INTERVAL('..', \"end\")"))
        low, high = sorted([self._moment()[1], self._moment()[1]])
        if low[:10] == high[:10]:
            high = "2030-01-01"
        ends = [f"'{low}'", f"'{high}'"]
        if self._random.random() < 0.2:
            ends[self._random.randrange(2)] = "'..'"
        return f"INTERVAL({', '.join(ends)})"

    def _intervals(self) -> str:
        return f"T_{self._random.choice(OF_INTERVALS)}({self._interval()}, {self._interval()})"

    def _spatial(self) -> str:
        west, south = self._random.randrange(-170, 150), self._random.randrange(-80, 60)
        width, height = self._random.randrange(1, 60), self._random.randrange(1, 60)
        east, north = min(west + width, 180), min(south + height, 90)
        literal = self._random.choice((
            f"BBOX({west}, {south}, {east}, {north})",
            f"BBOX({east}, {south}, {west}, {north})",
            f"POLYGON(({west} {south}, {east} {south}, {east} {north}, {west} {south}))",
            f"LINESTRING({west} {south}, {east} {north})",
            f"POINT({west} {south})",
            f"MULTIPOINT(({west} {south}), ({east} {north}))",
        ))  # fmt: skip
        name = self._random.choice(SPATIAL)
        if (
            name in ("DISJOINT", "TOUCHES", "CROSSES", "OVERLAPS", "EQUALS", "CONTAINS", "WITHIN")
            and f"BBOX({east}" in literal
        ):
            name = "INTERSECTS"
        sides = ["geom", literal]
        self._random.shuffle(sides)
        return f"S_{name}({', '.join(sides)})"

    def _array(self) -> str:
        names = TEXTS[self._table]
        members = [self._quoted(self._random.choice(names)) for _ in range(self._random.randrange(1, 3))]
        literals = [self._literal(self._value(self._random.choice(names))) for _ in range(2)]
        left = f"({', '.join([*members, literals[0]])})"
        function = self._random.choice(("CONTAINS", "CONTAINEDBY", "EQUALS", "OVERLAPS"))
        return f"A_{function}({left}, ({', '.join([literals[1], members[0]])}))"

"""Times without a zone get UTC, and the rest of a filter stays the same."""

from __future__ import annotations

import pytest

from libs.cql import in_utc, parse
from tests.libs.cql.normalise import normalise

NAIVE = "2018-02-01T00:00:00"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (f"at > TIMESTAMP('{NAIVE}')", f"at > TIMESTAMP('{NAIVE}Z')"),
        ("at > timestamp ( '2018-02-01 01:00:00.50+01:00' )", "at > timestamp ( '2018-02-01T00:00:00.5Z' )"),
        (
            f"T_DURING(at, INTERVAL('{NAIVE}', '..')) AND n = 1.10",
            f"T_DURING(at, INTERVAL('{NAIVE}Z', '..')) AND n = 1.10",
        ),
        (f"T_AFTER(INTERVAL(\"a(b\", '{NAIVE}'), at)", f"T_AFTER(INTERVAL(\"a(b\", '{NAIVE}Z'), at)"),
        # texts that look like times are texts, and names are names
        *((same, same) for same in (f"name = '{NAIVE}'", f"name = 'TIMESTAMP(''{NAIVE}'')'", f"\"b'{NAIVE}'\" = 1")),
        # also where a name ends like a function, and after the end of a line
        *((same, same) for same in (f"my.timestamp('{NAIVE}') = 1", f"utimestamp('{NAIVE}') = 1")),
        (
            f"\"a\"\"(\" = 'a\\\n(' AND at > TIMESTAMP('{NAIVE}')",
            f"\"a\"\"(\" = 'a\\\n(' AND at > TIMESTAMP('{NAIVE}Z')",
        ),
        (f"f(TIMESTAMP('{NAIVE}'), '{NAIVE}') = 1", f"f(TIMESTAMP('{NAIVE}Z'), '{NAIVE}') = 1"),
        (f"name IN ('\\'', '{NAIVE}') OR at = DATE('2018-02-01')", None),
        (f"S_INTERSECTS(geom, POINT(0 0)) AND (at) = TIMESTAMP('{NAIVE}Z')", None),
    ],
)
def test_of_text(written: str, said: str | None) -> None:
    assert in_utc(written, "cql2-text") == (said or written)
    assert normalise(parse(in_utc(written, "cql2-text"))) == normalise(parse(written))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (
            '{"op": ">", "args": [{"property": "at"}, {"timestamp" : "@"}]}',
            '{"op": ">", "args": [{"property": "at"}, {"timestamp" : "@Z"}]}',
        ),
        (
            '{"op":"t_after","args":[{"interval":[{"property":"x"},"@"]},{"interval":["..","@"]}]}',
            '{"op":"t_after","args":[{"interval":[{"property":"x"},"@Z"]},{"interval":["..","@Z"]}]}',
        ),
        (
            '{"op":"and","args":[{"op":"=","args":[{"property":"n"},1.10]},{"op":"in","args":["timestamp",["@"]]}]}',
            None,
        ),
        ('{"op":"=","args":[{"property":"interval"},"@"]}', None),
        ('{"op":"=","args":[{"timestamp":"@"},"@"]}', '{"op":"=","args":[{"timestamp":"@Z"},"@"]}'),
        (
            '{"op":"t_after","args":[{"interval":["@",".."]},{"op":"f","args":["@",["@"]]}]}',
            '{"op":"t_after","args":[{"interval":["@Z",".."]},{"op":"f","args":["@",["@"]]}]}',
        ),
        ('{"op":"=","args":[{"property":"a"},"{\\"timestamp\\":\\"@\\"}"]}', None),
    ],
)
def test_of_json(written: str, said: str | None) -> None:
    written = written.replace("@", NAIVE)
    assert in_utc(written, "cql2-json") == (said.replace("@", NAIVE) if said else written)
    assert normalise(parse(in_utc(written, "cql2-json"), "cql2-json")) == normalise(parse(written, "cql2-json"))

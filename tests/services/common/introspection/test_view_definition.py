"""What is read from the node tree that PostgreSQL keeps for a view: sources, columns, and equal columns."""

from __future__ import annotations

import pytest

from services.common.introspection.view_definition import Definition, Equal, read_definition


def node(name: str, **members: object) -> str:
    """As the server writes it."""
    return f"{{{name} {' '.join(f':{key} {value}' for key, value in members.items())}}}"


def var(source: int, column: int, level: int = 0) -> str:
    return node("VAR", varno=source, varattno=column, varlevelsup=level)


def target(number: int, expr: str, *, junk: bool = False, group: int = 0) -> str:
    return node("TARGETENTRY", expr=expr, resno=number, ressortgroupref=group, resjunk=str(junk).lower())


def equals(left: str, right: str, operator: int = 96) -> str:
    return node("OPEXPR", opno=operator, args=f"({left} {right})")


def relation(oid: int) -> str:
    return node("RANGETBLENTRY", rtekind=0, relid=oid)


def ref(number: int) -> str:
    return node("RANGETBLREF", rtindex=number)


def joined(kind: int, left: str, right: str, quals: str = "<>") -> str:
    return node("JOINEXPR", jointype=kind, larg=left, rarg=right, quals=quals)


def query(ranges: str, tree: str, targets: str, quals: str = "<>", **others: object) -> str:
    plain = {
        **{"commandType": 1, "setOperations": "<>", "hasTargetSRFs": "false", "groupingSets": "<>"},
        **{"hasAggs": "false", "groupClause": "<>"},
    }
    jointree = node("FROMEXPR", fromlist=f"({tree})", quals=quals)
    every = {**plain, "rtable": f"({ranges})", "jointree": jointree, "targetList": f"({targets})", **others}
    return node("QUERY", **every)


def read(text: str) -> Definition | None:
    return read_definition(f"({text})")


TWO = f"{relation(11)} {relation(22)}"
BOTH = target(1, var(1, 3)) + target(2, var(2, 1))


def test_columns_are_those_of_sources_and_what_only_sorts_is_none() -> None:
    targets = [
        target(1, var(1, 3)),
        # as another type that has the same bytes, of the alias of a join, worked out, of the row, of a query around
        target(2, node("RELABELTYPE", arg=node("RELABELTYPE", arg=var(1, 2)))),
        target(3, var(3, 2)),
        target(4, node("FUNCEXPR", funcid=7, args=f"({var(1, 1)})")),
        target(5, var(1, 0)),
        target(6, var(1, -1)),
        target(7, var(1, 1, level=1)),
        target(8, var(1, 9), junk=True),
    ]
    alias = node("RANGETBLENTRY", rtekind=2, joinaliasvars=f"({var(1, 1)} {var(2, 5)})")
    found = read(query(f"{TWO} {alias}", joined(0, ref(1), ref(2)), " ".join(targets)))
    assert found == Definition({1: 11, 2: 22}, columns={1: (1, 3), 2: (1, 2), 3: (2, 5)})


def test_queries_within_are_sources_with_sources_of_their_own() -> None:
    within = query(relation(33), ref(1), target(1, var(1, 4)))
    ranges = f"{relation(11)} {node('RANGETBLENTRY', rtekind=1, subquery=within)}"
    found = read(query(ranges, f"{ref(1)} {ref(2)}", BOTH))
    below = Definition({1: 33}, columns={1: (1, 4)})
    assert found == Definition({1: 11, 2: below}, columns={1: (1, 3), 2: (2, 1)})
    assert [*found.relations()] == [11, 33]


ONE_EQUAL = equals(var(1, 1), var(2, 2))


@pytest.mark.parametrize(
    ("kind", "nullable", "within"),
    [(0, set(), None), (1, {2}, frozenset({2})), (3, {1}, frozenset({1}))],
)
def test_an_outer_join_chooses_rows_of_its_other_side_only(
    kind: int, nullable: set[int], within: frozenset[int] | None
) -> None:
    found = read(query(TWO, joined(kind, ref(1), ref(2), ONE_EQUAL), BOTH))
    assert found == Definition({1: 11, 2: 22}, nullable, {1: (1, 3), 2: (2, 1)}, [Equal((1, 1), (2, 2), within)])


def test_all_sources_of_a_side_may_have_no_row() -> None:
    quals = node("BOOLEXPR", boolop="and", args=f"({equals(var(3, 1), var(1, 1))} {ONE_EQUAL})")
    tree = joined(1, ref(3), joined(0, ref(1), ref(2), ONE_EQUAL), quals)
    found = read(query(f"{TWO} {relation(33)}", tree, BOTH))
    assert found is not None
    within = frozenset({1, 2})
    assert found.sources == {3: 33, 1: 11, 2: 22}
    assert found.nullable == within
    assert found.equal == [Equal((1, 1), (2, 2)), Equal((3, 1), (1, 1), within), Equal((1, 1), (2, 2), within)]


def test_only_what_holds_of_every_row_makes_columns_equal() -> None:
    def found(quals: str) -> list[Equal]:
        definition = read(query(TWO, f"{ref(1)} {ref(2)}", BOTH, quals))
        assert definition is not None
        return definition.equal

    other = equals(var(1, 2), var(2, 1), operator=410)
    one, two = Equal((1, 1), (2, 2)), Equal((1, 2), (2, 1))
    assert found("<>") == []
    assert found(ONE_EQUAL) == [one]
    assert found(f"({ONE_EQUAL} {other})") == [one, two]
    nested = node("BOOLEXPR", boolop="and", args=f"({ONE_EQUAL})")
    assert found(node("BOOLEXPR", boolop="and", args=f"({other} {nested})")) == [two, one]
    assert found(node("BOOLEXPR", boolop="or", args=f"({ONE_EQUAL} {other})")) == []
    assert found(node("BOOLEXPR", boolop="not", args=f"({ONE_EQUAL})")) == []
    # another operator, and a value that is not a column on one side
    assert found(equals(var(1, 1), var(2, 2), operator=97)) == []
    assert found(equals(var(1, 1), node("CONST", consttype=23))) == []
    assert found(equals(node("CONST", consttype=23), var(1, 1))) == []
    assert found(node("OPEXPR", opno=96, args=f"({var(1, 1)})")) == []


def test_groups_are_told_apart_by_the_columns_that_are_shown_of_them() -> None:
    groups = " ".join(node("SORTGROUPCLAUSE", tleSortGroupRef=number) for number in (2, 1))
    targets = [target(1, var(1, 1), group=1), target(2, node("AGGREF", aggfnoid=7)), target(3, var(1, 2), group=2)]
    found = read(query(relation(11), ref(1), " ".join(targets), groupClause=f"({groups})", hasAggs="true"))
    assert found == Definition({1: 11}, columns={1: (1, 1), 3: (1, 2)}, grouped_by=(3, 1))
    targets[2] = target(3, var(1, 2), group=2, junk=True)
    assert read(query(relation(11), ref(1), " ".join(targets), groupClause=f"({groups})", hasAggs="true")) is None


@pytest.mark.parametrize(
    "others",
    [
        {"commandType": 2},
        {"setOperations": node("SETOPERATIONSTMT", op=0)},
        {"hasTargetSRFs": "true"},
        {"groupingSets": f"({node('GROUPINGSET', kind=2)})"},
        # one row, which has no key
        {"hasAggs": "true"},
        {"rtable": f"({node('RANGETBLENTRY', rtekind=3)})"},
        {"rtable": "()"},
        {"jointree": node("FROMEXPR", fromlist=f"({joined(2, ref(1), ref(1))})", quals="<>")},
        {"targetList": "<>"},
        {"targetList": f"({node('TARGETENTRY', resno=1)})"},
    ],
)
def test_of_another_shape_nothing_is_known(others: dict[str, object]) -> None:
    targets = target(1, var(1, 1))
    assert read(query(relation(11), ref(1), targets)) is not None
    odd = query(relation(11), ref(1), targets, "<>", **others)
    assert read(odd) is None
    # nor of a source of that shape
    below = node("RANGETBLENTRY", rtekind=1, subquery=odd)
    assert read(query(below, ref(1), targets)) is None


def test_nor_of_what_is_no_tree_or_too_deep() -> None:
    plain = query(relation(11), ref(1), target(1, var(1, 1)))
    assert read_definition("") is None
    assert read_definition(f"({plain} {plain})") is None
    assert read_definition(plain) is None
    assert read_definition("(" * 100_000) is None


def test_words_may_hold_what_otherwise_ends_them_and_constants_are_bytes() -> None:
    odd = node("RANGETBLENTRY", eref=r"a\ b\(\{\}\)", constvalue="4 [ 1 0 0 0 ]", rtekind=0, relid=11)
    assert read(query(odd, ref(1), target(1, var(1, 1)))) == Definition({1: 11}, columns={1: (1, 1)})

"""The loader's records agree with the tables of the schema, in names, types, required columns and keys."""

from __future__ import annotations

import importlib
import pkgutil
import typing
from datetime import datetime
from types import NoneType, UnionType

import asyncpg
import pytest
from shapely.geometry import MultiLineString, MultiPolygon, Point

from deploy.loader import records
from deploy.loader.records.target import Target

_TYPES: dict[object, tuple[str, ...]] = {
    str: ("text", "jsonb"),
    float: ("double precision",),
    int: ("integer", "bigint"),
    bool: ("boolean",),
    datetime: ("timestamp with time zone",),
    Point: ("geometry(Point,4326)",),
    MultiLineString: ("geometry(MultiLineString,4326)",),
    MultiPolygon: ("geometry(MultiPolygon,4326)",),
}


def _targets() -> dict[str, Target]:
    found: dict[str, Target] = {}
    for module in pkgutil.iter_modules(records.__path__, f"{records.__name__}."):
        members = vars(importlib.import_module(module.name)).items()
        found |= {
            f"{module.name.rpartition('.')[2]}.{name}": each for name, each in members if isinstance(each, Target)
        }
    return found


_TARGETS = _targets()


def test_there_are_targets() -> None:
    assert len(_TARGETS) > 20


@pytest.fixture
async def columns(owner: asyncpg.Connection) -> dict[str, dict[str, asyncpg.Record]]:
    """Return the columns of each table of the schema, by name."""
    rows = await owner.fetch(
        "SELECT c.relname AS table, attname AS name, format_type(atttypid, atttypmod) AS type, attnotnull AS required,"
        " atthasdef OR attidentity <> '' OR attgenerated <> '' AS has_default FROM pg_attribute a"
        " JOIN pg_class c ON c.oid = attrelid WHERE relnamespace = 'hazard'::regnamespace AND relkind = 'r'"
        " AND attnum > 0 AND NOT attisdropped"
    )
    found: dict[str, dict[str, asyncpg.Record]] = {}
    for row in rows:
        found.setdefault(row["table"], {})[row["name"]] = row
    return found


async def test_each_field_is_a_column_of_its_type(columns: dict[str, dict[str, asyncpg.Record]]) -> None:
    faults = []
    for name, target in _TARGETS.items():
        table = columns[target.table]
        for field, hint in typing.get_type_hints(target.row).items():
            members = typing.get_args(hint) if isinstance(hint, UnionType) else (hint,)
            [kind] = [member for member in members if member is not NoneType]
            column = table.get(field)
            if column is None or column["type"] not in _TYPES[kind]:
                faults.append(f"{name}.{field}: {hint} does not fit {column and column['type']}")
        named = (*target.key, *target.scope, *target.keeps, target.revision, target.withdrawn, target.ends)
        faults += [f"{name}: there is no {each}" for each in named if each and each not in table]
    assert faults == []


async def test_each_record_fills_what_its_table_requires(columns: dict[str, dict[str, asyncpg.Record]]) -> None:
    faults = []
    for name, target in _TARGETS.items():
        required = {each["name"] for each in columns[target.table].values() if each["required"]}
        hints = typing.get_type_hints(target.row)
        optional = {field for field, hint in hints.items() if NoneType in typing.get_args(hint)}
        without_default = {each for each in required if not columns[target.table][each]["has_default"]}
        faults += [f"{name}.{field} may be empty, its column not" for field in required & optional]
        faults += [f"{name} has no {field}, which is required" for field in without_default - hints.keys()]
    assert faults == []


async def test_each_key_has_a_unique_index(owner: asyncpg.Connection) -> None:
    rows = await owner.fetch(
        "SELECT relname, array_agg(attname::text ORDER BY attname) AS columns FROM pg_index"
        " JOIN pg_class c ON c.oid = indrelid JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)"
        " WHERE indisunique AND relnamespace = 'hazard'::regnamespace GROUP BY indexrelid, relname"
    )
    unique = {(row["relname"], tuple(row["columns"])) for row in rows}
    assert [name for name, target in _TARGETS.items() if (target.table, tuple(sorted(target.key))) not in unique] == []

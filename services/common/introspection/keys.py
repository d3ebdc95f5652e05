"""Find keys for views, and for multi-column keys of tables."""

import logging
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import product

from libs.catalogue.model import Collection, Column
from libs.pg.column_types import Kind, column_type
from libs.pg.pool import Database
from libs.pg.sql import bind, ident, sql
from services.common.introspection.view_definition import Definition, Place, read_definition

_LOG = logging.getLogger("dams.catalogue")
_DEEPEST = 20
"""Maximum depth of views over views."""
_MOST_KEYS = 8
_LIKELY = ("id", "gid", "fid", "ogc_fid", "objectid", "object_id", "uuid", "guid", "osm_id", "pk", "key", "code")

_VIEWS = """
SELECT w.ev_class::bigint AS oid, w.xmin::text AS written,
    ARRAY(
        SELECT a.attname FROM pg_attribute a WHERE a.attrelid = w.ev_class AND a.attnum > 0 ORDER BY a.attnum
    ) AS names,
    CASE WHEN NOT (w.ev_class::bigint || ' ' || w.xmin) = ANY ({known}) THEN w.ev_action::text END AS definition
FROM pg_rewrite w JOIN pg_class c ON c.oid = w.ev_class AND c.relkind = 'v'
WHERE w.ev_class = ANY ({oids}::oid[]) AND w.ev_type = '1'
"""
# the keys of a table do not cover its children (INHERITS); deferred constraints hold between transactions
_INDEXES = """
SELECT i.indrelid::bigint AS oid, a.numbers, a.names, a.not_null
FROM pg_index i
JOIN pg_class c ON c.oid = i.indrelid AND (c.relkind IN ('m', 'p') OR c.relkind = 'r' AND NOT c.relhassubclass),
LATERAL (
    SELECT array_agg(a.attnum ORDER BY k.place) AS numbers, array_agg(a.attname ORDER BY k.place) AS names,
        bool_and(a.attnotnull) AS not_null
    FROM unnest(i.indkey::int2[]) WITH ORDINALITY k (number, place)
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number AND a.attnum > 0
    WHERE k.place <= i.indnkeyatts
) a
WHERE i.indrelid = ANY ({oids}::oid[]) AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
    AND cardinality(a.numbers) = i.indnkeyatts
ORDER BY i.indrelid, i.indisprimary DESC, i.indexrelid
"""


@dataclass(frozen=True, slots=True)
class _Key:
    """Columns (by number) with a distinct combination of values in each row, except for nulls."""

    columns: tuple[int, ...]
    not_null: bool


@dataclass(frozen=True, slots=True)
class _Found:
    names: tuple[str, ...]
    not_null: bool
    unique: bool


class Keys:
    """Adds keys from indexes and view definitions to collections without a single-column key."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # by oid of a view: the transaction that wrote it, and its definition
        self._definitions: dict[int, tuple[str, Definition | None]] = {}
        self._names: dict[int, dict[int, str]] = {}
        self._filled: dict[str, tuple[Collection, _Found | None, Collection]] = {}
        self._without: frozenset[str] = frozenset()

    async def fill_in(
        self, collections: tuple[Collection, ...], locked: Set[str] = frozenset()
    ) -> tuple[Collection, ...]:
        """Return the collections, the same object as before for an unchanged one. Raises Unavailable.

        Collections with an id in `locked` cannot be read, and keep their keys.
        """
        wanted = [collection for collection in collections if collection.key is None and collection.kind != "function"]
        definitions = await self._read_definitions([entry.oid for entry in wanted if entry.kind == "view"])
        tables = {oid for found in definitions.values() if found is not None for oid in found.relations()}
        keys = await self._read_indexes(tables | {entry.oid for entry in wanted if entry.kind != "view"})
        chosen = {entry.id: _choose_key(entry, definitions, keys, self._names) for entry in wanted}
        for collection in wanted:
            found = chosen[collection.id]
            if found is not None and not found.unique and collection.kind == "materialized view":
                # its columns are never declared NOT NULL
                before = self._filled.get(collection.id)
                if collection.id not in locked:
                    chosen[collection.id] = await self._check_nulls(collection, found)
                elif before is not None and before[0] is collection:
                    chosen[collection.id] = before[1]
        self._filled = {collection.id: self._with(collection, chosen[collection.id]) for collection in wanted}
        self._tell([filled for _, _, filled in self._filled.values()])
        return tuple(
            self._filled[collection.id][-1] if collection.id in self._filled else collection
            for collection in collections
        )

    async def _read_definitions(self, oids: Iterable[int]) -> Mapping[int, Definition | None]:
        """Return the definitions of the views and of the views below them, each read once per change."""
        found: dict[int, tuple[str, Definition | None]] = {}
        waiting = set(oids)
        self._names = {}
        for _ in range(_DEEPEST):
            if not waiting:
                break
            known = [f"{oid} {written}" for oid, (written, _) in self._definitions.items()]
            statement = sql(_VIEWS, known=bind(known, "text[]"), oids=bind(sorted(waiting), "bigint[]"))
            for row in await self._database.fetch(statement):
                self._names[row["oid"]] = dict(enumerate(row["names"], 1))
                definition = row["definition"]
                if definition is not None:
                    found[row["oid"]] = row["written"], read_definition(definition)
                else:
                    found[row["oid"]] = self._definitions[row["oid"]]
            below = {oid for _, entry in found.values() if entry is not None for oid in entry.relations()}
            waiting = below - found.keys() - waiting
        self._definitions = found
        return {oid: definition for oid, (_, definition) in found.items()}

    async def _read_indexes(self, oids: set[int]) -> Mapping[int, list[_Key]]:
        keys: dict[int, list[_Key]] = {}
        if oids:
            for row in await self._database.fetch(sql(_INDEXES, oids=bind(sorted(oids), "bigint[]"))):
                keys.setdefault(row["oid"], []).append(_Key(tuple(row["numbers"]), row["not_null"]))
                numbered = zip(row["numbers"], row["names"], strict=True)
                self._names.setdefault(row["oid"], {}).update(numbered)
        return keys

    async def _check_nulls(self, collection: Collection, found: _Found) -> _Found:
        """Check for nulls with the index, which has the answer at once for a single column."""
        if len(found.names) > 1:
            return found
        nulls = sql(
            "SELECT EXISTS (SELECT FROM {table} WHERE {name} IS NULL)",
            table=ident(collection.schema, collection.name),
            name=ident(found.names[0]),
        )
        try:
            none = not await self._database.fetchval(nulls)
        except Exception as error:
            # it has no rows yet (WITH NO DATA), or is locked
            if await self._database.passes(error):
                raise
            return found
        return replace(found, not_null=none, unique=none)

    def _with(self, collection: Collection, found: _Found | None) -> tuple[Collection, _Found | None, Collection]:
        before = self._filled.get(collection.id)
        if before is not None and before[0] is collection and before[1] == found:
            return before
        if found is None:
            return collection, None, replace(collection, suggested_key=_suggest_key(collection))
        columns = collection.columns
        if found.not_null:
            columns = tuple(replace(entry, not_null=True) if entry.name in found.names else entry for entry in columns)
        single = len(found.names) == 1
        filled = replace(
            collection,
            columns=columns,
            key=found.names[0] if single else None,
            composite_key=() if single else found.names,
            key_repeats=not found.unique,
        )
        return collection, found, filled

    def _tell(self, collections: Sequence[Collection]) -> None:
        without = {collection.id: collection.suggested_key for collection in collections if not collection.id_columns}
        if new := without.keys() - self._without:
            suggested = {identifier: without[identifier] for identifier in sorted(new) if without[identifier]}
            fields = {"number": len(new), "suggested id_column": dict(list(suggested.items())[:50])}
            _LOG.info("features without ids; the collections file may name an id_column", extra={"fields": fields})
        self._without = frozenset(without)


def _choose_key(
    collection: Collection,
    definitions: Mapping[int, Definition | None],
    keys: Mapping[int, list[_Key]],
    names: Mapping[int, dict[int, str]],
) -> _Found | None:
    """Return the best key: one column before several, without nulls before with nulls."""
    candidates, numbered = keys.get(collection.oid, []), names.get(collection.oid, {})
    if collection.kind == "view":
        definition = definitions.get(collection.oid)
        candidates = [] if definition is None else _keys_of(definition, definitions, keys, 0)
    usable = [
        (key, tuple(numbered[number] for number in key.columns))
        for key in candidates
        if all(_is_id(collection.column(numbered.get(number, ""))) for number in key.columns)
    ]
    if not usable:
        return None
    key, chosen = min(usable, key=lambda entry: (not entry[0].not_null, len(entry[1])))
    return _Found(chosen, key.not_null, unique=key.not_null or collection.kind == "view")


def _is_id(column: Column | None) -> bool:
    return column is not None and column.ordered and column_type(column.sql_type).kind is not Kind.JSON


def _keys_of(
    found: Definition, definitions: Mapping[int, Definition | None], keys: Mapping[int, list[_Key]], depth: int
) -> list[_Key]:
    if depth > _DEEPEST:
        return []
    if found.grouped_by is not None:
        return [_Key(found.grouped_by, not_null=False)]
    of_sources: dict[int, list[_Key]] = {}
    for number, source in found.sources.items():
        below = definitions.get(source) if isinstance(source, int) else source
        if below is not None:
            of_sources[number] = _keys_of(below, definitions, keys, depth + 1)
        else:
            # a unique index allows several rows with nulls
            of_sources[number] = (
                [key for key in keys.get(source, []) if key.not_null] if isinstance(source, int) else []
            )
    needed = set(of_sources)
    for number in sorted(of_sources, key=lambda number: (number not in found.nullable, -number)):
        if len(needed) > 1 and any(_is_given(found, number, key, needed) for key in of_sources[number]):
            needed.discard(number)
    if not needed or needed & found.nullable:
        return []
    shown = {place: column for column, place in reversed(found.columns.items())}
    for equal in found.equal:
        if equal.within is None:
            for one, other in ((equal.left, equal.right), (equal.right, equal.left)):
                if other in shown:
                    shown.setdefault(one, shown[other])
    choices = [
        [
            (tuple(shown[number, column] for column in key.columns), key.not_null)
            for key in of_sources[number]
            if all((number, column) in shown for column in key.columns)
        ][:_MOST_KEYS]
        for number in sorted(needed)
    ]
    return [
        _Key(
            tuple(dict.fromkeys(column for columns, _ in parts for column in columns)), all(fixed for _, fixed in parts)
        )
        for parts in product(*choices)
    ][:_MOST_KEYS]


def _is_given(found: Definition, number: int, key: _Key, needed: set[int]) -> bool:
    """Return whether each row of the other sources matches at most one row of this one, by this key of it."""
    given: set[Place] = set()
    for equal in found.equal:
        if equal.within is None or number in equal.within:
            for one, other in ((equal.left, equal.right), (equal.right, equal.left)):
                if one[0] == number and other[0] != number and other[0] in needed:
                    given.add(one)
    return all((number, column) in given for column in key.columns)


def _suggest_key(collection: Collection) -> str | None:
    """Return a column that may identify features, judging by its name."""
    likely = (*_LIKELY, f"{collection.name}_id", f"{collection.name.removesuffix('s')}_id")
    by_name = {column.name.lower(): column for column in collection.columns if _is_id(column)}
    found = next((by_name[name].name for name in likely if name in by_name), None)
    return found or next((column.name for name, column in by_name.items() if name.endswith(("_id", "_uuid"))), None)

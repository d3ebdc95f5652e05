"""Read the collections of a database from its system catalogues and indexes."""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from libs.catalogue.model import Collection, GeometryColumn, TimeColumn
from libs.catalogue.modules import EVENT_KEY, PRODUCTS
from libs.geo.crs import crs_of
from libs.ogc.crs import crs_uri
from libs.pg.column_types import TEMPORAL, Kind, internal_type
from libs.pg.pool import Database
from libs.pg.sql import Sql, bind
from services.common.introspection.columns import argument_of, column_of
from services.common.introspection.event_time import says_when
from services.common.introspection.extents import Extents
from services.common.introspection.histories import Histories
from services.common.introspection.keys import Keys
from services.common.introspection.learned_srids import LearnedSrids
from services.common.introspection.located import may_lie_anywhere
from services.common.introspection.publishers import Publishers
from services.common.introspection.row_counts import RowCounts
from services.common.introspection.view_check import ViewCheck
from services.common.introspection.view_extents import ViewExtents

Row = Any
"""A row from libs.pg."""

_LOG = logging.getLogger("dams.catalogue")
_RELATIONS = (Path(__file__).parent / "relations.sql").read_text(encoding="utf-8")
_FUNCTIONS = (Path(__file__).parent / "functions.sql").read_text(encoding="utf-8")
_KINDS = {"r": "table", "p": "partitioned table", "v": "view", "m": "materialized view", "f": "foreign table"}

_GEOMETRY_TYPE = {
    name.upper(): name
    for name in [
        "Geometry",
        "Point",
        "LineString",
        "Polygon",
        "MultiPoint",
        "MultiLineString",
        "MultiPolygon",
        "GeometryCollection",
        "CircularString",
        "CompoundCurve",
        "CurvePolygon",
        "MultiCurve",
        "MultiSurface",
        "PolyhedralSurface",
        "Triangle",
        "Tin",
    ]
}


class Introspection:
    """The collections in some schemas of a database; reading them again is cheap while nothing changes."""

    def __init__(
        self, database: Database, schemas: tuple[str, ...], extension_collections: tuple[str, ...] = ()
    ) -> None:
        """Objects of an extension are not collections, except those in `extension_collections`."""
        self._database = database
        self._extension_collections = extension_collections
        self._schemas = schemas
        self._views = ViewCheck(database)
        self._keys = Keys(database)
        self._srids = LearnedSrids(database)
        self._extents = Extents(database)
        self._view_extents = ViewExtents(database)
        self._counts = RowCounts(database)
        self._publishers = Publishers(database)
        self._histories = Histories(database)
        self._known: dict[tuple[object, ...], Collection] = {}
        # by oid, in their last state without a lock
        self._unlocked: dict[int, tuple[Row, Collection]] = {}
        # materialised views without data that were logged
        self._unfilled: set[str] = set()

    @property
    def states(self) -> Mapping[str, object]:
        """By id, the state that the rows depend on, for collections with known changes."""
        return self._extents.states

    async def collections(self) -> tuple[Collection, ...]:
        """Return every collection, with extents, ordered by id; an unchanged one is the same object as before.

        A locked relation keeps its last state; for a new one, only facts that need no access to it are known. Raises
        Unavailable if the database cannot be reached.
        """
        relations = await self._database.fetch(self._statement(_RELATIONS))
        functions = await self._database.fetch(self._statement(_FUNCTIONS))
        known: dict[tuple[object, ...], Collection] = {}
        unlocked: dict[int, tuple[Row, Collection]] = {}
        found: dict[str, Collection] = {}
        locked: set[str] = set()
        unfilled: set[str] = set()
        # a table takes precedence over a function with the same name
        for rows, read in ((functions, _function), (relations, _relation)):
            for row in rows:
                if not row.get("populated", True):
                    unfilled.add(f"{row['schema']}.{row['name']}")
                    continue
                if (collection := self._recall_locked(row) or _read(row, read, self._known)) is None:
                    continue
                known[_identity(row)] = found[collection.id] = collection
                if row.get("locked"):
                    locked.add(collection.id)
                    if (before := self._unlocked.get(row["oid"])) is not None:
                        unlocked[row["oid"]] = before
                elif read is _relation:
                    unlocked[row["oid"]] = row, collection
        self._known, self._unlocked = known, unlocked
        self._tell_of(unfilled)
        usable = await self._views.usable(tuple(found[identifier] for identifier in sorted(found)), locked)
        # states of the previous round: not newer than the rows that are read now
        placed = await self._srids.fill_in(await self._keys.fill_in(usable, locked), self._extents.states, locked)
        filled = await self._extents.fill_in(placed, locked)
        filled = await self._view_extents.fill_in(filled, self._extents.states, locked)
        counted = await self._counts.fill_in(filled, self._extents.counted, locked)
        return await self._histories.fill_in(await self._publishers.fill_in(counted))

    async def names(self) -> list[tuple[str, bool]]:
        """Return the id of every relation and function that the role may read, and whether it has a geometry.

        Raises Unavailable where the database cannot be reached.
        """
        found: dict[str, bool] = {}
        for text in (_FUNCTIONS, _RELATIONS):
            for row in await self._database.fetch(self._statement(text)):
                kinds = [internal_type(entry["base_type"]).kind for entry in json.loads(row["columns"])]
                found[f"{row['schema']}.{row['name']}"] = Kind.GEOMETRY in kinds
        return sorted(found.items())

    def _tell_of(self, unfilled: set[str]) -> None:
        for name in sorted(unfilled - self._unfilled):
            sentence = "a materialised view has no data, and is no collection until REFRESH MATERIALIZED VIEW fills it"
            _LOG.warning(sentence, extra={"fields": {"collection": name}})
        self._unfilled = unfilled

    def _statement(self, text: str) -> Sql:
        before, rest = text.split("$1::text[]")
        between, after = rest.split("$2::text[]")
        return (
            Sql((before,))
            + bind(list(self._schemas), "text[]")
            + Sql((between,))
            + bind(list(self._extension_collections), "text[]")
            + Sql((after,))
        )

    def _recall_locked(self, row: Row) -> Collection | None:
        """Return a locked relation's last state, if everything that is known without opening it is unchanged."""
        before, collection = self._unlocked.get(row["oid"], (None, None))
        if before is None or not row.get("locked"):
            return None
        same = all(before[name] == row[name] for name in ("schema", "name", "kind", "comment", "key", "columns"))
        return collection if same else None


def _identity(row: Row) -> tuple[object, ...]:
    return tuple(tuple(value) if isinstance(value, list) else value for value in row)


def _read(
    row: Row, read: Callable[[dict[str, Any]], Collection], known: Mapping[tuple[object, ...], Collection]
) -> Collection | None:
    try:
        return known.get(_identity(row)) or read(dict(row))
    except Exception:
        # a relation that this code does not understand affects only itself
        _LOG.exception("collection left out", extra={"fields": {"collection": f"{row['schema']}.{row['name']}"}})
        return None


def _relation(row: dict[str, Any]) -> Collection:
    kind = row["kind"].decode() if isinstance(row["kind"], bytes) else row["kind"]
    collection = _collection(row, _KINDS[kind])
    names = {column.name for column in collection.columns}
    impacts = row["impact_source"] if EVENT_KEY in names else None
    return replace(
        collection,
        product_source=None if names.isdisjoint(PRODUCTS) else impacts,
        impact_source=impacts,
        key=row["key"],
        key_repeats=row["key_repeats"],
        row_security=row["row_security"],
        row_bytes=row["row_bytes"],
        large_rows=row["large_rows"],
        sources=tuple(row["sources"]),
    )


def _function(row: dict[str, Any]) -> Collection:
    return replace(
        _collection(row, "function"),
        large_rows=True,
        arguments=tuple(argument_of(entry) for entry in json.loads(row["arguments"])),
    )


def _collection(row: dict[str, Any], kind: str) -> Collection:
    entries = json.loads(row["columns"])
    title, _, description = (row["comment"] or "").strip().partition("\n")
    kinds = [internal_type(entry["base_type"]).kind for entry in entries]
    return Collection(
        id=f"{row['schema']}.{row['name']}",
        schema=row["schema"],
        name=row["name"],
        oid=row["oid"],
        kind=kind,
        title=title.strip() or row["name"].replace("_", " "),
        description=description.strip() or None,
        columns=tuple(
            column_of(entry) for entry, kind in zip(entries, kinds, strict=True) if kind is not Kind.GEOMETRY
        ),
        geometries=tuple(_geometry(entry) for entry, kind in zip(entries, kinds, strict=True) if kind is Kind.GEOMETRY),
        times=tuple(
            TimeColumn(entry["name"], entry["sql_type"], usual=says_when(entry["name"], entry["sql_type"]))
            # a range of time is the default only without an instant
            for wanted in (TEMPORAL, {Kind.PERIOD})
            for entry, kind in zip(entries, kinds, strict=True)
            if kind in wanted
        ),
        rows=row["rows"],
        shape=blake2b(
            f"{row['columns']}{row.get('key')}{row.get('definition') or ''}".encode(), digest_size=6
        ).hexdigest(),
    )


def _geometry(entry: dict[str, Any]) -> GeometryColumn:
    """Return type and SRID from the typmod, as PostGIS packs them (gserialized_typmod.c): SRID, type, Z, M."""
    typmod = entry["typmod"]
    geography = entry["base_type"] == "geography"
    declared, not_null = entry["sql_type"], entry["not_null"]
    if typmod < 0:
        return may_lie_anywhere(
            GeometryColumn(entry["name"], "Geometry", 4326 if geography else 0, geography, not_null=not_null)
        )
    inside = declared[declared.index("(") + 1 : declared.index(")")].split(",") if "(" in declared else ["Geometry"]
    word = inside[0].upper()
    srid = int(inside[1]) if len(inside) > 1 else (4326 if geography else 0)
    has_z, has_m = bool(typmod & 2), bool(typmod & 1)
    for suffix in ("ZM", "Z", "M"):
        if word not in _GEOMETRY_TYPE and word.endswith(suffix):
            word = word.removesuffix(suffix)
    column = GeometryColumn(
        entry["name"],
        _GEOMETRY_TYPE[word],
        srid,
        geography,
        2 + has_z + has_m,
        has_heights=has_z,
        not_null=not_null,
    )
    uri = crs_uri(srid)
    return may_lie_anywhere(replace(column, crs_offered=uri is None or crs_of(uri) is not None))

"""Build pages from cached encoded features if that is faster. This module decides all of it.

Large pages overlap: a client moves a map, narrows a filter, reverses an order, or uses another address. Fetching the
values of rows and encoding them as JSON is the main cost; row versions identify the rows of a page cheaply.
"""

from collections.abc import Callable, Sequence

from libs.catalogue.versions import DataVersions
from libs.geo.crs import CRS84
from libs.pg.column_types import TEMPORAL, Kind, base_type, types_where
from libs.pg.pool import Database, Statements
from services.features.request.cursor import Position
from services.features.request.items_query import ItemsQuery
from services.features.rows.encoded_features import EncodedFeatures, Namespace, RowVersion
from services.features.rows.failing_rows import fetch_rows
from services.features.rows.items_sql import ROW_VERSION_COLUMNS, rows_of_keys_plan, versions_plan
from services.features.rows.layout import Layout, Row, RowPlan, Rows

Encode = Callable[[Sequence[Row], Layout], list[bytes]]
"""Encodes each row as a Feature in JSON."""

_FEWEST = 100
"""Minimum number of features of a page for a lookup: its statement costs more than encoding a few features."""
_KEYS = types_where(Kind.INTEGER, Kind.STRING, Kind.UUID, *TEMPORAL, one_text=True)
"""Types of keys with equal values whenever their texts are equal."""


class FeatureCache:
    """Fetches pages as encoded features, from the cache where possible."""

    def __init__(self, database: Database, versions: DataVersions, encode: Encode, most_bytes: int) -> None:
        self._database = database
        self._versions = versions
        self._encode = encode
        self._encoded = EncodedFeatures(most_bytes)

    async def rows(self, query: ItemsQuery, plan: RowPlan, *, limit: int, until: Position | None = None) -> Rows:
        """Return the rows that `plan` fetches, or the same rows as encoded features. Raises Unavailable."""
        collection, encoded = query.selection.collection, self._encoded
        database = self._database.of(collection.id)
        namespace = self._namespace(query)
        if namespace is not None and encoded.expects_hits(namespace):
            keys = versions_plan(query, limit=limit, until=until)
            rows = await fetch_rows(database, collection, keys)
            features = await self._features(database, query, namespace, [_version(row) for row in rows])
            if features is not None:
                return Rows(keys.layout, rows, keys.sort_values, features)
            return Rows(plan.layout, await fetch_rows(database, collection, plan), plan.sort_values)
        rows = await fetch_rows(database, collection, plan)
        if namespace is not None and encoded.admits(namespace, [row[0] for row in rows]):
            encoded.expect_hits(namespace)
        return Rows(plan.layout, rows, plan.sort_values)

    async def _features(
        self, database: Statements, query: ItemsQuery, namespace: Namespace, versions: list[RowVersion]
    ) -> list[bytes] | None:
        """Return the features of these rows, fetching the uncached ones.

        Returns None if that is not worth its cost, or if a row has changed since its version was fetched.
        """
        features = self._encoded.get(namespace, versions)
        absent = [version[0] for version, feature in zip(versions, features, strict=True) if feature is None]
        if absent:
            if 2 * len(absent) > len(versions) and not self._encoded.admits(namespace, absent):
                return None
            plan = rows_of_keys_plan(query, absent)
            rows = await fetch_rows(database, query.selection.collection, plan)
            if Rows(plan.layout, rows).omitted:
                # cached features do not say how many geometries are omitted
                return None
            made = dict(zip(map(_version, rows), self._encode(rows, plan.layout), strict=True))
            self._encoded.put(namespace, made)
            features = [
                made.get(version) if feature is None else feature
                for version, feature in zip(versions, features, strict=True)
            ]
        found = [feature for feature in features if feature is not None]
        return found if len(found) == len(versions) else None

    def _namespace(self, query: ItemsQuery) -> Namespace | None:
        """Return the cache key of the query's features; None if other requests cannot share them."""
        collection, geometry, server = query.selection.collection, query.selection.geometry, self._versions.server
        key = collection.column(collection.key or "")
        if (
            query.limit < _FEWEST
            or server is None
            # rows without versions
            or not collection.row_address
            or key is None
            or not key.not_null
            or base_type(key.sql_type) not in _KEYS
            # a client that varies properties or tolerances must not displace features that many clients request
            or query.selection.properties is not collection.columns
            or query.options.simplify is not None
            or query.options.crs is not CRS84
            # the number of omitted geometries would be unknown
            or (geometry is not None and geometry.partial)
        ):
            return None
        shown = geometry.name if geometry is not None else None, query.options.bbox_only
        products: object = None
        if query.options.base:
            # which events have products the versions of their rows do not say
            version = self._versions.of_features(collection)
            products = query.options.base, version and version.token
        return server, collection.id, collection.oid, collection.shape, shown, products


def _version(row: Row) -> RowVersion:
    return (row[0], *row[-ROW_VERSION_COLUMNS:])

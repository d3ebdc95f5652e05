"""Pages put together of features that were encoded before, where that pays. All of it is decided here.

Large pages overlap: a map is moved, a filter narrowed, an order turned round, a page asked for by another address.
What costs is to fetch the values of a row and to write them as JSON; row versions say which rows a page has.
"""

from collections.abc import Callable, Sequence

from libs.catalogue.versions import DataVersions
from libs.geo.crs import CRS84
from libs.pg.column_types import TEMPORAL, Kind, base_type, types_where
from libs.pg.pool import Database, Statements
from services.features.request.cursor import Position
from services.features.request.items_query import ItemsQuery
from services.features.rows.encoded_features import EncodedFeatures, Namespace, RowVersion
from services.features.rows.fetching import fetch_rows
from services.features.rows.items_sql import ROW_VERSION_COLUMNS, rows_of_keys_plan, versions_plan
from services.features.rows.layout import Layout, Row, RowPlan, Rows

Encode = Callable[[Sequence[Row], Layout], list[bytes]]
"""Makes a Feature in JSON of each row."""

_FEWEST = 100
"""Features of a page for which to look: the statement that finds them costs more than a few of them do."""
_KEYS = types_where(Kind.INTEGER, Kind.STRING, Kind.UUID, *TEMPORAL, one_text=True)
"""Types of keys whose values are equal where their texts are."""


class FeatureCache:
    """Fetches pages as features that are encoded already, as far as they are cached."""

    def __init__(self, database: Database, versions: DataVersions, encode: Encode, most_bytes: int) -> None:
        self._database = database
        self._versions = versions
        self._encode = encode
        self._encoded = EncodedFeatures(most_bytes)

    async def rows(self, query: ItemsQuery, plan: RowPlan, *, limit: int, until: Position | None = None) -> Rows:
        """What `plan` of these fetches, or the same rows with their features. Raises Unavailable."""
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
        """The features of these rows, those that are missing fetched now.

        None where that is not worth while, or a row has changed since its version was fetched.
        """
        features = self._encoded.get(namespace, versions)
        absent = [version[0] for version, feature in zip(versions, features, strict=True) if feature is None]
        if absent:
            if 2 * len(absent) > len(versions) and not self._encoded.admits(namespace, absent):
                return None
            plan = rows_of_keys_plan(query, absent)
            rows = await fetch_rows(database, query.selection.collection, plan)
            if Rows(plan.layout, rows).omitted:
                # what is put together of features does not tell how many these are
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
        """Where the features of the query are cached; None where they are not those of other requests, too."""
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
            # a client that asks for other names or tolerances each time must not push out what all ask for
            or query.selection.properties is not collection.columns
            or query.options.simplify is not None
            or query.options.crs is not CRS84
            # of features that are put together nobody knows how many are without their geometry
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

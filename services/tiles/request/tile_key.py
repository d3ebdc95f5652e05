"""The column with the ids of a tile's features. Pure."""

from libs.catalogue.model import Collection, Column
from libs.pg.column_types import column_type


def tile_key(collection: Collection) -> Column | None:
    """Return the key if it is an integer, as ids of vector tile features must be."""
    key = collection.column(collection.key) if collection.key else None
    return key if key is not None and column_type(key.sql_type).bits is not None else None

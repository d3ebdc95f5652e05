"""The column that makes the ids of a tile's features. Pure."""

from libs.catalogue.model import Collection, Column
from libs.pg.column_types import column_type


def tile_key(collection: Collection) -> Column | None:
    """The key where it is whole-numbered, as ids of vector tile features must be."""
    key = collection.column(collection.key) if collection.key else None
    return key if key is not None and column_type(key.sql_type).bits is not None else None

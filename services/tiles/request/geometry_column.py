"""The geometry column that the parameter `geom-column` names."""

from libs.catalogue.model import Collection, GeometryColumn
from libs.ogc.errors import NotFound
from libs.web.query_params import QueryValues


def geometry_of(collection: Collection, query: QueryValues | None = None) -> GeometryColumn:
    """The geometry column that `geom-column` names, else the default.

    A name that does not exist is added to the query's faults, and raised with them. Raises NotFound where the
    collection has no geometry.
    """
    name = query.values.get("geom-column") if query else None
    found = collection.geometry(name)
    if found is None and name is not None and query is not None:
        names = ", ".join(column.name for column in collection.geometries)
        query.fault("geom-column", f"geom-column '{name}' does not exist; there are {names}", value=name)
        query.check()
    if found is None:
        raise NotFound(f"Collection '{collection.id}' has no geometry, hence no tiles.")
    return found

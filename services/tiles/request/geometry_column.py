"""The geometry column that the parameter `geom-column` names; tiles require one."""

from libs.catalogue.model import Collection, GeometryColumn
from libs.ogc.errors import NotFound
from libs.selection.selection import chosen_geometry
from libs.web.query_params import QueryValues


def geometry_of(collection: Collection, query: QueryValues | None = None) -> GeometryColumn:
    """Return the geometry column that `geom-column` names, else the default.

    A fault of it is raised together with the faults so far. Raises NotFound if the collection has no geometry.
    """
    found = collection.geometry()
    if query is not None:
        refuse_none(query)
        found = chosen_geometry(collection, query)
        if found is None:
            query.check()
    if found is None:
        raise NotFound(f"Collection '{collection.id}' has no geometry, hence no tiles.")
    return found


def refuse_none(query: QueryValues) -> None:
    """Add a fault if the request omits geometry."""
    if query.values.get("geom-column") == "none":
        query.fault("geom-column", "geom-column none is not possible for tiles", value="none")

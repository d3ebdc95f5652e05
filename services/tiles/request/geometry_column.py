"""The geometry column that the parameter `geom-column` names, which tiles cannot do without."""

from libs.catalogue.model import Collection, GeometryColumn
from libs.ogc.errors import NotFound
from libs.selection.selection import chosen_geometry
from libs.web.query_params import QueryValues


def geometry_of(collection: Collection, query: QueryValues | None = None) -> GeometryColumn:
    """The geometry column that `geom-column` names, else the default.

    What is wrong with it is raised with the other faults so far. Raises NotFound where the collection has no geometry.
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
    """A fault where the request wants no geometry at all."""
    if query.values.get("geom-column") == "none":
        query.fault("geom-column", "geom-column none makes no tile", value="none")

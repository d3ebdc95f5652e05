"""A collection of points that tests of the store make tiles of."""

from __future__ import annotations

from libs.catalogue.model import Collection, Column, GeometryColumn

POINTS = Collection(
    id="points",
    schema="public",
    name="points",
    oid=1,
    kind="table",
    title="T",
    description=None,
    columns=(Column("id", "integer", "integer", not_null=True),),
    geometries=(GeometryColumn("geom", "Point", 4326),),
    key="id",
)

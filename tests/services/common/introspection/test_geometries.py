"""Types, reference systems and dimensions of columns of shapes, as their declarations have them."""

from __future__ import annotations

import asyncpg

from services.common.introspection.introspect import Introspection

_TYPES = (
    *("Geometry", "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon"),
    *("GeometryCollection", "CircularString", "CompoundCurve", "CurvePolygon", "MultiCurve", "MultiSurface"),
    *("PolyhedralSurface", "Triangle", "Tin"),
)
_DIMENSIONS = {"": 2, "Z": 3, "M": 3, "ZM": 4}


async def test_every_type_is_known_in_all_dimensions(owner: asyncpg.Connection, introspection: Introspection) -> None:
    declared = [(f"{kind}{more}", kind, dimensions) for kind in _TYPES for more, dimensions in _DIMENSIONS.items()]
    columns = ", ".join(f"c{number} geometry({name}, 25832)" for number, (name, *_) in enumerate(declared))
    await owner.execute(f"CREATE TABLE own.shapes ({columns})")
    (shapes,) = await introspection.collections()
    assert [(each.name, each.type, each.srid, each.dimensions) for each in shapes.geometries] == [
        (f"c{number}", kind, 25832, dimensions) for number, (_, kind, dimensions) in enumerate(declared)
    ]
    assert not any(each.is_geography or each.not_null for each in shapes.geometries)
    assert shapes.columns == ()


async def test_what_a_declaration_leaves_open_is_any_shape_somewhere(
    owner: asyncpg.Connection, introspection: Introspection
) -> None:
    await owner.execute(
        "CREATE DOMAIN own.place AS geography(PointZ, 4326);"
        "CREATE TABLE own.shapes (a geometry, b geography NOT NULL, c geometry(PointM) NOT NULL, d geography(Polygon),"
        " e geometry(Geometry, 3857), f geography(Point, 4267), g own.place, h geometry(Tin, 0))"
    )
    (shapes,) = await introspection.collections()
    found = {
        each.name: (each.type, each.srid, each.is_geography, each.dimensions, each.not_null, each.turns != ())
        for each in shapes.geometries
    }
    assert found == {
        "a": ("Geometry", 0, False, 2, False, True),
        "b": ("Geometry", 4326, True, 2, True, False),
        "c": ("Point", 0, False, 3, True, True),
        "d": ("Polygon", 4326, True, 2, False, False),
        "e": ("Geometry", 3857, False, 2, False, True),
        "f": ("Point", 4267, True, 2, False, False),
        "g": ("Point", 4326, True, 3, False, False),
        "h": ("Tin", 0, False, 2, False, True),
    }
    assert {each.name: each.crosses for each in shapes.geometries if each.is_geography} == {
        **{"b": True, "d": True},
        **{"f": False, "g": False},
    }

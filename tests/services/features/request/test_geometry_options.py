from libs.geo.crs import CRS84
from services.features.request.items_query import AS_STORED, GeometryOptions


def test_where_a_request_says_nothing_geometries_are_whole() -> None:
    assert GeometryOptions(bbox_only=False, simplify=None, crs=CRS84, lonlat=False) == AS_STORED

from libs.catalogue.model import Collection, Column, GeometryColumn
from services.features.queryables import queryables_json


def test_a_property_is_described_in_the_words_of_its_column() -> None:
    columns = (
        Column("mag", "real", "number", title="Magnitude", description="Of the moment", format="float", unit="Mw"),
        Column("place", "text", "string"),
    )
    point = GeometryColumn("geom", "Point", 4326)
    quakes = Collection("a.quakes", "a", "quakes", 1, "table", "Quakes", None, columns, geometries=(point,))
    assert queryables_json(quakes, "http://example.org/queryables")["properties"] == {
        "geom": {"title": "geom", "format": "geometry-point"},
        "mag": {
            "title": "Magnitude",
            "description": "Of the moment",
            "type": "number",
            "format": "float",
            # no unit of UCUM
            "x-dams-unitLabel": "Mw",
        },
        "place": {"title": "place", "type": "string"},
    }

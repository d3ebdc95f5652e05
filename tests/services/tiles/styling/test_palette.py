"""Scales of colours."""

from services.tiles.styling.palette import WIND_ZONE


def test_of_several_names_the_scale_tells_which_counts() -> None:
    found = WIND_ZONE.for_properties(("name", "max_wind_kt", "wind_speed_kt"))
    assert found is not None
    assert found.properties == ("wind_speed_kt", "max_wind_kt")
    assert WIND_ZONE.for_properties(("name",)) is None

"""The sixteen bearings of the compass, as pages and the map say them."""

from libs.web.catalogues import marked

BEARINGS = (
    marked("N"),
    marked("NNE"),
    marked("NE"),
    marked("ENE"),
    marked("E"),
    marked("ESE"),
    marked("SE"),
    marked("SSE"),
    marked("S"),
    marked("SSW"),
    marked("SW"),
    marked("WSW"),
    marked("W"),
    marked("WNW"),
    marked("NW"),
    marked("NNW"),
)

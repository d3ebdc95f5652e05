"""Texts of other services' documents that scripts show in the language of the page: hazards, legends and more.

Titles of collections and properties are translated on the server (hazard_words.py).
"""

from libs.web.catalogues import marked
from services.viewer.build.hazard_words import BASINS, VALUES

HAZARDS = (marked("Earthquakes"), marked("Tropical storms"), marked("Tropical disturbances"), marked("Floods"))
"""The groups of collections, with the names in libs/catalogue/modules.py."""

LEGENDS = (
    marked("Magnitude"),
    marked("Depth"),
    marked("Cyclone category (Saffir–Simpson)"),
    marked("Wind zone"),
    marked("Alert level"),
    marked("Green"),
    marked("Orange"),
    marked("Red"),
    marked("Flood severity"),
    marked("1 large"),
    marked("1.5 very large"),
    marked("2 extreme"),
    marked("Disturbance, not yet named"),
    marked("Feature"),
    marked("no category"),
    marked("no level"),
    marked("no severity"),
    marked("no value"),
)
"""Texts in the legends of styles (services/tiles/styling)."""

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

PROGRAMS = (
    marked("Address"),
    marked("Python with geopandas"),
    marked("R with sf"),
    marked("QGIS, in its Python console"),
    marked("Python with DuckDB"),
    marked("Python with OWSLib"),
    marked("MapLibre GL JS, as vector tiles"),
)
"""Titles of the programs that read a collection (services/features/samples)."""

PLACES = (marked("country"), marked("province"), marked("sea"))
"""Kinds of places other than towns (services/viewer/gazetteer.py)."""

ZONES = (marked("flooded area"), marked("alert area"), marked("forecast alert area"))
"""Zones in which people are counted (deploy/impact/zones.py)."""

UNITS = (marked("people"),)
"""Units of properties that are words."""

EXPLORER = (
    marked("Servers"),
    marked("Parameters"),
    marked("Name"),
    marked("Description"),
    marked("Type"),
    marked("No parameters"),
    marked("Try it out"),
    marked("Cancel"),
    marked("Reset"),
    marked("Add"),
    marked("item"),
    marked("Edit Value"),
    marked("Schema"),
    marked("Execute"),
    marked("Clear"),
    marked("Responses"),
    marked("Request URL"),
    marked("Server response"),
    marked("Code"),
    marked("Details"),
    marked("Response body"),
    marked("Response headers"),
    marked("Download"),
    marked("Request duration"),
    marked("Undocumented"),
    marked("Links"),
    marked("No links"),
    marked("Media type"),
    marked("Media Type"),
    marked("Controls"),
    marked("header."),
    marked("Example Value"),
    marked("Headers:"),
    marked("Schemas"),
    marked("path"),
    marked("query"),
    marked("Expand operation"),
    marked("Collapse operation"),
    marked("Copy path to clipboard"),
    marked("Copy code to clipboard"),
    marked("Copy cURL command to clipboard"),
    marked("Loading..."),
)
"""Texts of Swagger UI; scripts replace those listed here."""

TERMS = (*VALUES, *BASINS, *HAZARDS, *LEGENDS, *BEARINGS, *PROGRAMS, *PLACES, *ZONES, *UNITS, *EXPLORER)

"""Texts of other services' documents that scripts show in the language of the page: hazards, legends and more.

Titles of collections and properties are translated on the server (hazard_words.py).
"""

from libs.web.accept_language import mark
from services.viewer.build.hazard_words import BASINS, VALUES

HAZARDS = (mark("Earthquakes"), mark("Tropical storms"), mark("Tropical disturbances"), mark("Floods"))
"""The groups of collections, with the names in libs/catalogue/modules.py."""

LEGENDS = (
    mark("Magnitude"),
    mark("Depth"),
    mark("Cyclone category (Saffir–Simpson)"),
    mark("Intensity of shaking"),
    mark("Wind zone"),
    mark("Chance that a storm forms in 7 days"),
    mark("Alert level"),
    mark("Green"),
    mark("Orange"),
    mark("Red"),
    mark("Flood severity"),
    mark("1 large"),
    mark("1.5 very large"),
    mark("2 extreme"),
    mark("Disturbance, not yet named"),
    mark("Feature"),
    mark("no category"),
    mark("no level"),
    mark("no severity"),
    mark("no value"),
)
"""Texts in the legends of styles (services/tiles/styling)."""

BEARINGS = (
    mark("N"),
    mark("NNE"),
    mark("NE"),
    mark("ENE"),
    mark("E"),
    mark("ESE"),
    mark("SE"),
    mark("SSE"),
    mark("S"),
    mark("SSW"),
    mark("SW"),
    mark("WSW"),
    mark("W"),
    mark("WNW"),
    mark("NW"),
    mark("NNW"),
)

PROGRAMS = (
    mark("Address"),
    mark("Python with geopandas"),
    mark("R with sf"),
    mark("QGIS, in its Python console"),
    mark("Python with DuckDB"),
    mark("Python with OWSLib"),
    mark("MapLibre GL JS, as vector tiles"),
)
"""Titles of the programs that read a collection (services/features/samples)."""

PLACES = (mark("country"), mark("province"), mark("sea"))
"""Kinds of places other than towns (services/viewer/gazetteer.py)."""

ZONES = (mark("flooded area"), mark("alert area"), mark("forecast alert area"))
"""Zones in which people are counted (deploy/impact/zones.py)."""

SEPARATORS = (mark("comma"), mark("semicolon"), mark("tab"))
"""Names of the separators of CSV."""

UNITS = (mark("people"),)
"""Units of properties that are words."""

EXPLORER = (
    mark("Servers"),
    mark("Parameters"),
    mark("Name"),
    mark("Description"),
    mark("Type"),
    mark("No parameters"),
    mark("Try it out"),
    mark("Cancel"),
    mark("Reset"),
    mark("Add"),
    mark("item"),
    mark("Edit Value"),
    mark("Schema"),
    mark("Execute"),
    mark("Clear"),
    mark("Responses"),
    mark("Request URL"),
    mark("Server response"),
    mark("Code"),
    mark("Details"),
    mark("Response body"),
    mark("Response headers"),
    mark("Download"),
    mark("Request duration"),
    mark("Undocumented"),
    mark("Links"),
    mark("No links"),
    mark("Media type"),
    mark("Media Type"),
    mark("Controls"),
    mark("header."),
    mark("Example Value"),
    mark("Headers:"),
    mark("Schemas"),
    mark("path"),
    mark("query"),
    mark("Expand operation"),
    mark("Collapse operation"),
    mark("Copy path to clipboard"),
    mark("Copy code to clipboard"),
    mark("Copy cURL command to clipboard"),
    mark("Loading..."),
)
"""Texts of Swagger UI; scripts replace those listed here."""

TERMS = (*VALUES, *BASINS, *HAZARDS, *LEGENDS, *BEARINGS, *PROGRAMS, *PLACES, *ZONES, *SEPARATORS, *UNITS, *EXPLORER)

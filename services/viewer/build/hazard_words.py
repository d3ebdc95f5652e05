"""Texts of the hazard collections that pages show in their language: titles, descriptions, values.

They are those of the comments in deploy/database/schema; property_words.py has the descriptions of properties. Texts of
other tables stay as their owner wrote them.
"""

from libs.web.catalogues import marked

TITLES = (
    marked("Earthquake events"),
    marked("Earthquake intensity contours"),
    marked("Tropical storm events"),
    marked("Tropical storm tracks"),
    marked("Tropical storm nodes"),
    marked("Tropical storm buffers"),
    marked("Tropical disturbance events"),
    marked("Tropical disturbance tracks"),
    marked("Tropical disturbance buffers"),
    marked("Tropical disturbance nodes"),
    marked("Flood events"),
    marked("Flood alerts"),
    marked("Seasonal flood forecast alerts"),
    marked("Flood forecast alerts, all runs"),
    marked("River gauge forecasts"),
    marked("Tropical storm advisories: tracks"),
    marked("Tropical storm advisories: nodes"),
    marked("Tropical storm advisories: buffers"),
)
"""Titles of collections."""

DESCRIPTIONS = (
    marked(
        "Lines of equal intensity of shaking of strong earthquakes (ShakeMap): one feature per event and "
        "intensity. They share the event_id of the earthquake."
    ),
    marked(
        "Monitored earthquakes and other seismic events: a point at the epicentre of each, with links to "
        "derived products."
    ),
    marked(
        "One feature per tracked cyclone: a point where it was most intense. Tracks, nodes and buffers "
        "share its event_id."
    ),
    marked(
        "Lines, one for where each storm was and, of those under way, one for where the newest advisory "
        "expects them; split at the antimeridian."
    ),
    marked(
        "Points at each time step along the tracks, with wind, pressure and how far winds reach: where "
        "storms were, and of those under way where the newest advisory expects them."
    ),
    marked(
        "Impact zones around tracks: one feature per event and wind speed, covering where at least that "
        "wind was reached or is expected."
    ),
    marked(
        "Systems that are not, or not yet, named storms: a point where each was most intense. Tracks, nodes "
        "and buffers share its event_id; a storm that grew out of a disturbance has the same one."
    ),
    marked(
        "Lines, one per analysed or forecast track of a disturbance, split at the antimeridian and where it "
        "was a storm in between."
    ),
    marked(
        "Zones around the tracks of disturbances: one feature per event and wind speed, covering where at "
        "least that wind was reached or is expected."
    ),
    marked("Points at each time step along the tracks of disturbances, with wind and pressure."),
    marked(
        "Flooded areas of observed flood events, as seen from satellites within 72 hours of onset and "
        "updated weekly while they last."
    ),
    marked("Active flood alerts, near real time: the areas that alerts were issued for."),
    marked(
        "Latest seasonal flood outlook for each watershed (Model of Models ensemble). Earlier forecasts are "
        "in the collection of all runs."
    ),
    marked(
        "Every forecast of the Model of Models ensemble, at a point in each watershed. The latest forecast "
        "of each watershed, with its area, is in the seasonal flood forecast alerts."
    ),
    marked("Hydrological gauges with the discharge predicted for the coming weeks (GloFAS)."),
    marked(
        "Lines, one per advisory: from where the storm was when it was issued along where it was expected; "
        "split at the antimeridian. All advisories are kept; what is latest is in the collection of tracks."
    ),
    marked(
        "Points at each time step of each advisory: where the storm was when it was issued (analysed), and "
        "where it was expected (forecast), with wind, gusts and how far winds reach. All advisories are "
        "kept; what is latest is in the collection of nodes."
    ),
    marked(
        "Zones within which an advisory has a wind of at least 34, 50 or 64 kt. Zones of scope step are "
        "those of one time; zones of scope whole cover the whole advisory, with what lies between its "
        "times. All advisories are kept; what is latest is in the collection of buffers. Zones that a best "
        "track observed at its own hours are here too, without an advisory number."
    ),
)
"""Their descriptions."""

PROPERTIES = (
    marked("Identifier"),
    marked("Event"),
    marked("Title"),
    marked("Place"),
    marked("Magnitude type"),
    marked("Event date"),
    marked("Updated"),
    marked("Source"),
    marked("Network"),
    marked("Event type"),
    marked("Review status"),
    marked("Significance"),
    marked("Felt reports"),
    marked("Tsunami"),
    marked("Event page"),
    marked("Shake map"),
    marked("Population impact"),
    marked("Shapefile"),
    marked("Nearest place"),
    marked("Distance from the nearest place"),
    marked("Bearing from the nearest place"),
    marked("Population of the nearest place"),
    marked("Country"),
    marked("Province"),
    marked("Nearest country"),
    marked("Distance from the nearest country"),
    marked("Countries within 200 km"),
    marked("Episode"),
    marked("Withdrawn"),
    marked("Epicentre"),
    marked("Basin"),
    marked("Season"),
    marked("Category"),
    marked("Highest wind"),
    marked("Averaging period"),
    marked("Agency"),
    marked("Regional agency"),
    marked("Wind of the regional agency"),
    marked("Averaging period of the regional agency"),
    marked("Class of the regional agency"),
    marked("Start date"),
    marked("End date"),
    marked("IBTrACS identifier"),
    marked("Rainfall"),
    marked("Facility exposure"),
    marked("Position at peak intensity"),
    marked("Kind"),
    marked("Advisory time"),
    marked("Length"),
    marked("Track"),
    marked("Valid time"),
    marked("Status"),
    marked("Wind"),
    marked("Pressure"),
    marked("Gusts"),
    marked("Radius of 34 kt, north-east"),
    marked("Radius of 34 kt, south-east"),
    marked("Radius of 34 kt, south-west"),
    marked("Radius of 34 kt, north-west"),
    marked("Radius of 50 kt, north-east"),
    marked("Radius of 50 kt, south-east"),
    marked("Radius of 50 kt, south-west"),
    marked("Radius of 50 kt, north-west"),
    marked("Radius of 64 kt, north-east"),
    marked("Radius of 64 kt, south-east"),
    marked("Radius of 64 kt, south-west"),
    marked("Radius of 64 kt, north-west"),
    marked("Place of landfall"),
    marked("Position"),
    marked("Wind speed"),
    marked("People in places"),
    marked("Largest places"),
    marked("Zone"),
    marked("Probability in 2 days"),
    marked("Probability in 7 days"),
    marked("Formation area"),
    marked("Began"),
    marked("Ended"),
    marked("Severity"),
    marked("Main cause"),
    marked("Deaths"),
    marked("Displaced"),
    marked("GLIDE number"),
    marked("Other country"),
    marked("Report"),
    marked("Flooded area"),
    marked("Issued"),
    marked("Expires"),
    marked("Alert"),
    marked("Alert score"),
    marked("Alert area"),
    marked("Watershed"),
    marked("Forecast date"),
    marked("Valid from"),
    marked("Valid to"),
    marked("Probability"),
    marked("Level of the source"),
    marked("Change"),
    marked("Peak date"),
    marked("Exceeds the 2-year discharge"),
    marked("Exceeds the 20-year discharge"),
    marked("Hazard score"),
    marked("Watershed area"),
    marked("Point in the watershed"),
    marked("Gauge"),
    marked("Discharge"),
    marked("Peak discharge"),
    marked("2-year discharge"),
    marked("5-year discharge"),
    marked("20-year discharge"),
    marked("Time series"),
    marked("Upstream area"),
    marked("Members"),
    marked("Gauge position"),
    marked("Previous advisory"),
    marked("Lead time"),
    marked("Scope"),
    marked("Magnitude"),
    marked("Depth"),
    marked("Name"),
    marked("Alert level"),
    marked("Landfall"),
    marked("Area"),
    marked("Advisory"),
    marked("Next advisory"),
    marked("Hazard code"),
    marked("Country codes"),
    marked("Tsunami bulletin"),
    marked("Contours of intensity"),
    marked("Intensity"),
    marked("Highest intensity"),
    marked("Contour"),
    marked("Text of the tsunami bulletin"),
    marked("Liquefaction alert"),
    marked("Ground failure"),
    marked("People in strong shaking"),
    marked("Tsunami bulletin issued"),
    marked("Version"),
    marked("Landslide alert"),
)
"""Titles of properties."""

HEADINGS = (
    marked("Strong earthquakes"),
    marked("Storms under way"),
    marked("Flood alerts in force"),
)
"""Headings of the landing page (deploy/collections.yaml)."""

BASINS = (
    marked("North Atlantic"),
    marked("South Atlantic"),
    marked("East Pacific"),
    marked("West Pacific"),
    marked("South Pacific"),
    marked("North Indian Ocean"),
    marked("South Indian Ocean"),
)
"""Names of ocean basins (libs/catalogue/basins.py)."""

VALUES = (
    marked("Yellow"),
    marked("Warning"),
    marked("Watch"),
    marked("Information"),
    marked("New"),
    marked("Continued"),
    marked("Upgraded"),
    marked("Downgraded"),
    marked("analysed"),
    marked("formation"),
    marked("automatic"),
    marked("reviewed"),
    marked("deleted"),
    marked("simulated"),
    marked("earthquake"),
    marked("explosion"),
    marked("quarry blast"),
    marked("Heavy rain"),
    marked("Monsoonal rain"),
    marked("Tropical cyclone"),
    marked("Snowmelt"),
    marked("Dam break"),
    marked("Green"),
    marked("Orange"),
    marked("Red"),
    marked("forecast"),
)
"""Words in the data: alert levels, changes, kinds, causes."""

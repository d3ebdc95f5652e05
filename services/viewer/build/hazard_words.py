"""Texts of the hazard collections that pages show in their language: titles, descriptions, values.

They are those of the comments in deploy/database/schema; property_words.py has the descriptions of properties. Texts of
other tables stay as their owner wrote them.
"""

from libs.web.accept_language import mark

TITLES = (
    mark("Earthquake events"),
    mark("Earthquake intensity contours"),
    mark("Tropical storm events"),
    mark("Tropical storm tracks"),
    mark("Tropical storm nodes"),
    mark("Tropical storm buffers"),
    mark("Tropical disturbance events"),
    mark("Tropical disturbance tracks"),
    mark("Tropical disturbance buffers"),
    mark("Tropical disturbance nodes"),
    mark("Flood events"),
    mark("Flood alerts"),
    mark("Seasonal flood forecast alerts"),
    mark("Flood forecast alerts, all runs"),
    mark("River gauge forecasts"),
    mark("Tropical storm advisories: tracks"),
    mark("Tropical storm advisories: nodes"),
    mark("Tropical storm advisories: buffers"),
)
"""Titles of collections."""

DESCRIPTIONS = (
    mark(
        "Lines of equal intensity of shaking of strong earthquakes (ShakeMap): one feature per event and "
        "intensity. They share the event_id of the earthquake."
    ),
    mark(
        "Monitored earthquakes and other seismic events: a point at the epicentre of each, with links to "
        "derived products."
    ),
    mark(
        "One feature per tracked cyclone: a point where it was most intense. Tracks, nodes and buffers "
        "share its event_id."
    ),
    mark(
        "Lines, one for where each storm was and, of those under way, one for where the newest advisory "
        "expects them; split at the antimeridian."
    ),
    mark(
        "Points at each time step along the tracks, with wind, pressure and how far winds reach: where "
        "storms were, and of those under way where the newest advisory expects them."
    ),
    mark(
        "Impact zones around tracks: one feature per event and wind speed, covering where at least that "
        "wind was reached or is expected."
    ),
    mark(
        "Systems that are not, or not yet, named storms: a point where each was most intense. Tracks, nodes "
        "and buffers share its event_id; a storm that grew out of a disturbance has the same one."
    ),
    mark(
        "Lines, one per analysed or forecast track of a disturbance, split at the antimeridian and where it "
        "was a storm in between."
    ),
    mark(
        "Zones around the tracks of disturbances: one feature per event and wind speed, covering where at "
        "least that wind was reached or is expected."
    ),
    mark("Points at each time step along the tracks of disturbances, with wind and pressure."),
    mark(
        "Flooded areas of observed flood events, as seen from satellites within 72 hours of onset and "
        "updated weekly while they last."
    ),
    mark("Active flood alerts, near real time: the areas that alerts were issued for."),
    mark(
        "Latest seasonal flood outlook for each watershed (Model of Models ensemble). Earlier forecasts are "
        "in the collection of all runs."
    ),
    mark(
        "Every forecast of the Model of Models ensemble, at a point in each watershed. The latest forecast "
        "of each watershed, with its area, is in the seasonal flood forecast alerts."
    ),
    mark("Hydrological gauges with the discharge predicted for the coming weeks (GloFAS)."),
    mark(
        "Lines, one per advisory: from where the storm was when it was issued along where it was expected; "
        "split at the antimeridian. All advisories are kept; what is latest is in the collection of tracks."
    ),
    mark(
        "Points at each time step of each advisory: where the storm was when it was issued (analysed), and "
        "where it was expected (forecast), with wind, gusts and how far winds reach. All advisories are "
        "kept; what is latest is in the collection of nodes."
    ),
    mark(
        "Zones within which an advisory has a wind of at least 34, 50 or 64 kt. Zones of scope step are "
        "those of one time; zones of scope whole cover the whole advisory, with what lies between its "
        "times. All advisories are kept; what is latest is in the collection of buffers. Zones that a best "
        "track observed at its own hours are here too, without an advisory number."
    ),
)
"""Their descriptions."""

PROPERTIES = (
    mark("Identifier"),
    mark("Event"),
    mark("Title"),
    mark("Place"),
    mark("Magnitude type"),
    mark("Event date"),
    mark("Updated"),
    mark("Source"),
    mark("Network"),
    mark("Event type"),
    mark("Review status"),
    mark("Significance"),
    mark("Felt reports"),
    mark("Tsunami"),
    mark("Event page"),
    mark("Shake map"),
    mark("Population impact"),
    mark("Shapefile"),
    mark("Nearest place"),
    mark("Distance from the nearest place"),
    mark("Bearing from the nearest place"),
    mark("Population of the nearest place"),
    mark("Country"),
    mark("Province"),
    mark("Nearest country"),
    mark("Distance from the nearest country"),
    mark("Countries within 200 km"),
    mark("Episode"),
    mark("Withdrawn"),
    mark("Epicentre"),
    mark("Basin"),
    mark("Season"),
    mark("Category"),
    mark("Highest wind"),
    mark("Averaging period"),
    mark("Agency"),
    mark("Regional agency"),
    mark("Wind of the regional agency"),
    mark("Averaging period of the regional agency"),
    mark("Class of the regional agency"),
    mark("Start date"),
    mark("End date"),
    mark("IBTrACS identifier"),
    mark("Rainfall"),
    mark("Facility exposure"),
    mark("Position at peak intensity"),
    mark("Kind"),
    mark("Advisory time"),
    mark("Length"),
    mark("Track"),
    mark("Valid time"),
    mark("Status"),
    mark("Wind"),
    mark("Pressure"),
    mark("Gusts"),
    mark("Radius of 34 kt, north-east"),
    mark("Radius of 34 kt, south-east"),
    mark("Radius of 34 kt, south-west"),
    mark("Radius of 34 kt, north-west"),
    mark("Radius of 50 kt, north-east"),
    mark("Radius of 50 kt, south-east"),
    mark("Radius of 50 kt, south-west"),
    mark("Radius of 50 kt, north-west"),
    mark("Radius of 64 kt, north-east"),
    mark("Radius of 64 kt, south-east"),
    mark("Radius of 64 kt, south-west"),
    mark("Radius of 64 kt, north-west"),
    mark("Place of landfall"),
    mark("Position"),
    mark("Wind speed"),
    mark("People in places"),
    mark("Largest places"),
    mark("Zone"),
    mark("Probability in 2 days"),
    mark("Probability in 7 days"),
    mark("Formation area"),
    mark("Began"),
    mark("Ended"),
    mark("Severity"),
    mark("Main cause"),
    mark("Deaths"),
    mark("Displaced"),
    mark("GLIDE number"),
    mark("Other country"),
    mark("Report"),
    mark("Flooded area"),
    mark("Issued"),
    mark("Expires"),
    mark("Alert"),
    mark("Alert score"),
    mark("Alert area"),
    mark("Watershed"),
    mark("Forecast date"),
    mark("Valid from"),
    mark("Valid to"),
    mark("Probability"),
    mark("Level of the source"),
    mark("Change"),
    mark("Peak date"),
    mark("Exceeds the 2-year discharge"),
    mark("Exceeds the 20-year discharge"),
    mark("Hazard score"),
    mark("Watershed area"),
    mark("Point in the watershed"),
    mark("Gauge"),
    mark("Discharge"),
    mark("Peak discharge"),
    mark("2-year discharge"),
    mark("5-year discharge"),
    mark("20-year discharge"),
    mark("Time series"),
    mark("Upstream area"),
    mark("Members"),
    mark("Gauge position"),
    mark("Previous advisory"),
    mark("Lead time"),
    mark("Scope"),
    mark("Magnitude"),
    mark("Depth"),
    mark("Name"),
    mark("Alert level"),
    mark("Landfall"),
    mark("Area"),
    mark("Advisory"),
    mark("Next advisory"),
    mark("Hazard code"),
    mark("Country codes"),
    mark("Tsunami bulletin"),
    mark("Contours of intensity"),
    mark("Intensity"),
    mark("Highest intensity"),
    mark("Contour"),
    mark("Text of the tsunami bulletin"),
    mark("Liquefaction alert"),
    mark("Ground failure"),
    mark("People in strong shaking"),
    mark("Tsunami bulletin issued"),
    mark("Version"),
    mark("Landslide alert"),
)
"""Titles of properties."""

HEADINGS = (
    mark("Strong earthquakes"),
    mark("Storms under way"),
    mark("Flood alerts in force"),
)
"""Headings of the landing page (deploy/collections.yaml)."""

BASINS = (
    mark("North Atlantic"),
    mark("South Atlantic"),
    mark("East Pacific"),
    mark("West Pacific"),
    mark("South Pacific"),
    mark("North Indian Ocean"),
    mark("South Indian Ocean"),
)
"""Names of ocean basins (libs/catalogue/basins.py)."""

VALUES = (
    mark("Yellow"),
    mark("Warning"),
    mark("Watch"),
    mark("Information"),
    mark("New"),
    mark("Continued"),
    mark("Upgraded"),
    mark("Downgraded"),
    mark("analysed"),
    mark("formation"),
    mark("automatic"),
    mark("reviewed"),
    mark("deleted"),
    mark("simulated"),
    mark("earthquake"),
    mark("explosion"),
    mark("quarry blast"),
    mark("Heavy rain"),
    mark("Monsoonal rain"),
    mark("Tropical cyclone"),
    mark("Snowmelt"),
    mark("Dam break"),
    mark("Green"),
    mark("Orange"),
    mark("Red"),
    mark("forecast"),
)
"""Words in the data: alert levels, changes, kinds, causes."""

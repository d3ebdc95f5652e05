"""Descriptions of the properties of the hazard collections, as the comments in deploy/database/schema have them."""

from libs.web.catalogues import marked

DESCRIPTIONS = (
    marked("Number of the feature."),
    marked("Identifier of the event at its source."),
    marked("Magnitude and place."),
    marked("Nearby place, in words."),
    marked("On the scale that magnitude_type names."),
    marked("How the magnitude was computed, such as ml, md, mb or mww."),
    marked("Depth of the hypocentre below sea level."),
    marked("Time of the event, UTC."),
    marked("When the source last revised the event, UTC."),
    marked("Publisher of the event."),
    marked("Code of the seismic network that is preferred for the event."),
    marked("earthquake, explosion or quarry blast."),
    marked("automatic, reviewed or deleted."),
    marked("From 0 to about 1000; larger is more significant."),
    marked("Number of people that reported shaking."),
    marked("Green, Yellow, Orange or Red by estimated impact; empty if not estimated."),
    marked("True if the event is linked to tsunami information."),
    marked("Address of the source's page about the event."),
    marked("Address of the source's list of all products (GeoJSON)."),
    marked("Address of the shake map or of the document that lists its files."),
    marked("Address of the impact tables or of the document that lists them."),
    marked("Address of the estimates of landslides and liquefaction, or of the document that lists them."),
    marked("Address of the shapefile bundle."),
    marked("The nearest place of 15,000 people or more (GeoNames)."),
    marked("Along the surface, from its centre."),
    marked("Direction from the place to the epicentre, one of 16 such as NNE; empty within 1 km."),
    marked("Number of its inhabitants (GeoNames), not of people affected."),
    marked("Country with the epicentre (Natural Earth); empty at sea."),
    marked(
        "First-level division of the country around the epicentre, of the place nearest to it (GeoNames); empty at sea."
    ),
    marked("Country with the nearest land (Natural Earth)."),
    marked("Along the surface, from its nearest land, right to about 3 km; 0 on land."),
    marked("All countries with land within 200 km of the epicentre, the nearest first."),
    marked("Report number of the source; increases with each update."),
    marked("When the source withdrew the event, UTC; empty if it is still valid."),
    marked("Point in WGS 84, longitude and latitude."),
    marked(
        "Identifier of the event, shared by its tracks, nodes, buffers and advisories: its ATCF number, such "
        "as AL112017, where that is known, else what its source calls it."
    ),
    marked("Intensity, basin and month in words."),
    marked("Name given to the system; empty where the source has none."),
    marked(
        "Where it formed: NA, SA (North, South Atlantic), EP, WP, SP (East, West, South Pacific), NI, SI "
        "(North, South Indian Ocean)."
    ),
    marked("Year of the season; in the southern hemisphere the year in which it ends."),
    marked(
        "TD, TS or C1 to C5 (Saffir-Simpson) by the highest wind. Empty without winds of an agency of the "
        "United States, because the scale is for 1-minute winds."
    ),
    marked("Highest sustained wind. All winds of a storm have the same averaging period."),
    marked(
        "Averaging period of the wind: 1 minute in the United States, 3 in India, 10 elsewhere. Winds of "
        "different periods are not comparable."
    ),
    marked("Agency that issued the wind."),
    marked("Agency that the World Meteorological Organization made responsible for the basin."),
    marked("Highest sustained wind as the regional agency gives it."),
    marked("Averaging period of its wind."),
    marked("Its own class of the storm, such as TY or VSCS; empty if the source has none."),
    marked("Lowest central pressure."),
    marked("Time of the first position, UTC."),
    marked("Time of the last position, UTC."),
    marked("Number of the system in IBTrACS (SID), such as 2017242N16333."),
    marked("Address of the rainfall raster."),
    marked("Address of the population impact table."),
    marked("Address of the facility exposure report."),
    marked("Where the data come from."),
    marked("Identifier of the event the track belongs to."),
    marked("Where it formed: NA, SA, EP, WP, SP, NI or SI."),
    marked("analysed (where it was) or forecast (where it was expected)."),
    marked("Number of the advisory with the forecast; empty for analysed tracks."),
    marked("When the forecast was issued, UTC; empty for analysed tracks."),
    marked(
        "TD, TS or C1 to C5 (Saffir-Simpson) by the highest wind along the track. Empty without winds of an "
        "agency of the United States."
    ),
    marked("Averaging period of the wind."),
    marked("Highest sustained wind along the track."),
    marked("Lowest central pressure along the track."),
    marked("Geodesic length of the track."),
    marked("Lines in WGS 84, longitude and latitude."),
    marked("Identifier of the event the node belongs to."),
    marked("Where the node is: NA, SA, EP, WP, SP, NI or SI."),
    marked("When the system was, or is expected, at this position, UTC."),
    marked("Number of the advisory with the forecast; empty for analysed nodes."),
    marked("When the forecast was issued, UTC; empty for analysed nodes."),
    marked("TD, TS or C1 to C5 (Saffir-Simpson) by the wind at this time. Empty unless this is a 1-minute wind."),
    marked("Sustained wind at this time as the regional agency gives it."),
    marked(
        "Development level, such as DB disturbance, LO low, WV wave, TD depression, TS storm, HU hurricane, "
        "TY typhoon, EX extratropical."
    ),
    marked("Sustained wind at this time."),
    marked("Central pressure at this time."),
    marked("Wind in gusts at this time."),
    marked(
        "How far from the centre winds of 34 kt or more reach anywhere in the north-east quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    marked(
        "How far from the centre winds of 34 kt or more reach anywhere in the south-east quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    marked(
        "How far from the centre winds of 34 kt or more reach anywhere in the south-west quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    marked(
        "How far from the centre winds of 34 kt or more reach anywhere in the north-west quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    marked(
        "How far from the centre winds of 50 kt or more reach anywhere in the north-east quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    marked(
        "How far from the centre winds of 50 kt or more reach anywhere in the south-east quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    marked(
        "How far from the centre winds of 50 kt or more reach anywhere in the south-west quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    marked(
        "How far from the centre winds of 50 kt or more reach anywhere in the north-west quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    marked(
        "How far from the centre winds of 64 kt or more reach anywhere in the north-east quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    marked(
        "How far from the centre winds of 64 kt or more reach anywhere in the south-east quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    marked(
        "How far from the centre winds of 64 kt or more reach anywhere in the south-west quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    marked(
        "How far from the centre winds of 64 kt or more reach anywhere in the north-west quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    marked("True if the centre moved from sea to land since the position before; empty if not checked."),
    marked("Country or territory of the landfall."),
    marked("Identifier of the event the buffer belongs to."),
    marked("Lowest sustained wind inside the zone."),
    marked("Number of the advisory with the forecast; empty for analysed zones."),
    marked("When the forecast was issued, UTC; empty for analysed zones."),
    marked("Time of the first position with this wind, UTC."),
    marked("Time of the last position with this wind, UTC."),
    marked("Geodesic area of the zone."),
    marked(
        "A lower bound of the people in the zone: those of places of about 1,000 and more whose centre lies "
        "in it, none of them counted twice (GeoNames)."
    ),
    marked(
        "The three places with most people among those whose centre lies in the zone (GeoNames); empty where "
        "there is none."
    ),
    marked("Where the data come from, or how they were derived."),
    marked("Polygons in WGS 84, longitude and latitude."),
    marked(
        "Probability that a tropical cyclone forms within two days, from the newest outlook of the NHC; empty"
        " without one."
    ),
    marked(
        "Probability that a tropical cyclone forms within seven days, from the newest outlook of the NHC; "
        "empty without one."
    ),
    marked("Probability that a tropical cyclone forms in the area within two days; empty for zones of wind."),
    marked("Probability that a tropical cyclone forms in the area within seven days; empty for zones of wind."),
    marked("Ocean and number of the area in the newest outlook; empty for zones of wind."),
    marked("Lowest sustained wind inside the zone; empty for areas of formation."),
    marked(
        "analysed (where it was), forecast (where it was expected) or formation (where a tropical cyclone may"
        " form within seven days)."
    ),
    marked("Identifier of the event, shared by its alerts."),
    marked("Cause, country and month in words."),
    marked("When the flood began, UTC."),
    marked("When the flood ended, UTC; empty while it lasts."),
    marked(
        "1 large, 1.5 very large, 2 extreme (recurrence of 10 to 20, 20 to 100, over 100 years), after the "
        "Dartmouth Flood Observatory."
    ),
    marked("For example heavy rain, monsoonal rain, tropical cyclone, snowmelt or dam break."),
    marked("Number of people killed."),
    marked("Number of people that left their homes."),
    marked("Geodesic area of the flooded land."),
    marked("Where the centre of the flood lies."),
    marked("Global identifier number of the disaster."),
    marked("Where the data come from, or that they are simulated."),
    marked("The nearest place in words, such as 22 km NNE of Hualien City."),
    marked("From its centre to the centre of the flood."),
    marked(
        "Where the centre of the flood lies as seen from there, one of 16 directions such as NNE; empty within 1 km."
    ),
    marked("Number of people (GeoNames)."),
    marked(
        "First-level division of the country around the centre of the flood: from the source, or that of the "
        "nearest place (GeoNames)."
    ),
    marked(
        "A lower bound of the people in the area: those of places of about 1,000 and more whose centre lies "
        "in it, none of them counted twice (GeoNames)."
    ),
    marked("Second affected country."),
    marked("Level of the source: Green, Orange or Red; empty without one."),
    marked("Number of the source's newest report of the event; it grows."),
    marked("Since when its source has taken it back, UTC; empty while it stands."),
    marked("Identifier of the event, the flood event's where one was observed."),
    marked("Level, country and day in words."),
    marked("Green, Orange or Red."),
    marked("When the alert was issued, UTC."),
    marked("When the alert ends unless renewed, UTC."),
    marked("Expected severity: 1 large, 1.5 very large, 2 extreme."),
    marked("Where the centre of the area lies."),
    marked("Geodesic area that the alert covers."),
    marked("Identifier of the alert, the same when it is renewed."),
    marked("From its centre to the centre of the area."),
    marked(
        "Where the centre of the area lies as seen from there, one of 16 directions such as NNE; empty within 1 km."
    ),
    marked(
        "First-level division of the country around the centre of the area, as the source says or of the "
        "place nearest to it (GeoNames)."
    ),
    marked("On the scale of the source: of GDACS from 0 to 3."),
    marked("Identifier of the forecast episode of this watershed."),
    marked("Identifier of the watershed."),
    marked("Level, country and period in words."),
    marked("When the forecast was made, UTC."),
    marked("Start of the period that the forecast is for, UTC."),
    marked("End of the period that the forecast is for, UTC."),
    marked("Share of the ensemble that exceeds the alert threshold."),
    marked("Where the centre of the watershed lies."),
    marked("Geodesic area of the watershed."),
    marked("Identifier of the newest alert of a watershed; there is one of each."),
    marked("Its own word: Warning (Red), Watch (Orange), Advisory or Information (Green)."),
    marked("Against the run before: New, Continued, Upgraded or Downgraded."),
    marked("When the highest discharge is expected, UTC."),
    marked("Share of the ensemble that does."),
    marked("Of the models together, from 0 to 100."),
    marked(
        "First-level division of the country around the centre of the watershed, as the source says or of the"
        " place nearest to it (GeoNames)."
    ),
    marked("When the forecast was made, UTC; it is valid from then on."),
    marked("First-level division of the country around the centre of the watershed."),
    marked("Identifier of the flood event nearby, or of the gauge's own forecast."),
    marked("Identifier of the gauge."),
    marked("Gauge and country in words."),
    marked("Where the gauge stands."),
    marked(
        "Green, Orange (5-year discharge exceeded) or Red (20-year discharge exceeded); empty where these are"
        " not known."
    ),
    marked("At the time of the forecast."),
    marked("Highest median discharge of the forecast."),
    marked("Reached once in 2 years on average."),
    marked("Reached once in 5 years on average."),
    marked("Reached once in 20 years on average."),
    marked("Daily list of time, discharge_m3s (median), p25_m3s and p75_m3s (quartiles)."),
    marked("Last day of the forecast, UTC."),
    marked("First-level division of the country around the gauge, of the place nearest to it (GeoNames)."),
    marked("Area of the land that drains through the gauge."),
    marked("Number of forecasts in the ensemble; 0 where only its quartiles are known."),
    marked(
        "Identifier of the event that the advisory is about: its ATCF number, such as AL112017, where that is known."
    ),
    marked("Name of the system at the time of the advisory; empty where the source has none."),
    marked("analysed (where it was when the advisory was issued) or forecast (where it was expected)."),
    marked("Number of the advisory; empty where its source counts none."),
    marked("When the advisory was issued, UTC."),
    marked("When the advisory before this one was issued, UTC; empty of the first."),
    marked("When the advisory after this one was issued, UTC; empty of the newest."),
    marked("Where it is: NA, SA, EP, WP, SP, NI or SI."),
    marked("From when the advisory was issued to the valid time."),
    marked("Development level in words of the advisory; empty of forecasts that do not say."),
    marked("Central pressure at this time; not forecast."),
    marked("Time of the last position with this wind, UTC; that of a step is its start."),
    marked("step (at one time) or whole (over all times of the advisory, with what lies between neighbouring ones)."),
    marked("Number of the advisory; empty if its source does not number them, and for zones of a best track."),
    marked("When the advisory was issued, UTC; for zones of a best track the time of the zone."),
    marked("Highest estimated intensity of shaking, on the Modified Mercalli scale (ShakeMap)."),
    marked("Estimated number of people in places with an intensity of VI or more (PAGER)."),
    marked("Green, Yellow, Orange or Red by the expected landslides (USGS); empty if not estimated."),
    marked("Green, Yellow, Orange or Red by the expected liquefaction (USGS); empty if not estimated."),
    marked("Address of the contours as GeoJSON."),
    marked("Category of the newest bulletin: Information, Watch, Advisory, Warning, Threat or Cancellation."),
    marked("Address of the newest bulletin."),
    marked("When the newest bulletin was issued, UTC."),
    marked("Identifier of the earthquake."),
    marked("Intensity and earthquake in words."),
    marked("Intensity of shaking along the line, on the Modified Mercalli scale from 1 to 10."),
    marked("Time of the earthquake, UTC."),
    marked("When the source made this version, UTC."),
    marked("Number of the shake map of the earthquake."),
    marked("Publisher of the contours."),
    marked("Global identifier number of the disaster; empty if it has none."),
    marked(
        "Code of the hazard in the hazard information profiles of UNDRR and ISC (2025): GH0101 earthquake, MH0600 "
        "flood, MH0306 tropical cyclone."
    ),
    marked("ISO 3166-1 alpha-3 codes of the countries, such as NPL; empty at sea and for other names."),
)

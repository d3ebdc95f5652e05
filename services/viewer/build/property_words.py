"""Descriptions of the properties of the hazard collections, as the comments in deploy/database/schema have them."""

from libs.web.accept_language import mark

DESCRIPTIONS = (
    mark("Number of the feature."),
    mark("Identifier of the event at its source."),
    mark("Magnitude and place."),
    mark("Nearby place, in words."),
    mark("On the scale that magnitude_type names."),
    mark("How the magnitude was computed, such as ml, md, mb or mww."),
    mark("Depth of the hypocentre below sea level."),
    mark("Time of the event, UTC."),
    mark("When the source last revised the event, UTC."),
    mark("Publisher of the event."),
    mark("Code of the seismic network that is preferred for the event."),
    mark("earthquake, explosion or quarry blast."),
    mark("automatic, reviewed or deleted."),
    mark("From 0 to about 1000; larger is more significant."),
    mark("Number of people that reported shaking."),
    mark("Green, Yellow, Orange or Red by estimated impact; empty if not estimated."),
    mark("True if the event is linked to tsunami information."),
    mark("Address of the source's page about the event."),
    mark("Address of the source's list of all products (GeoJSON)."),
    mark("Address of the shake map or of the document that lists its files."),
    mark("Address of the impact tables or of the document that lists them."),
    mark("Address of the estimates of landslides and liquefaction, or of the document that lists them."),
    mark("Address of the shapefile bundle."),
    mark("The nearest place of 15,000 people or more (GeoNames)."),
    mark("Along the surface, from its centre."),
    mark("Direction from the place to the epicentre, one of 16 such as NNE; empty within 1 km."),
    mark("Number of its inhabitants (GeoNames), not of people affected."),
    mark("Country with the epicentre (Natural Earth); empty at sea."),
    mark(
        "First-level division of the country around the epicentre, of the place nearest to it (GeoNames); empty at sea."
    ),
    mark("Country with the nearest land (Natural Earth)."),
    mark("Along the surface, from its nearest land, right to about 3 km; 0 on land."),
    mark("All countries with land within 200 km of the epicentre, the nearest first."),
    mark("Report number of the source; increases with each update."),
    mark("When the source withdrew the event, UTC; empty if it is still valid."),
    mark("Point in WGS 84, longitude and latitude."),
    mark(
        "Identifier of the event, shared by its tracks, nodes, buffers and advisories: its ATCF number, such "
        "as AL112017, where that is known, else what its source calls it."
    ),
    mark("Intensity, basin and month in words."),
    mark("Name given to the system; empty where the source has none."),
    mark(
        "Where it formed: NA, SA (North, South Atlantic), EP, WP, SP (East, West, South Pacific), NI, SI "
        "(North, South Indian Ocean)."
    ),
    mark("Year of the season; in the southern hemisphere the year in which it ends."),
    mark(
        "TD, TS or C1 to C5 (Saffir-Simpson) by the highest wind. Empty without winds of an agency of the "
        "United States, because the scale is for 1-minute winds."
    ),
    mark("Highest sustained wind. All winds of a storm have the same averaging period."),
    mark(
        "Averaging period of the wind: 1 minute in the United States, 3 in India, 10 elsewhere. Winds of "
        "different periods are not comparable."
    ),
    mark("Agency that issued the wind."),
    mark("Agency that the World Meteorological Organization made responsible for the basin."),
    mark("Highest sustained wind as the regional agency gives it."),
    mark("Averaging period of its wind."),
    mark("Its own class of the storm, such as TY or VSCS; empty if the source has none."),
    mark("Lowest central pressure."),
    mark("Time of the first position, UTC."),
    mark("Time of the last position, UTC."),
    mark("Number of the system in IBTrACS (SID), such as 2017242N16333."),
    mark("Address of the rainfall raster."),
    mark("Address of the population impact table."),
    mark("Address of the facility exposure report."),
    mark("Where the data come from."),
    mark("Identifier of the event the track belongs to."),
    mark("Where it formed: NA, SA, EP, WP, SP, NI or SI."),
    mark("analysed (where it was) or forecast (where it was expected)."),
    mark("Number of the advisory with the forecast; empty for analysed tracks."),
    mark("When the forecast was issued, UTC; empty for analysed tracks."),
    mark(
        "TD, TS or C1 to C5 (Saffir-Simpson) by the highest wind along the track. Empty without winds of an "
        "agency of the United States."
    ),
    mark("Averaging period of the wind."),
    mark("Highest sustained wind along the track."),
    mark("Lowest central pressure along the track."),
    mark("Geodesic length of the track."),
    mark("Lines in WGS 84, longitude and latitude."),
    mark("Identifier of the event the node belongs to."),
    mark("Where the node is: NA, SA, EP, WP, SP, NI or SI."),
    mark("When the system was, or is expected, at this position, UTC."),
    mark("Number of the advisory with the forecast; empty for analysed nodes."),
    mark("When the forecast was issued, UTC; empty for analysed nodes."),
    mark("TD, TS or C1 to C5 (Saffir-Simpson) by the wind at this time. Empty unless this is a 1-minute wind."),
    mark("Sustained wind at this time as the regional agency gives it."),
    mark(
        "Development level, such as DB disturbance, LO low, WV wave, TD depression, TS storm, HU hurricane, "
        "TY typhoon, EX extratropical."
    ),
    mark("Sustained wind at this time."),
    mark("Central pressure at this time."),
    mark("Wind in gusts at this time."),
    mark(
        "How far from the centre winds of 34 kt or more reach anywhere in the north-east quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    mark(
        "How far from the centre winds of 34 kt or more reach anywhere in the south-east quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    mark(
        "How far from the centre winds of 34 kt or more reach anywhere in the south-west quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    mark(
        "How far from the centre winds of 34 kt or more reach anywhere in the north-west quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    mark(
        "How far from the centre winds of 50 kt or more reach anywhere in the north-east quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    mark(
        "How far from the centre winds of 50 kt or more reach anywhere in the south-east quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    mark(
        "How far from the centre winds of 50 kt or more reach anywhere in the south-west quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    mark(
        "How far from the centre winds of 50 kt or more reach anywhere in the north-west quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    mark(
        "How far from the centre winds of 64 kt or more reach anywhere in the north-east quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    mark(
        "How far from the centre winds of 64 kt or more reach anywhere in the south-east quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    mark(
        "How far from the centre winds of 64 kt or more reach anywhere in the south-west quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    mark(
        "How far from the centre winds of 64 kt or more reach anywhere in the north-west quadrant; 0 where "
        "they do not, empty where the source says nothing."
    ),
    mark("True if the centre moved from sea to land since the position before; empty if not checked."),
    mark("Country or territory of the landfall."),
    mark("Identifier of the event the buffer belongs to."),
    mark("Lowest sustained wind inside the zone."),
    mark("Number of the advisory with the forecast; empty for analysed zones."),
    mark("When the forecast was issued, UTC; empty for analysed zones."),
    mark("Time of the first position with this wind, UTC."),
    mark("Time of the last position with this wind, UTC."),
    mark("Geodesic area of the zone."),
    mark(
        "A lower bound of the people in the zone: those of places of about 1,000 and more whose centre lies "
        "in it, none of them counted twice (GeoNames)."
    ),
    mark(
        "The three places with most people among those whose centre lies in the zone (GeoNames); empty where "
        "there is none."
    ),
    mark("Where the data come from, or how they were derived."),
    mark("Polygons in WGS 84, longitude and latitude."),
    mark(
        "Probability that a tropical cyclone forms within two days, from the newest outlook of the NHC; empty"
        " without one."
    ),
    mark(
        "Probability that a tropical cyclone forms within seven days, from the newest outlook of the NHC; "
        "empty without one."
    ),
    mark("Probability that a tropical cyclone forms in the area within two days; empty for zones of wind."),
    mark("Probability that a tropical cyclone forms in the area within seven days; empty for zones of wind."),
    mark("Ocean and number of the area in the newest outlook; empty for zones of wind."),
    mark("Lowest sustained wind inside the zone; empty for areas of formation."),
    mark(
        "analysed (where it was), forecast (where it was expected) or formation (where a tropical cyclone may"
        " form within seven days)."
    ),
    mark("Identifier of the event, shared by its alerts."),
    mark("Cause, country and month in words."),
    mark("When the flood began, UTC."),
    mark("When the flood ended, UTC; empty while it lasts."),
    mark(
        "1 large, 1.5 very large, 2 extreme (recurrence of 10 to 20, 20 to 100, over 100 years), after the "
        "Dartmouth Flood Observatory."
    ),
    mark("For example heavy rain, monsoonal rain, tropical cyclone, snowmelt or dam break."),
    mark("Number of people killed."),
    mark("Number of people that left their homes."),
    mark("Geodesic area of the flooded land."),
    mark("Where the centre of the flood lies."),
    mark("Global identifier number of the disaster."),
    mark("Where the data come from, or that they are simulated."),
    mark("The nearest place in words, such as 22 km NNE of Hualien City."),
    mark("From its centre to the centre of the flood."),
    mark("Where the centre of the flood lies as seen from there, one of 16 directions such as NNE; empty within 1 km."),
    mark("Number of people (GeoNames)."),
    mark(
        "First-level division of the country around the centre of the flood: from the source, or that of the "
        "nearest place (GeoNames)."
    ),
    mark(
        "A lower bound of the people in the area: those of places of about 1,000 and more whose centre lies "
        "in it, none of them counted twice (GeoNames)."
    ),
    mark("Second affected country."),
    mark("Level of the source: Green, Orange or Red; empty without one."),
    mark("Number of the source's newest report of the event; it grows."),
    mark("Since when its source has taken it back, UTC; empty while it stands."),
    mark("Identifier of the event, the flood event's where one was observed."),
    mark("Level, country and day in words."),
    mark("Green, Orange or Red."),
    mark("When the alert was issued, UTC."),
    mark("When the alert ends unless renewed, UTC."),
    mark("Expected severity: 1 large, 1.5 very large, 2 extreme."),
    mark("Where the centre of the area lies."),
    mark("Geodesic area that the alert covers."),
    mark("Identifier of the alert, the same when it is renewed."),
    mark("From its centre to the centre of the area."),
    mark("Where the centre of the area lies as seen from there, one of 16 directions such as NNE; empty within 1 km."),
    mark(
        "First-level division of the country around the centre of the area, as the source says or of the "
        "place nearest to it (GeoNames)."
    ),
    mark("On the scale of the source: of GDACS from 0 to 3."),
    mark("Identifier of the forecast episode of this watershed."),
    mark("Identifier of the watershed."),
    mark("Level, country and period in words."),
    mark("When the forecast was made, UTC."),
    mark("Start of the period that the forecast is for, UTC."),
    mark("End of the period that the forecast is for, UTC."),
    mark("Share of the ensemble that exceeds the alert threshold."),
    mark("Where the centre of the watershed lies."),
    mark("Geodesic area of the watershed."),
    mark("Identifier of the newest alert of a watershed; there is one of each."),
    mark("Its own word: Warning (Red), Watch (Orange), Advisory or Information (Green)."),
    mark("Against the run before: New, Continued, Upgraded or Downgraded."),
    mark("When the highest discharge is expected, UTC."),
    mark("Share of the ensemble that does."),
    mark("Of the models together, from 0 to 100."),
    mark(
        "First-level division of the country around the centre of the watershed, as the source says or of the"
        " place nearest to it (GeoNames)."
    ),
    mark("When the forecast was made, UTC; it is valid from then on."),
    mark("First-level division of the country around the centre of the watershed."),
    mark("Identifier of the flood event nearby, or of the gauge's own forecast."),
    mark("Identifier of the gauge."),
    mark("Gauge and country in words."),
    mark("Where the gauge stands."),
    mark(
        "Green, Orange (5-year discharge exceeded) or Red (20-year discharge exceeded); empty where these are"
        " not known."
    ),
    mark("At the time of the forecast."),
    mark("Highest median discharge of the forecast."),
    mark("Reached once in 2 years on average."),
    mark("Reached once in 5 years on average."),
    mark("Reached once in 20 years on average."),
    mark("Daily list of time, discharge_m3s (median), p25_m3s and p75_m3s (quartiles)."),
    mark("Last day of the forecast, UTC."),
    mark("First-level division of the country around the gauge, of the place nearest to it (GeoNames)."),
    mark("Area of the land that drains through the gauge."),
    mark("Number of forecasts in the ensemble; 0 where only its quartiles are known."),
    mark("Identifier of the event that the advisory is about: its ATCF number, such as AL112017, where that is known."),
    mark("Name of the system at the time of the advisory; empty where the source has none."),
    mark("analysed (where it was when the advisory was issued) or forecast (where it was expected)."),
    mark("Number of the advisory; empty where its source counts none."),
    mark("When the advisory was issued, UTC."),
    mark("When the advisory before this one was issued, UTC; empty of the first."),
    mark("When the advisory after this one was issued, UTC; empty of the newest."),
    mark("Where it is: NA, SA, EP, WP, SP, NI or SI."),
    mark("From when the advisory was issued to the valid time."),
    mark("Development level in words of the advisory; empty of forecasts that do not say."),
    mark("Central pressure at this time; not forecast."),
    mark("Time of the last position with this wind, UTC; that of a step is its start."),
    mark("step (at one time) or whole (over all times of the advisory, with what lies between neighbouring ones)."),
    mark("Number of the advisory; empty if its source does not number them, and for zones of a best track."),
    mark("When the advisory was issued, UTC; for zones of a best track the time of the zone."),
    mark("Highest estimated intensity of shaking, on the Modified Mercalli scale (ShakeMap)."),
    mark("Estimated number of people in places with an intensity of VI or more (PAGER)."),
    mark("Green, Yellow, Orange or Red by the expected landslides (USGS); empty if not estimated."),
    mark("Green, Yellow, Orange or Red by the expected liquefaction (USGS); empty if not estimated."),
    mark("Address of the contours as GeoJSON."),
    mark("Category of the newest bulletin: Information, Watch, Advisory, Warning, Threat or Cancellation."),
    mark("Address of the newest bulletin."),
    mark("When the newest bulletin was issued, UTC."),
    mark("Identifier of the earthquake."),
    mark("Intensity and earthquake in words."),
    mark("Intensity of shaking along the line, on the Modified Mercalli scale from 1 to 10."),
    mark("Time of the earthquake, UTC."),
    mark("When the source made this version, UTC."),
    mark("Number of the shake map of the earthquake."),
    mark("Publisher of the contours."),
    mark("Global identifier number of the disaster; empty if it has none."),
    mark(
        "Code of the hazard in the hazard information profiles of UNDRR and ISC (2025): GH0101 earthquake, MH0600 "
        "flood, MH0306 tropical cyclone."
    ),
    mark("ISO 3166-1 alpha-3 codes of the countries, such as NPL; empty at sea and for other names."),
)

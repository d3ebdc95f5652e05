"""Zones of events in the tables of schema hazard, as SQL."""

_MADE_VALID = "CASE WHEN ST_IsValid(geom) THEN geom ELSE ST_MakeValid(geom) END"


def _km2(geometry: str) -> str:
    """Return the area of a geometry as SQL, in km2 on the ellipsoid.

    An edge of a geography is a geodesic: a long one lies far from the straight line in degrees that the edge of a
    geometry is, and one along a parallel around the globe encloses nothing. Short edges are both.
    """
    return f"ST_Area(ST_Segmentize({geometry}, 0.25)::geography) / 1e6"


_STORM_TABLES = ("hazard_ts_buffers", "hazard_ts_disturbance_buffers")
_FLOOD_TABLES = {
    "hazard_fl_events": ("flooded area", "observed", "began"),
    "hazard_fl_alerts": ("alert area", "alert", "issued"),
    "hazard_fl_alerts_mom_forecast": ("forecast alert area", "forecast", "forecast_date"),
}

WATCHED = (
    "hazard_eq_events",
    "hazard_eq_contours",
    "hazard_ts_events",
    "hazard_ts_disturbance_events",
    "hazard_ts_advisory_buffers",
    "hazard_ts_nodes",
    *_STORM_TABLES,
    *_FLOOD_TABLES,
)
"""Tables of schema hazard that impacts are computed from."""


def _storm_zones(table: str) -> str:
    # areas in which a storm may form have no wind
    return (
        "SELECT event_id, kind, wind_speed_kt || ' kt' AS zone, wind_speed_kt::float8 AS rank, source, "  # noqa: S608
        f"geom, start_date AS time FROM hazard.{table} WHERE wind_speed_kt IS NOT NULL"
    )


def _flood_zones(table: str) -> str:
    zone, kind, time = _FLOOD_TABLES[table]
    return (
        f"SELECT event_id, '{kind}' AS kind, '{zone}' AS zone, 0::float8 AS rank, source, geom, "  # noqa: S608
        f"{time} AS time FROM hazard.{table}"
    )


POLYGONS = " UNION ALL ".join([*map(_storm_zones, _STORM_TABLES), *map(_flood_zones, _FLOOD_TABLES)])
"""Zones that the tables have as polygons: event_id, kind, zone, rank (higher is stronger), source, geom, time."""

ADVISORIES = (
    "SELECT event_id, advisory, advisory_time, kind, wind_speed_kt, scope, start_date AS time, geom "
    "FROM hazard.hazard_ts_advisory_buffers"
)
"""Zones of wind of each advisory: over all of its time (scope `whole`), and at each of its times (`step`)."""

EARTHQUAKES = """
SELECT DISTINCT ON (event_id) event_id, magnitude, depth, event_date, source, geom,
    ST_X(geom) AS longitude, ST_Y(geom) AS latitude, shakemap_url, population_impact_url, detail_url
FROM hazard.hazard_eq_events ORDER BY event_id, withdrawn NULLS FIRST, updated DESC NULLS LAST, id
"""
"""Each earthquake once, as its newest report has it."""

_SHAKEMAPS = "hazard.hazard_eq_contours WHERE coalesce(source, '') NOT LIKE 'simulated%'"
CONTOURS = f"""
SELECT event_id, intensity, source, version, ST_AsBinary(geom) AS wkb FROM {_SHAKEMAPS}
    AND event_id = ANY($1::text[]) ORDER BY event_id, intensity
"""  # noqa: S608
"""Contours of the ShakeMaps of some earthquakes. Simulated ones are those of the equation, which is exact."""

STORMS = """
SELECT DISTINCT ON (event_id) event_id, name, category, basin, start_date, source FROM (
    SELECT event_id, name, category, basin, start_date, source, 0 AS rank FROM hazard.hazard_ts_events
    UNION ALL SELECT event_id, name, category, basin, start_date, source, 1 FROM hazard.hazard_ts_disturbance_events
) known ORDER BY event_id, rank
"""
"""Each storm and disturbance once; one that became a storm as a storm."""

TITLES = """
SELECT DISTINCT ON (event_id) event_id, title FROM (
    SELECT event_id, title, 0 AS rank FROM hazard.hazard_eq_events
    UNION ALL SELECT event_id, coalesce(initcap(name), title), 1 FROM hazard.hazard_ts_events
    UNION ALL SELECT event_id, coalesce(initcap(name), title), 2 FROM hazard.hazard_ts_disturbance_events
    UNION ALL SELECT event_id, title, 3 FROM hazard.hazard_fl_events
    UNION ALL SELECT event_id, title, 4 FROM hazard.hazard_fl_alerts
    UNION ALL SELECT event_id, title, 5 FROM hazard.hazard_fl_alerts_mom_forecast
) titled WHERE event_id = ANY($1::text[]) AND title IS NOT NULL ORDER BY event_id, rank
"""
"""What events are called."""

_LINKS = {
    "hazard_eq_events": ("shakemap_url", "population_impact_url", "ground_failure_url", "detail_url", "url"),
    "hazard_ts_events": ("rainfall_url", "population_impact_url", "facility_exposure_url"),
    "hazard_fl_events": ("url",),
    "hazard_fl_alerts": ("url",),
}
"""Columns with addresses of products of the publisher, by table, in the order in which they are listed."""

LINKS = " UNION ".join(
    f"SELECT event_id, '{column}' AS name, {place} AS place, {column} AS url, source "  # noqa: S608
    f"FROM hazard.{table} WHERE {column} IS NOT NULL"
    for table, columns in _LINKS.items()
    for place, column in enumerate(columns)
)
"""Addresses of products of the publishers: event_id, name of the column, place, url, source; each once."""

EVENTS = f"""
WITH polygons AS (
    SELECT event_id, max(time) AS time,
        string_agg(md5(concat_ws('|', kind, zone, source, md5(ST_AsBinary(geom)))), ''
                   ORDER BY kind, zone, source, md5(ST_AsBinary(geom))) AS digest,
        bool_or(rank = 0) AS is_flood
    FROM ({POLYGONS}) p GROUP BY event_id
), advisories AS (
    SELECT event_id,
        string_agg(md5(concat_ws('|', advisory, advisory_time, kind, wind_speed_kt, scope, time,
                       md5(ST_AsBinary(geom)))), ''
                   ORDER BY advisory_time, kind, wind_speed_kt, advisory, scope, time) AS digest
    FROM ({ADVISORIES}) a GROUP BY event_id
), contours AS (
    SELECT event_id, md5(string_agg(concat_ws('|', intensity, source, version, md5(ST_AsBinary(geom))), ';'
                         ORDER BY intensity)) AS digest
    FROM {_SHAKEMAPS} GROUP BY event_id
), links AS (
    SELECT event_id, md5(string_agg(concat_ws('|', name, url, source), ';' ORDER BY place, url, source)) AS digest
    FROM ({LINKS}) l GROUP BY event_id
), nodes AS (
    -- of storms without zones, which the model makes of these
    SELECT event_id,
        md5(string_agg(concat_ws('|', valid_time, wind_kt, ST_X(geom), ST_Y(geom)), '' ORDER BY valid_time)) AS digest
    FROM hazard.hazard_ts_nodes n
    WHERE kind = 'analysed' AND NOT EXISTS (SELECT FROM hazard.hazard_ts_buffers b WHERE b.event_id = n.event_id)
    GROUP BY event_id
), known AS (
    SELECT event_id, 'storm' AS hazard, start_date AS time, concat_ws('|', name, category, basin, source) AS digest
    FROM ({STORMS}) s
    UNION ALL SELECT event_id, 'earthquake', event_date, concat_ws('|', magnitude, depth, source, ST_AsEWKT(geom),
        shakemap_url, population_impact_url, detail_url) FROM ({EARTHQUAKES}) e
    UNION ALL SELECT event_id, 'flood', time, '' FROM polygons WHERE is_flood
)
SELECT DISTINCT ON (k.event_id) k.event_id, k.hazard, greatest(k.time, p.time) AS time,
    md5(concat_ws('/', $1::text, k.hazard, k.digest, p.digest, a.digest, n.digest, c.digest, l.digest)) AS digest
FROM known k LEFT JOIN polygons p USING (event_id) LEFT JOIN advisories a USING (event_id)
    LEFT JOIN nodes n USING (event_id) LEFT JOIN contours c USING (event_id) LEFT JOIN links l USING (event_id)
ORDER BY k.event_id, k.hazard DESC
"""  # noqa: S608
"""All events, with the digest of the rows that their impacts follow from. $1: what else they follow from."""

MAKE_ZONES = f"""
CREATE TEMPORARY TABLE zone_shape ON COMMIT DROP AS
SELECT event_id, kind, zone, max(rank) AS rank, array_agg(DISTINCT source) FILTER (WHERE source IS NOT NULL) AS sources,
    CASE WHEN count(*) = 1 THEN (array_agg({_MADE_VALID}))[1] ELSE ST_Union({_MADE_VALID}) END AS geom
FROM ({POLYGONS}) z WHERE event_id = ANY($1::text[]) GROUP BY event_id, kind, zone
"""  # noqa: S608
"""The zones of some events, each once, however many rows it has."""

MAKE_PARTS = """
CREATE TEMPORARY TABLE zone_part ON COMMIT DROP AS
SELECT event_id, kind, zone, true AS has_members, p.geom
FROM zone_shape CROSS JOIN LATERAL ST_Subdivide(geom, 64) p(geom)
"""
"""The zones, cut up: an index finds places in small parts fast."""

ADD_POLYGON = """
INSERT INTO zone_part SELECT $1, $2, $3, $4, ST_Subdivide($5::bytea::geometry, 64)
"""
"""A zone that no table has: event, kind, zone, whether places are those within the polygon, and the polygon."""

POLYGON_FACTS = f"""
SELECT event_id, kind, zone, rank, sources, {_km2("geom")} AS km2 FROM zone_shape
"""  # noqa: S608
"""The area and the sources of each zone."""

SHAPES = """
SELECT event_id, kind, zone, ST_AsBinary(geom) AS wkb FROM zone_shape
"""
"""The zones as polygons."""

_REPLACED = """
SELECT u.id FROM exposure.unit u WHERE NOT EXISTS (SELECT FROM exposure.unit_table t WHERE t.unit_id = u.id)
    AND EXISTS (
        SELECT FROM exposure.unit_table t JOIN exposure.unit own ON own.id = t.unit_id
        WHERE own.country_code = u.country_code AND (own.province IS NULL) = (u.province IS NULL)
    )
"""

MAKE_UNIT_PARTS = f"""
DELETE FROM exposure.unit_part p USING exposure.unit u, ({_REPLACED}) r WHERE u.id = p.unit_id AND u.id = r.id;
INSERT INTO exposure.unit_part (unit_id, km2, geom)
SELECT u.id, {_km2("p.geom")}, p.geom
FROM exposure.unit u CROSS JOIN LATERAL ST_Subdivide(
    CASE WHEN ST_IsValid(u.geom) THEN u.geom ELSE ST_CollectionExtract(ST_MakeValid(u.geom), 3) END, 64) p(geom)
WHERE NOT EXISTS (SELECT FROM exposure.unit_part known WHERE known.unit_id = u.id)
    AND NOT EXISTS (SELECT FROM ({_REPLACED}) r WHERE r.id = u.id)
"""  # noqa: S608
"""Add the missing parts of units, except of units that a configured table replaces."""

UNITS_DIGEST = """
SELECT coalesce(md5(string_agg(concat_ws('|', id, country_code, country, province, ST_NPoints(geom), Box2D(geom)), ';'
    ORDER BY id)), '') FROM exposure.unit
"""
"""A digest of the administrative units."""

AREAS = f"""
SELECT z.event_id, z.kind, z.zone, u.country_code, u.country, u.province,
    -- a part that lies in the zone as a whole, as most do, needs no intersection
    sum(CASE WHEN ST_CoveredBy(p.geom, z.geom) THEN p.km2
        ELSE {_km2("ST_Intersection(p.geom, z.geom)")} END) AS km2
FROM zone_part z JOIN exposure.unit_part p ON ST_Intersects(z.geom, p.geom) JOIN exposure.unit u ON u.id = p.unit_id
GROUP BY z.event_id, z.kind, z.zone, u.country_code, u.country, u.province
ORDER BY km2 DESC, u.country, u.province
"""  # noqa: S608
"""Land of countries (province NULL) and of provinces in each zone, in km2 on the ellipsoid."""

SEEN = """
INSERT INTO impact.worker (id, seen, error) VALUES (1, now(), $1)
ON CONFLICT (id) DO UPDATE SET seen = excluded.seen, error = excluded.error
"""
"""Store that the worker runs. $1: the error that stops it from computing, or NULL."""

MAKE_CIRCLES = """
CREATE TEMPORARY TABLE zone_circle ON COMMIT DROP AS
SELECT * FROM unnest($1::text[], $2::text[], $3::float8[], $4::float8[], $5::float8[])
    AS c (event_id, zone, radius_m, longitude, latitude)
"""
"""Circles of intensity around epicentres."""


def members(table: str) -> str:
    """Return the statement that puts the rows of a table of schema exposure within each zone into `in_zone`.

    A row counts once in each zone, in however many parts of the zone it lies. Circles are measured on the ellipsoid, so
    that one across ±180° or around a pole holds what lies within it.
    """
    return f"""
CREATE TEMPORARY TABLE {table}_in_zone ON COMMIT DROP AS
SELECT DISTINCT z.event_id, z.kind, z.zone, m.id
FROM zone_part z JOIN exposure.{table} m ON ST_Intersects(z.geom, m.geom) WHERE z.has_members
UNION ALL SELECT c.event_id, 'estimated', c.zone, m.id FROM zone_circle c JOIN exposure.{table} m
    ON ST_DWithin(m.geom::geography, ST_SetSRID(ST_MakePoint(c.longitude, c.latitude), 4326)::geography, c.radius_m)
"""  # noqa: S608


PEOPLE = """
SELECT z.event_id, z.kind, z.zone, p.country_code, p.country, coalesce(u.province, p.province) AS province,
    sum(p.people)::bigint AS people, count(*) AS places
FROM place_in_zone z JOIN exposure.place p USING (id)
    LEFT JOIN exposure.place_unit pu ON pu.place_id = p.id LEFT JOIN exposure.unit u ON u.id = pu.unit_id
GROUP BY z.event_id, z.kind, z.zone, p.country_code, p.country, coalesce(u.province, p.province)
ORDER BY people DESC, p.country, province
"""
"""People by zone, country and province."""

LARGEST = """
SELECT * FROM (
    SELECT z.event_id, z.kind, z.zone, p.name, p.country_code, p.country, p.province, p.people,
        row_number() OVER (PARTITION BY z.event_id, z.kind, z.zone ORDER BY p.people DESC, p.id) AS number
    FROM place_in_zone z JOIN exposure.place p USING (id)
) ranked WHERE number <= 10 ORDER BY number
"""
"""The ten places with most people in each zone."""

FACILITIES = """
SELECT z.event_id, z.kind AS zone_kind, z.zone, f.id, f.kind, f.class, f.code, f.name, f.country_code, f.country,
    f.province, ST_X(f.geom) AS longitude, ST_Y(f.geom) AS latitude
FROM facility_in_zone z JOIN exposure.facility f USING (id) ORDER BY f.class, f.country, f.name, f.code
"""
"""Facilities in each zone."""

LAND = """
SELECT z.event_id, z.kind, z.zone, u.country_code, u.country, u.province,
    ST_AsBinary(ST_CollectionExtract(ST_Collect(
        CASE WHEN ST_CoveredBy(p.geom, z.geom) THEN p.geom ELSE ST_Intersection(p.geom, z.geom) END), 3)) AS wkb
FROM zone_part z JOIN exposure.unit_part p ON ST_Intersects(z.geom, p.geom) JOIN exposure.unit u ON u.id = p.unit_id
WHERE z.event_id = $1
GROUP BY z.event_id, z.kind, z.zone, u.country_code, u.country, u.province
"""
"""Land of countries (province NULL) and of provinces in each zone of an event, in pieces."""

_SHAPE_OF_ADVISORIES = f"""
SELECT advisory, advisory_time, kind, wind_speed_kt, scope, time, ST_Union({_MADE_VALID}) AS geom
FROM ({ADVISORIES}) a WHERE event_id = $1 GROUP BY 1, 2, 3, 4, 5, 6
"""  # noqa: S608
ADVISORY_SHAPES = f"""
SELECT advisory, advisory_time, kind, wind_speed_kt, scope, time, ST_AsBinary(geom) AS wkb
FROM ({_SHAPE_OF_ADVISORIES}) a ORDER BY advisory_time, time, kind, wind_speed_kt DESC
"""  # noqa: S608
"""The zones of each advisory on a storm, in the order of `PEOPLE_OF_ADVISORIES`."""
ADVISORY_LAND = f"""
WITH part AS (SELECT ST_Subdivide(ST_Union(geom), 64) AS geom FROM ({_SHAPE_OF_ADVISORIES}) a)
SELECT ST_AsBinary(ST_CollectionExtract(ST_Collect(ST_Intersection(p.geom, z.geom)), 3)) AS wkb
FROM part z JOIN exposure.unit_part p ON ST_Intersects(z.geom, p.geom) JOIN exposure.unit u ON u.id = p.unit_id
WHERE u.province IS NULL
"""  # noqa: S608
"""All land that any advisory on a storm reaches, in pieces."""

PEOPLE_OF_ADVISORIES = f"""
WITH part AS (
    SELECT a.event_id, a.advisory, a.advisory_time, a.kind, a.wind_speed_kt, a.scope, a.time, p.geom
    FROM ({ADVISORIES}) a CROSS JOIN LATERAL ST_Subdivide({_MADE_VALID.replace("geom", "a.geom")}, 64) p(geom)
    WHERE a.event_id = ANY($1::text[])
), zone AS (
    SELECT DISTINCT event_id, advisory, advisory_time, kind, wind_speed_kt, scope, time FROM part
), member AS (
    SELECT DISTINCT z.event_id, z.advisory_time, z.kind, z.wind_speed_kt, z.scope, z.time, m.id
    FROM part z JOIN exposure.place m ON ST_Intersects(z.geom, m.geom)
), counted AS (
    SELECT m.event_id, m.advisory_time, m.kind, m.wind_speed_kt, m.scope, m.time, sum(p.people)::bigint AS people
    FROM member m JOIN exposure.place p USING (id) GROUP BY 1, 2, 3, 4, 5, 6
)
SELECT z.*, coalesce(c.people, 0) AS people
FROM zone z LEFT JOIN counted c USING (event_id, advisory_time, kind, wind_speed_kt, scope, time)
ORDER BY z.event_id, z.advisory_time, z.time, z.kind, z.wind_speed_kt DESC
"""  # noqa: S608
"""People in the zones of each advisory of some storms."""


CREATE SCHEMA IF NOT EXISTS exposure;
COMMENT ON SCHEMA exposure IS 'People and facilities that hazards may reach. Written by deploy.impact.';
CREATE SCHEMA IF NOT EXISTS impact;
COMMENT ON SCHEMA impact IS 'Impacts of events, computed from hazard and exposure by deploy.impact.';

CREATE TABLE IF NOT EXISTS exposure.dataset (
    dataset text PRIMARY KEY,
    title text NOT NULL,
    counts text NOT NULL,
    quality text NOT NULL CHECK (quality IN ('lower bound', 'estimate', 'incomplete list')),
    source text NOT NULL,
    licence text NOT NULL,
    licence_url text NOT NULL,
    vintage text NOT NULL,
    rows bigint NOT NULL,
    fingerprint text NOT NULL,
    loaded timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE exposure.dataset IS E'Exposure data sets\nSubject, date, publisher and licence of each data set.';
COMMENT ON COLUMN exposure.dataset.quality IS 'Quality. Quality of a sum over the data set: lower bound, estimate or incomplete list.';
COMMENT ON COLUMN exposure.dataset.vintage IS 'Vintage. Date of the data.';
COMMENT ON COLUMN exposure.dataset.fingerprint IS 'Fingerprint. Digest of the data and of the program that read them.';

CREATE TABLE IF NOT EXISTS exposure.place (
    id integer PRIMARY KEY,
    name text NOT NULL,
    country_code text NOT NULL,
    country text NOT NULL,
    province text,
    people bigint NOT NULL CHECK (people > 0),
    geom geometry(Point, 4326) NOT NULL
);
COMMENT ON TABLE exposure.place IS E'Populated places\nPlaces whose people are counted, each person once: no place within the reach of a larger one.';
COMMENT ON COLUMN exposure.place.province IS 'Province. Name of the first-level division; empty where it is not known.';
CREATE INDEX IF NOT EXISTS place_geom ON exposure.place USING gist (geom);
-- for circles, which are measured on the ellipsoid
CREATE INDEX IF NOT EXISTS place_geography ON exposure.place USING gist ((geom::geography));

CREATE TABLE IF NOT EXISTS exposure.facility (
    id integer PRIMARY KEY,
    kind text NOT NULL,
    class text NOT NULL,
    code text NOT NULL,
    name text NOT NULL,
    country_code text NOT NULL,
    country text NOT NULL,
    province text,
    geom geometry(Point, 4326) NOT NULL
);
COMMENT ON TABLE exposure.facility IS E'Facilities\nAirports and ports; rows of other kinds may be added.';
COMMENT ON COLUMN exposure.facility.kind IS 'Kind. For example airport.';
COMMENT ON COLUMN exposure.facility.class IS 'Class. Which facilities of the kind, such as scheduled.';
CREATE INDEX IF NOT EXISTS facility_geom ON exposure.facility USING gist (geom);
CREATE INDEX IF NOT EXISTS facility_geography ON exposure.facility USING gist ((geom::geography));

CREATE TABLE IF NOT EXISTS exposure.unit (
    id integer PRIMARY KEY,
    country_code text,
    country text NOT NULL,
    province text,
    geom geometry(MultiPolygon, 4326) NOT NULL
);
COMMENT ON TABLE exposure.unit IS E'Administrative units\nLand of countries, and of provinces, of which areas within zones are computed; rows may be added.';
COMMENT ON COLUMN exposure.unit.country_code IS 'Country code. ISO 3166-1 alpha-2; empty for areas without one.';
COMMENT ON COLUMN exposure.unit.province IS 'Province. Empty for the land of a whole country.';
CREATE TABLE IF NOT EXISTS exposure.unit_part (
    unit_id integer NOT NULL REFERENCES exposure.unit ON DELETE CASCADE,
    km2 double precision NOT NULL,
    geom geometry(Polygon, 4326) NOT NULL
);
COMMENT ON TABLE exposure.unit_part IS E'Parts of administrative units\nUnits cut up into small parts, which deploy.impact makes.';
COMMENT ON COLUMN exposure.unit_part.km2 IS 'Area. On the ellipsoid. [km2]';
CREATE INDEX IF NOT EXISTS unit_part_geom ON exposure.unit_part USING gist (geom);
CREATE INDEX IF NOT EXISTS unit_part_unit_id ON exposure.unit_part (unit_id);

CREATE TABLE IF NOT EXISTS exposure.unit_table (
    unit_id integer PRIMARY KEY REFERENCES exposure.unit ON DELETE CASCADE,
    relation text NOT NULL
);
COMMENT ON TABLE exposure.unit_table IS E'Origin of administrative units\nUnits from the tables that the collections file names.';
CREATE TABLE IF NOT EXISTS exposure.place_unit (
    place_id integer PRIMARY KEY REFERENCES exposure.place ON DELETE CASCADE,
    unit_id integer NOT NULL REFERENCES exposure.unit ON DELETE CASCADE
);
COMMENT ON TABLE exposure.place_unit IS E'Units of places\nThe unit of a configured table in which a place lies; it replaces the province of the place.';
CREATE INDEX IF NOT EXISTS place_unit_unit_id ON exposure.place_unit (unit_id);

CREATE TABLE IF NOT EXISTS exposure.problem (
    dataset text PRIMARY KEY,
    problem text NOT NULL
);
COMMENT ON TABLE exposure.problem IS E'Missing exposure data\nData sets that the collections file names and that cannot be used, and why.';

CREATE TABLE IF NOT EXISTS impact.worker (
    id integer PRIMARY KEY CHECK (id = 1),
    seen timestamptz NOT NULL,
    error text
);
COMMENT ON TABLE impact.worker IS E'Worker of impacts\nWhen the worker last looked at the data.';
COMMENT ON COLUMN impact.worker.error IS 'Error. The last error, while it lasts; empty if the last look succeeded.';

CREATE TABLE IF NOT EXISTS impact.event (
    event_id text PRIMARY KEY,
    segment text NOT NULL,
    hazard text NOT NULL CHECK (hazard IN ('storm', 'earthquake', 'flood')),
    digest text NOT NULL,
    computed timestamptz NOT NULL DEFAULT now(),
    has_zones boolean NOT NULL,
    has_facilities boolean NOT NULL,
    headline jsonb,
    impact jsonb NOT NULL,
    facilities jsonb NOT NULL
);
COMMENT ON TABLE impact.event IS E'Impacts of events\nTables of people and of facilities in the zones of each event. An event without a row is not computed yet.';
COMMENT ON COLUMN impact.event.segment IS 'Segment. The identifier as a segment of an address, escaped.';
COMMENT ON COLUMN impact.event.digest IS 'Digest. Digest of the rows, data sets and program that the tables are computed from.';
COMMENT ON COLUMN impact.event.has_zones IS 'Zones. True if the event has zones in which people can be counted.';
COMMENT ON COLUMN impact.event.has_facilities IS 'Facilities. True if facilities in these zones were counted.';
COMMENT ON COLUMN impact.event.headline IS 'Headline. The figure that the event is presented with; empty without zones.';

CREATE TABLE IF NOT EXISTS impact.raster (
    event_id text PRIMARY KEY REFERENCES impact.event ON DELETE CASCADE,
    digest text NOT NULL,
    tif bytea NOT NULL
);
-- the content is compressed already
ALTER TABLE impact.raster ALTER COLUMN tif SET STORAGE EXTERNAL;
COMMENT ON TABLE impact.raster IS E'Rasters of events\nWind or shaking of each event as a cloud-optimised GeoTIFF.';
COMMENT ON COLUMN impact.raster.digest IS 'Digest. That of the tables which were computed with the raster.';

CREATE TABLE IF NOT EXISTS impact.zone (
    event_id text NOT NULL REFERENCES impact.event ON DELETE CASCADE,
    kind text NOT NULL,
    zone text NOT NULL,
    geom geometry(MultiPolygon, 4326) NOT NULL,
    PRIMARY KEY (event_id, kind, zone)
);
COMMENT ON TABLE impact.zone IS E'Zones of events\nAreas of zones that deploy.impact computes from contours or by a model. The tables of schema hazard have the others.';
SELECT dams.watch('impact.event');

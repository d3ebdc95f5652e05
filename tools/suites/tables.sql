-- Three made-up tables for the suites of the OGC, stored in EPSG:3857, EPSG:25832 and EPSG:3031: schema `trial`.
-- The suite brings two corners of a collection's box into each CRS, so the tables lie where all between them stays
-- between them: beside the middle of their CRS. The corners themselves are the last rows, beyond the first page.
CREATE SCHEMA IF NOT EXISTS trial;
GRANT USAGE ON SCHEMA trial TO PUBLIC;
DROP TABLE IF EXISTS trial.mercator, trial.utm32, trial.polar;
SELECT setseed(0.25);

CREATE TABLE trial.mercator AS
SELECT n AS id, n % 7 AS kind, ST_Transform(ST_SetSRID(CASE n
    WHEN 1999 THEN ST_MakePoint(-170, -70) WHEN 2000 THEN ST_MakePoint(170, 80)
    ELSE ST_MakePoint(-169 + random() * 338, -69 + random() * 148) END, 4326), 3857)::geometry(Point, 3857) AS geom
FROM generate_series(1, 2000) AS n;

CREATE TABLE trial.utm32 AS
SELECT n AS id, n % 7 AS kind, ST_Transform(ST_SetSRID(CASE n
    WHEN 2999 THEN ST_MakePoint(9, 47) WHEN 3000 THEN ST_MakePoint(10, 55)
    ELSE ST_MakePoint(9.01 + random() * 0.75, 47.1 + random() * 7.7) END, 4326), 25832)::geometry(Point, 25832) AS geom
FROM generate_series(1, 3000) AS n;

CREATE TABLE trial.polar AS
SELECT n AS id, n % 7 AS kind, ST_Transform(ST_SetSRID(CASE n
    WHEN 2999 THEN ST_MakePoint(0, -80) WHEN 3000 THEN ST_MakePoint(3, -65)
    ELSE ST_MakePoint(0.01 + random() * 2.9, -79 + random() * 12) END, 4326), 3031)::geometry(Point, 3031) AS geom
FROM generate_series(1, 3000) AS n;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['mercator', 'utm32', 'polar'] LOOP
        EXECUTE format('ALTER TABLE trial.%I ADD PRIMARY KEY (id)', name);
        EXECUTE format('CREATE INDEX ON trial.%I USING gist (geom)', name);
        EXECUTE format('GRANT SELECT ON trial.%I TO PUBLIC', name);
        EXECUTE format('ANALYZE trial.%I', name);
    END LOOP;
END $$;

-- Tables that only tiles have trouble with.
CREATE TYPE placed.level AS ENUM ('low', 'high', 'Middle');
CREATE TABLE placed.graded (
    id integer PRIMARY KEY, level placed.level, price money, day date, "geom" geometry(Point, 4326),
    "other &geom=1#{z}" geometry(Point, 4326), small smallint, large oid
);
INSERT INTO placed.graded VALUES
    (-5, 'high', '-$1,234.50', '2020-01-01', 'SRID=4326;POINT(1 1)', 'SRID=4326;POINT(11 1)', -32768, 4294967295),
    (7, 'low', '$2.00', '10000-01-01', 'SRID=4326;POINT(2 2)', NULL, NULL, NULL),
    (8, 'Middle', NULL, NULL, 'SRID=4326;POINT(3 3)', NULL, NULL, NULL);
CREATE TABLE placed.spheres (id integer PRIMARY KEY, geom geography(Point, 4326));
INSERT INTO placed.spheres
SELECT row_number() OVER (), ST_MakePoint(x, y)::geography
FROM generate_series(-177, 177, 6) x, generate_series(-81, 81, 6) y;
CREATE INDEX ON placed.spheres USING gist (geom);
CREATE TABLE placed.astray (id integer PRIMARY KEY, geom geometry(Geometry));
INSERT INTO placed.astray VALUES
    (1, 'POINT(500000 4600000)'), (2, 'LINESTRING(0 0, 500000 4600000)'), (3, 'POINT(10 10)'),
    (4, 'POLYGON((0 0, 4 4, 4 0, 0 4, 0 0))'), (5, ST_MakeLine(ST_MakePoint(0, 0), ST_MakePoint('NaN', 1))), (6, ST_MakePoint('Infinity', 0));
CREATE TABLE placed.projected (id integer PRIMARY KEY, geom geometry(Point, 3857));
INSERT INTO placed.projected SELECT id, ST_Transform(geom, 3857) FROM placed.points WHERE abs(ST_Y(geom)) < 86;
CREATE INDEX ON placed.projected USING gist (geom);
-- Rows that must not cost the others their tile: not finite, out of this world, crossing themselves, of odd types.
CREATE TABLE placed.invalid (id integer PRIMARY KEY, what text, geom geometry(Geometry, 4326));
INSERT INTO placed.invalid SELECT row_number() OVER (), what, ST_SetSRID(ST_Force2D(shape), 4326) FROM (VALUES
    ('healthy area', 'POLYGON((10 10, 20 10, 20 20, 10 20, 10 10))'::geometry),
    ('healthy place', 'POINT(15 40)'),
    ('nowhere', ST_MakePoint('NaN', 'NaN')),
    ('infinite place', ST_MakePoint('Infinity', 5)),
    ('far away', ST_MakePoint(1e300, -1e300)),
    ('beyond the pole', ST_MakePoint(10, 95)),
    ('line by way of nowhere', ST_MakeLine(ARRAY[ST_MakePoint(0, 0), ST_MakePoint('NaN', 1), ST_MakePoint(5, 5)])),
    ('infinite line', ST_MakeLine(ARRAY[ST_MakePoint(0, 0), ST_MakePoint('Infinity', 1), ST_MakePoint(5, 5)])),
    ('area by way of nowhere', ST_MakePolygon(ST_MakeLine(ARRAY[ST_MakePoint(0, 0), ST_MakePoint('NaN', 1), ST_MakePoint(5, 5), ST_MakePoint(0, 0)]))),
    ('infinite area', ST_MakePolygon(ST_MakeLine(ARRAY[ST_MakePoint(0, 0), ST_MakePoint('Infinity', 1), ST_MakePoint(5, 5), ST_MakePoint(0, 0)]))),
    ('huge area', 'POLYGON((0 0, 1e300 1, 5 5e300, 0 0))'),
    ('bow', 'POLYGON((0 0, 10 10, 10 0, 0 10, 0 0))'),
    ('flat', 'POLYGON((0 0, 10 0, 5 0, 0 0))'),
    ('more than the world', 'POLYGON((-1000 -1000, 1000 -1000, 1000 1000, -1000 1000, -1000 -1000))'),
    ('surface', 'POLYHEDRALSURFACE(((30 0 0, 30 10 0, 40 10 0, 40 0 0, 30 0 0)))'),
    ('network', 'TIN(((50 0 0, 50 10 0, 60 10 0, 50 0 0)))'),
    ('triangle', 'TRIANGLE((70 0, 70 10, 80 10, 70 0))')
) AS shapes (what, shape);
-- 3,000 corners and millions of crossings
INSERT INTO placed.invalid
SELECT 100, 'scribble', ST_MakePolygon(ST_AddPoint(line, ST_StartPoint(line)))
FROM (SELECT ST_SetSRID(ST_MakeLine(ST_MakePoint(50 * sin(n * 1.7), 40 * cos(n * 2.3)) ORDER BY n), 4326) AS line
    FROM generate_series(1, 3000) n) AS lines;
-- Columns whose type alone says that vector tiles do not know it.
CREATE TABLE placed.surfaces (id integer PRIMARY KEY, geom geometry(PolyhedralSurface, 4326));
INSERT INTO placed.surfaces VALUES (1, 'SRID=4326;POLYHEDRALSURFACE(((30 0, 30 10, 40 10, 40 0, 30 0)))');
CREATE TABLE placed.networks (id integer PRIMARY KEY, geom geometry(Tin, 4326));
INSERT INTO placed.networks VALUES (1, 'SRID=4326;TIN(((50 0, 50 10, 60 10, 50 0)))');
CREATE TABLE placed.triangles (id integer PRIMARY KEY, geom geometry(Triangle, 4326));
INSERT INTO placed.triangles VALUES (1, 'SRID=4326;TRIANGLE((70 0, 70 10, 80 10, 70 0))');

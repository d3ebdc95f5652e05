-- Tables that only tiles have trouble with.
CREATE TYPE placed.level AS ENUM ('low', 'high', 'Middle');
CREATE TABLE placed.graded (
    id integer PRIMARY KEY, level placed.level, price money, day date, "geom" geometry(Point, 4326),
    "other &geom=1#{z}" geometry(Point, 4326)
);
INSERT INTO placed.graded VALUES
    (-5, 'high', '-$1,234.50', '2020-01-01', 'SRID=4326;POINT(1 1)', 'SRID=4326;POINT(11 1)'),
    (7, 'low', '$2.00', '10000-01-01', 'SRID=4326;POINT(2 2)', NULL),
    (8, 'Middle', NULL, NULL, 'SRID=4326;POINT(3 3)', NULL);
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

-- Names, types and geometries that go wrong somewhere. One schema with everything a database may hold.
CREATE SCHEMA hostile;
CREATE SCHEMA "Odd schema ☂";

-- The well-behaved one, which paging, caching and tiles are tested with.
CREATE TABLE hostile.events (
    id integer PRIMARY KEY,
    name text NOT NULL,
    magnitude double precision,
    category varchar(20),
    at timestamptz NOT NULL,
    geom geometry(Point, 4326)
);
INSERT INTO hostile.events
SELECT
    n,
    'event ' || n,
    CASE WHEN n % 7 <> 0 THEN (n % 40) / 5.0 END,
    (ARRAY['low', 'middle', 'high'])[1 + n % 3],
    timestamptz '2020-01-01Z' + n * interval '1 day',
    ST_SetSRID(ST_MakePoint(-179 + (n * 37) % 358, -84 + (n * 53) % 168), 4326)
FROM generate_series(1, 237) n;
CREATE INDEX ON hostile.events USING gist (geom);
CREATE INDEX ON hostile.events (at);
COMMENT ON TABLE hostile.events IS E'Events\nWell-behaved rows.';
COMMENT ON COLUMN hostile.events.magnitude IS 'Magnitude. How strong. [Mw]';

-- Names.
CREATE TABLE hostile."a b" (
    "select" integer PRIMARY KEY,
    "émoji 🌋" text,
    "Quote""d" text,
    "UPPER" text,
    "a,b" text,
    "limit" integer,
    "f" text,
    "<b>&amp;" text,
    "%s {x} $1" text,
    "geom 2&x=1#y" geometry(Point, 4326)
);
INSERT INTO hostile."a b"
SELECT n, 'lava ' || n, 'say "' || n || '"', 'ABC', 'comma', n, 'html', '<script>alert(' || n || ')</script>', '{}',
    ST_SetSRID(ST_MakePoint(n, n), 4326)
FROM generate_series(1, 3) n;
COMMENT ON TABLE hostile."a b" IS '<img src=x onerror=alert(1)>';
CREATE TABLE hostile."select" (id integer PRIMARY KEY, "from" text);
INSERT INTO hostile."select" VALUES (1, 'where');
CREATE TABLE hostile."émoji 🌋/table?x=1#y%41" (id integer PRIMARY KEY, geom geometry(Point, 4326));
INSERT INTO hostile."émoji 🌋/table?x=1#y%41" VALUES (1, 'SRID=4326;POINT(14.4 40.8)');
CREATE TABLE hostile."Quote""d; DROP TABLE hostile.events; --" (id integer PRIMARY KEY, "it's" text);
INSERT INTO hostile."Quote""d; DROP TABLE hostile.events; --" VALUES (1, 'fine');
CREATE TABLE hostile."UPPER" ("ID" integer PRIMARY KEY, "GEOM" geometry(Point, 4326));
INSERT INTO hostile."UPPER" VALUES (1, 'SRID=4326;POINT(1 2)');
CREATE TABLE "Odd schema ☂"."T able" (id integer PRIMARY KEY, v text, geom geometry(Point, 4326));
INSERT INTO "Odd schema ☂"."T able" VALUES (1, 'x', 'SRID=4326;POINT(3 4)');

DO $$
BEGIN
    EXECUTE 'CREATE TABLE hostile.wide (id integer PRIMARY KEY, '
        || (SELECT string_agg(format('column_%s integer', n), ', ') FROM generate_series(1, 200) n)
        || ', geom geometry(Point, 4326))';
END
$$;
INSERT INTO hostile.wide (id, column_1, column_200, geom) VALUES (1, 10, 2000, 'SRID=4326;POINT(5 6)');

-- Coordinate reference systems.
CREATE TABLE hostile.srid_0 (id integer PRIMARY KEY, geom geometry(Point));
INSERT INTO hostile.srid_0 VALUES (1, 'POINT(7 8)'), (2, 'POINT(-170 -80)');
CREATE TABLE hostile.srid_3857 (id integer PRIMARY KEY, geom geometry(Geometry, 3857));
INSERT INTO hostile.srid_3857 VALUES
    (1, ST_Transform('SRID=4326;POINT(9 10)'::geometry, 3857)),
    (2, ST_Transform('SRID=4326;POLYGON((10 10, 20 10, 20 20, 10 20, 10 10))'::geometry, 3857)),
    (3, ST_Transform('SRID=4326;LINESTRING(-179 60, 179 60)'::geometry, 3857));
CREATE INDEX ON hostile.srid_3857 USING gist (geom);
CREATE TABLE hostile.srid_2193 (id integer PRIMARY KEY, geom geometry(Point, 2193));
INSERT INTO hostile.srid_2193 VALUES
    (1, ST_Transform('SRID=4326;POINT(174.78 -41.29)'::geometry, 2193)),
    (2, ST_Transform('SRID=4326;POINT(-176.5 -44)'::geometry, 2193));
CREATE INDEX ON hostile.srid_2193 USING gist (geom);
CREATE TABLE hostile.geographies (id integer PRIMARY KEY, geom geography(Geometry, 4326));
INSERT INTO hostile.geographies VALUES
    (1, 'POINT(174.78 -41.29)'),
    (2, 'POLYGON((-10 -10, 10 -10, 10 10, -10 10, -10 -10))'),
    (3, 'LINESTRING(170 50, -170 50)'),
    (4, NULL);
CREATE INDEX ON hostile.geographies USING gist (geom);
-- No type modifier: rows carry what they carry.
CREATE TABLE hostile.mixed_srids (id integer PRIMARY KEY, geom geometry);
INSERT INTO hostile.mixed_srids VALUES
    (1, 'SRID=4326;POINT(30 10)'),
    (2, ST_Transform('SRID=4326;POINT(31 11)'::geometry, 3857)),
    (3, ST_Transform('SRID=4326;POINT(175 -40)'::geometry, 2193)),
    (4, 'POINT(33 13)'),
    (5, NULL);
CREATE INDEX ON hostile.mixed_srids USING gist (geom);

-- Kinds of geometry.
CREATE TABLE hostile.mixed_types (id integer PRIMARY KEY, geom geometry(Geometry, 4326));
INSERT INTO hostile.mixed_types VALUES
    (1, 'SRID=4326;POINT(1 1)'),
    (2, 'SRID=4326;MULTIPOINT((1 1), (2 2))'),
    (3, 'SRID=4326;LINESTRING(0 0, 1 1)'),
    (4, 'SRID=4326;MULTILINESTRING((0 0, 1 1), (2 2, 3 3))'),
    (5, 'SRID=4326;POLYGON((0 0, 0 10, 10 10, 10 0, 0 0), (2 2, 4 2, 4 4, 2 4, 2 2))'),
    (6, 'SRID=4326;MULTIPOLYGON(((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5)))'),
    (7, 'SRID=4326;GEOMETRYCOLLECTION(POINT(1 1), LINESTRING(0 0, 1 1), GEOMETRYCOLLECTION(POINT(2 2)))'),
    (8, NULL),
    (9, 'SRID=4326;POINT EMPTY'),
    (10, 'SRID=4326;POLYGON EMPTY'),
    (11, 'SRID=4326;GEOMETRYCOLLECTION EMPTY'),
    (12, 'SRID=4326;CIRCULARSTRING(0 0, 1 1, 2 0)'),
    (13, 'SRID=4326;CURVEPOLYGON(CIRCULARSTRING(0 0, 4 0, 4 4, 0 4, 0 0))'),
    (14, 'SRID=4326;COMPOUNDCURVE(CIRCULARSTRING(0 0, 1 1, 2 0), (2 0, 3 0))'),
    (15, 'SRID=4326;MULTISURFACE(CURVEPOLYGON(CIRCULARSTRING(0 0, 4 0, 4 4, 0 4, 0 0)), ((10 10, 14 12, 11 10, 10 10)))');
CREATE TABLE hostile.dimensions (id integer PRIMARY KEY, geom geometry);
INSERT INTO hostile.dimensions VALUES
    (1, 'SRID=4326;POINT Z (1 2 3)'),
    (2, 'SRID=4326;POINT M (1 2 3)'),
    (3, 'SRID=4326;LINESTRING ZM (1 2 3 4, 5 6 7 8)'),
    (4, 'SRID=4326;POLYGON Z ((0 0 1, 4 0 1, 4 4 1, 0 0 1))');
CREATE TABLE hostile.point_m (id integer PRIMARY KEY, geom geometry(PointM, 4326));
INSERT INTO hostile.point_m VALUES (1, 'SRID=4326;POINT M (11 12 13)');
CREATE TABLE hostile.line_zm (id integer PRIMARY KEY, geom geometry(LineStringZM, 4326));
INSERT INTO hostile.line_zm VALUES (1, 'SRID=4326;LINESTRING ZM (11 12 13 14, 15 16 17 18)');
CREATE TABLE hostile.planet (id integer PRIMARY KEY, what text, geom geometry(Geometry, 4326));
INSERT INTO hostile.planet VALUES
    (1, 'box over the antimeridian', 'SRID=4326;MULTIPOLYGON(((170 -10, 180 -10, 180 10, 170 10, 170 -10)), ((-180 -10, -170 -10, -170 10, -180 10, -180 -10)))'),
    (2, 'south polar cap', 'SRID=4326;POLYGON((-180 -90, 180 -90, 180 -60, -180 -60, -180 -90))'),
    (3, 'north pole', 'SRID=4326;POINT(0 90)'),
    (4, 'all the world', 'SRID=4326;POLYGON((-180 -90, 180 -90, 180 90, -180 90, -180 -90))'),
    (5, 'line along the antimeridian', 'SRID=4326;LINESTRING(180 -80, 180 80)');
CREATE INDEX ON hostile.planet USING gist (geom);

-- Several geometry and datetime columns.
CREATE TABLE hostile.several (
    id integer PRIMARY KEY,
    born date,
    seen timestamp,
    reported timestamptz,
    place geometry(Point, 4326),
    area geometry(Polygon, 3857),
    path geography(LineString)
);
INSERT INTO hostile.several VALUES
    (1, '2020-01-01', '2020-06-01 12:00:00.25', '2020-12-01 12:00:00+02', 'SRID=4326;POINT(1 1)',
     ST_Transform('SRID=4326;POLYGON((40 40, 41 40, 41 41, 40 40))'::geometry, 3857), 'LINESTRING(-60 -60, -61 -61)'),
    (2, NULL, NULL, NULL, NULL, NULL, NULL);

-- Types.
CREATE TYPE hostile.level AS ENUM ('low', 'high', 'a "quoted", one', 'Middle');
CREATE TYPE hostile.pair AS (a integer, b text);
CREATE DOMAIN hostile.whole AS integer CHECK (VALUE >= 0);
CREATE DOMAIN hostile.whole_again AS hostile.whole;
CREATE DOMAIN hostile.place AS geometry(Point, 4326);
CREATE TABLE hostile.types (
    id bigint PRIMARY KEY,
    small smallint,
    single real,
    exact numeric(12, 3),
    unbounded numeric,
    flag boolean,
    words text,
    short varchar(10),
    fixed char(5),
    one_byte "char",
    identifier name,
    level hostile.level,
    whole hostile.whole,
    whole_again hostile.whole_again,
    pair hostile.pair,
    numbers integer[],
    texts text[],
    levels hostile.level[],
    document jsonb,
    loose json,
    uid uuid,
    raw bytea,
    span int4range,
    spans int4multirange,
    during tstzrange,
    lasting interval,
    clock time,
    zoned timetz,
    address inet,
    price money,
    bits bit varying,
    spot point,
    markup xml,
    search tsvector,
    place hostile.place
);
INSERT INTO hostile.types VALUES
    (9007199254740993, -7, 6.1, -12.500, 12345678901234567890.123456789, true, E'line\nbreak "quoted" \\ ; , \t', '=1+1',
     'ab', 'x', 'nm', 'a "quoted", one', 3, 4, (1, 'x'), '{1,NULL,3}', '{"a,b",NULL,"c\"d"}', '{low,high}',
     '{"a": [1, 2.50, null, "é"], "__proto__": 1}', '{"dup": 1, "dup": 2}', '00000000-0000-0000-0000-000000000001',
     '\xdeadbeef', '[1,5)', '{[1,5),[7,9)}', '[2020-01-01Z,)', '1 year 2 months 3 days 04:05:06.789', '23:59:59.5',
     '12:00:00+05', '10.0.0.0/8', '-$1,234.50', '101', '(1,2)', '<a>&amp;</a>', 'fat:1 cat:2',
     'SRID=4326;POINT(20 21)'),
    (-1, 7, 'NaN', 'NaN', 'Infinity', false, '', '', '', '', '', 'low', 0, 0, NULL, '{}', '{}', '{}', 'null', '[]',
     NULL, '', 'empty', '{}', 'empty', '-1 day', '24:00', '00:00+00', '::1', '$0.00', '', '(0,0)', NULL, '', NULL),
    (3, NULL, '-Infinity', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
     NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

-- Keys.
CREATE TABLE hostile.no_key (n integer, word text, geom geometry(Point, 4326));
INSERT INTO hostile.no_key SELECT n, 'word ' || n % 3, ST_SetSRID(ST_MakePoint(n, 0), 4326) FROM generate_series(1, 45) n;
CREATE TABLE hostile.two_keys (a integer, b integer, geom geometry(Point, 4326), PRIMARY KEY (a, b));
INSERT INTO hostile.two_keys SELECT n % 5, n, NULL FROM generate_series(1, 25) n;
CREATE TABLE hostile.text_key (code text PRIMARY KEY, n integer);
INSERT INTO hostile.text_key SELECT code, row_number() OVER () FROM unnest(ARRAY[
    'plain', 'a/b', '100%', 'with space', 'ünï ☃', '?x=1&y=2#z', '{brace}', '+plus+', '%2F', '%', '"quoted"', 'back\slash',
    ';semi', 'a''b', '<i>', ':', '@', '12', 'NULL', '~tilde', E'tab\there', '0', '.hidden', 'a,b']) AS code;
CREATE TABLE hostile.varchar_key (code varchar(12) PRIMARY KEY, n integer);
INSERT INTO hostile.varchar_key SELECT 'K' || lpad(n::text, 3, '0'), n FROM generate_series(1, 25) n;
CREATE TABLE hostile.uuid_key (uid uuid PRIMARY KEY, n integer);
INSERT INTO hostile.uuid_key SELECT md5(n::text)::uuid, n FROM generate_series(1, 25) n;
CREATE TABLE hostile.enum_key (level hostile.level PRIMARY KEY, n integer);
INSERT INTO hostile.enum_key VALUES ('low', 1), ('high', 2), ('Middle', 3);
CREATE TABLE hostile.numeric_key (n numeric PRIMARY KEY, v text);
INSERT INTO hostile.numeric_key SELECT n + 0.5, 'v' FROM generate_series(1, 12) n;
CREATE TABLE hostile.date_key (day date PRIMARY KEY, v integer);
INSERT INTO hostile.date_key SELECT date '2020-01-01' + n, n FROM generate_series(1, 12) n;
CREATE TABLE hostile.boolean_key (yes boolean PRIMARY KEY, v integer);
INSERT INTO hostile.boolean_key VALUES (true, 1), (false, 2);

-- Relations of every kind.
CREATE VIEW hostile.event_view AS SELECT id, name, magnitude, category, at, geom FROM hostile.events;
CREATE MATERIALIZED VIEW hostile.event_matview AS SELECT * FROM hostile.events;
CREATE UNIQUE INDEX ON hostile.event_matview (id);
CREATE TABLE hostile.parted (id integer PRIMARY KEY, v text, geom geometry(Point, 4326)) PARTITION BY RANGE (id);
CREATE TABLE hostile.parted_1 PARTITION OF hostile.parted FOR VALUES FROM (0) TO (20);
CREATE TABLE hostile.parted_2 PARTITION OF hostile.parted DEFAULT;
INSERT INTO hostile.parted SELECT n, 'v' || n, ST_SetSRID(ST_MakePoint(n, n), 4326) FROM generate_series(1, 40) n;
CREATE TABLE hostile.empty (id integer PRIMARY KEY, at timestamptz, geom geometry(Polygon, 4326));
CREATE TABLE hostile.no_geometry (id integer PRIMARY KEY, v text);
INSERT INTO hostile.no_geometry SELECT n, 'v' || n FROM generate_series(1, 15) n;
CREATE TABLE hostile.no_columns ();
CREATE TABLE hostile.forbidden (id integer PRIMARY KEY, secret text);
INSERT INTO hostile.forbidden VALUES (1, 'secret');
CREATE TABLE hostile.half_forbidden (id integer PRIMARY KEY, open text, secret text);

-- Large rows, for the bounds on memory: 400 polygons of 2,000 corners.
CREATE TABLE hostile.heavy (id integer PRIMARY KEY, geom geometry(Polygon, 4326));
INSERT INTO hostile.heavy
SELECT n, ST_Buffer(ST_SetSRID(ST_MakePoint(n % 100, n / 100), 4326), 0.4, 500) FROM generate_series(1, 400) n;
-- Many rows, for streamed answers.
CREATE TABLE hostile.many (id integer PRIMARY KEY, word text, geom geometry(Point, 4326));
INSERT INTO hostile.many
SELECT n, md5(n::text), ST_SetSRID(ST_MakePoint(n % 360 - 180, n % 170 - 85), 4326) FROM generate_series(1, 12000) n;
ANALYZE;

CREATE TABLE hostile.moments (at timestamptz PRIMARY KEY, day date, seen timestamp);
INSERT INTO hostile.moments VALUES
    ('2020-01-01T01:00:00.25+01:00', '2020-01-01', '2020-01-01 00:00:00.000001'),
    ('2020-01-02T00:00:00Z', 'infinity', '-infinity'),
    ('2020-01-03T00:00:00Z', '0044-03-15 BC', '0044-03-15 12:00:00 BC'),
    ('2020-01-04T00:00:00Z', '10000-01-01', '10000-01-01'),
    ('2020-01-05T00:00:00Z', '0001-01-01', '9999-12-31 23:59:59.999999'),
    ('2020-01-06T00:00:00Z', NULL, NULL);

CREATE TABLE hostile.long_ago (id integer PRIMARY KEY, at timestamptz, brief timestamp(3) with time zone, day date);
INSERT INTO hostile.long_ago VALUES
    (1, '0044-03-15 12:00:00+00 BC', '2024-05-01T10:30:00.25Z', '-infinity'),
    (2, '2020-01-01T00:00:00Z', '2024-05-01T10:30:00Z', '2020-01-01');
CREATE TABLE hostile.odd_keys (id text PRIMARY KEY);
INSERT INTO hostile.odd_keys VALUES ('a&b'), ('a%26b');

GRANT USAGE ON SCHEMA hostile, "Odd schema ☂" TO dams_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA hostile, "Odd schema ☂" TO dams_reader;
REVOKE ALL ON hostile.forbidden, hostile.half_forbidden FROM dams_reader;
GRANT SELECT (id, open) ON hostile.half_forbidden TO dams_reader;
SELECT dams.watch(t) FROM unnest(ARRAY['hostile.events', 'hostile.parted']::regclass[]) t;

-- Tables like those of hazards. Every value is a hash of (seed, row, column), so it is the same on every machine, with
-- every plan and number of rows. Applied piece by piece by data.py, which fills in {seed}, {table} and {rows}.

-- piece: functions
CREATE OR REPLACE FUNCTION pg_temp.u(id bigint, salt bigint) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT ((hashint8extended(id, {seed} * 100000 + salt) >> 11) & 9007199254740991)::float8 / 9007199254740992 $$;

CREATE OR REPLACE FUNCTION pg_temp.normal(id bigint, salt bigint) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT sqrt(-2 * ln(1 - pg_temp.u(id, salt))) * cos(2 * pi() * pg_temp.u(id, salt + 500)) $$;

CREATE OR REPLACE FUNCTION pg_temp.pick(choices text[], part float8) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT choices[1 + floor(part * cardinality(choices))::int] $$;

-- Seven points in eight lie along 48 belts, as earthquakes do along plates; the others are anywhere.
CREATE OR REPLACE FUNCTION pg_temp.longitude(id bigint) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT round((-180 + 360 * (x - floor(x)))::numeric, 4)::float8 FROM (SELECT CASE
    WHEN pg_temp.u(id, 1) < 0.125 THEN pg_temp.u(id, 2)
    ELSE pg_temp.u(k, 901) + (pg_temp.u(id, 3) * 45 * (pg_temp.u(k, 903) - 0.5) * 2 + pg_temp.normal(id, 4)) / 360
    END AS x FROM (SELECT floor(pg_temp.u(id, 5) * 48)::bigint AS k OFFSET 0) AS belt) AS place $$;

CREATE OR REPLACE FUNCTION pg_temp.latitude(id bigint) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT round(least(84, greatest(-84, y))::numeric, 4)::float8 FROM (SELECT CASE
    WHEN pg_temp.u(id, 1) < 0.125 THEN degrees(asin(2 * pg_temp.u(id, 6) - 1))
    ELSE -50 + 110 * pg_temp.u(k, 902) + pg_temp.u(id, 3) * 30 * (pg_temp.u(k, 904) - 0.5) * 2 + pg_temp.normal(id, 7)
    END AS y FROM (SELECT floor(pg_temp.u(id, 5) * 48)::bigint AS k OFFSET 0) AS belt) AS place $$;

-- piece: points
CREATE TABLE {table} (
    id integer PRIMARY KEY,
    event_id text NOT NULL,
    title text,
    place text,
    magnitude double precision,
    magnitude_type text,
    depth double precision,
    event_date timestamptz NOT NULL,
    updated timestamptz,
    source text,
    network text,
    event_type text,
    status text,
    significance integer,
    felt integer,
    alert_level text,
    tsunami boolean,
    url text,
    geom geometry(Point, 4326) NOT NULL
);
INSERT INTO {table}
SELECT id,
    format('%s%s', network, lpad(to_hex(hashint8extended(id, {seed})), 16, '0')),
    format('M %s - %s', to_char(magnitude, 'FM0.0'), place),
    place,
    magnitude,
    pg_temp.pick(ARRAY['ml', 'md', 'mb', 'mww', 'mwr'], pg_temp.u(id, 20)),
    round((700 * power(pg_temp.u(id, 21), 3))::numeric, 2)::float8,
    event_date,
    event_date + make_interval(secs => floor(86400 * 30 * pg_temp.u(id, 22))),
    'generated',
    network,
    CASE WHEN pg_temp.u(id, 23) < 0.97 THEN 'earthquake' ELSE 'quarry blast' END,
    CASE WHEN pg_temp.u(id, 24) < 0.8 THEN 'reviewed' ELSE 'automatic' END,
    floor(magnitude * magnitude * 20)::int,
    CASE WHEN magnitude > 4 THEN floor(1000 * pg_temp.u(id, 25))::int END,
    CASE WHEN magnitude > 5 THEN pg_temp.pick(ARRAY['green', 'yellow', 'orange', 'red'], power(pg_temp.u(id, 26), 3)) END,
    magnitude > 6 AND pg_temp.u(id, 27) < 0.3,
    format('https://earthquakes.example.org/events/%s/summary', id),
    ST_SetSRID(ST_MakePoint(pg_temp.longitude(id), pg_temp.latitude(id)), 4326)
FROM (
    SELECT id,
        least(9.1, round((2.5 - ln(1 - pg_temp.u(id, 10)) * 0.45)::numeric, 1))::float8 AS magnitude,
        timestamptz '1990-01-01 00:00Z' + make_interval(secs => floor((id + pg_temp.u(id, 11)) * 1136073600 / {rows}))
            AS event_date,
        pg_temp.pick(ARRAY['us', 'ci', 'nc', 'ak', 'hv', 'pr', 'nn', 'uw'], pg_temp.u(id, 12)) AS network,
        format('%s km %s of %s', floor(1 + 200 * pg_temp.u(id, 13)),
            pg_temp.pick(ARRAY['N', 'NNE', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'WNW', 'NW'], pg_temp.u(id, 14)),
            pg_temp.pick(ARRAY['Hihifo, Tonga', 'Iquique, Chile', 'Miyako, Japan', 'Bitung, Indonesia',
                'Ridgecrest, California', 'Ferndale, California', 'Adak, Alaska', 'Pāhala, Hawaii', 'Guánica, Puerto Rico',
                'Kainantu, Papua New Guinea', 'Ōfunato, Japan', 'Lata, Solomon Islands', 'Acajutla, El Salvador',
                'Farkhor, Tajikistan', 'Kermadec Islands, New Zealand', 'Palekastro, Greece'], pg_temp.u(id, 15))) AS place
    FROM generate_series(1, {rows}) AS id
    OFFSET 0  -- works each value out once
) AS event;
CREATE INDEX ON {table} USING gist (geom);
CREATE INDEX ON {table} (event_date, id);
CREATE INDEX ON {table} (updated, id);
CREATE INDEX ON {table} (magnitude, id);
CREATE INDEX ON {table} (depth, id);
COMMENT ON TABLE {table} IS E'Generated earthquakes\nFor measurements only.';

-- piece: polygons
CREATE TABLE {table} (
    id integer PRIMARY KEY,
    event_id text NOT NULL,
    name text,
    country text,
    start_date timestamptz NOT NULL,
    end_date timestamptz,
    severity double precision,
    main_cause text,
    area_km2 double precision,
    displaced integer,
    dead integer,
    sensor text,
    url text,
    geom geometry(Polygon, 4326) NOT NULL
);
INSERT INTO {table}
SELECT id,
    format('FL-%s', lpad(id::text, 8, '0')),
    format('Flood %s in %s', id, country),
    country,
    start_date,
    start_date + make_interval(days => floor(40 * pg_temp.u(id, 20))::int),
    1 + floor(pg_temp.u(id, 21) * 3) / 2,
    pg_temp.pick(ARRAY['Heavy rain', 'Tropical cyclone', 'Monsoon', 'Snow melt', 'Dam break'], pg_temp.u(id, 22)),
    round((radius * radius * 12364 * pi())::numeric, 1)::float8,
    floor(100000 * power(pg_temp.u(id, 23), 4))::int,
    floor(500 * power(pg_temp.u(id, 24), 8))::int,
    pg_temp.pick(ARRAY['MODIS', 'VIIRS', 'SAR'], pg_temp.u(id, 25)),
    format('https://floods.example.org/events/%s', id),
    -- a star around its centre: valid, with a coast as rough as a footprint seen from space
    (SELECT ST_MakePolygon(ST_AddPoint(line, ST_StartPoint(line))) FROM (
        SELECT ST_SetSRID(ST_MakeLine(ST_MakePoint(
            round((x + reach * cos(2 * pi() * corner / corners))::numeric, 5),
            round((y + reach * sin(2 * pi() * corner / corners))::numeric, 5)
        ) ORDER BY corner), 4326) AS line FROM (
            SELECT corner, radius * (0.6 + 0.4 * pg_temp.u(id * 1000 + corner, 31)) AS reach
            FROM generate_series(0, corners - 1) AS corner OFFSET 0) AS corners) AS ring)
FROM (
    SELECT id,
        pg_temp.pick(ARRAY['Bangladesh', 'India', 'Mozambique', 'Brazil', 'Germany', 'China', 'Pakistan', 'Nigeria',
            'Viet Nam', 'Australia', 'Peru', 'Colombia'], pg_temp.u(id, 10)) AS country,
        timestamptz '2000-01-01 00:00Z' + make_interval(secs => floor((id + pg_temp.u(id, 11)) * 820454400 / {rows}))
            AS start_date,
        0.02 + 0.9 * power(pg_temp.u(id, 12), 4) AS radius,
        16 + floor(power(pg_temp.u(id, 13), 2) * 400)::int AS corners,
        -- so that nothing crosses the antimeridian
        least(178, greatest(-178, pg_temp.longitude(id))) AS x,
        pg_temp.latitude(id) AS y
    FROM generate_series(1, {rows}) AS id
    OFFSET 0  -- works each value out once
) AS flood;
CREATE INDEX ON {table} USING gist (geom);
CREATE INDEX ON {table} (start_date, id);
CREATE INDEX ON {table} (severity, id);
COMMENT ON TABLE {table} IS E'Generated floods\nFor measurements only.';

-- piece: lines
CREATE TABLE {table} (
    id integer PRIMARY KEY,
    event_id text NOT NULL,
    name text,
    basin text,
    season integer,
    kind text NOT NULL,
    category text,
    max_wind_kt integer,
    min_pressure_hpa integer,
    start_date timestamptz NOT NULL,
    end_date timestamptz NOT NULL,
    source text,
    geom geometry(LineString, 4326) NOT NULL
);
INSERT INTO {table}
SELECT id,
    format('TS-%s', lpad(id::text, 6, '0')),
    format('STORM %s', id),
    pg_temp.pick(ARRAY['NA', 'EP', 'WP', 'SP', 'NI', 'SI'], pg_temp.u(id, 10)),
    extract(year FROM start_date)::int,
    CASE WHEN pg_temp.u(id, 11) < 0.8 THEN 'analysed' ELSE 'forecast' END,
    pg_temp.pick(ARRAY['TD', 'TS', 'C1', 'C2', 'C3', 'C4', 'C5'], power(pg_temp.u(id, 12), 2)),
    30 + floor(130 * power(pg_temp.u(id, 12), 2))::int,
    1005 - floor(110 * power(pg_temp.u(id, 12), 2))::int,
    start_date,
    start_date + make_interval(hours => 6 * steps),
    'generated',
    (SELECT ST_SetSRID(ST_MakeLine(ST_MakePoint(
        round((x + step * 0.35 * (pg_temp.u(id, 13) - 0.8) + 0.4 * pg_temp.normal(id * 1000 + step, 14))::numeric, 4),
        round((side * (8 + step * 0.3 + 0.3 * pg_temp.normal(id * 1000 + step, 15)))::numeric, 4)
     ) ORDER BY step), 4326) FROM generate_series(0, steps) AS step)
FROM (
    SELECT id,
        20 + floor(60 * pg_temp.u(id, 16))::int AS steps,
        -140 + 280 * pg_temp.u(id, 17) AS x,
        CASE WHEN pg_temp.u(id, 18) < 0.7 THEN 1 ELSE -1 END AS side,
        timestamptz '1980-01-01 00:00Z' + make_interval(secs => floor((id + pg_temp.u(id, 19)) * 1451606400 / {rows}))
            AS start_date
    FROM generate_series(1, {rows}) AS id
    OFFSET 0  -- works each value out once
) AS storm;
CREATE INDEX ON {table} USING gist (geom);
CREATE INDEX ON {table} (start_date, id);
CREATE INDEX ON {table} (max_wind_kt, id);
COMMENT ON TABLE {table} IS E'Generated storm tracks\nFor measurements only.';

-- piece: shapes
CREATE TABLE {table} (id integer PRIMARY KEY, name text NOT NULL, geom geometry(Polygon, 4326) NOT NULL);
INSERT INTO {table}
-- stars a degree wide, side by side
SELECT id, format('Shape %s', id), (SELECT ST_MakePolygon(ST_AddPoint(line, ST_StartPoint(line))) FROM (
    SELECT ST_SetSRID(ST_MakeLine(ST_MakePoint(
        round((10.5 + 2 * id + reach * cos(2 * pi() * corner / {corners}))::numeric, 7),
        round((10.5 + reach * sin(2 * pi() * corner / {corners}))::numeric, 7)
    ) ORDER BY corner), 4326) AS line FROM (
        SELECT corner, 0.5 * (0.6 + 0.4 * pg_temp.u(id * 1000000 + corner, 31)) AS reach
        FROM generate_series(0, {corners} - 1) AS corner OFFSET 0) AS corners) AS ring)
FROM generate_series(1, {rows}) AS id;
CREATE INDEX ON {table} USING gist (geom);
COMMENT ON TABLE {table} IS E'Generated shapes\nFor measurements only.';

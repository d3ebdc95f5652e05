CREATE EXTENSION IF NOT EXISTS postgis;
CREATE SCHEMA IF NOT EXISTS dams;
CREATE SCHEMA IF NOT EXISTS hazard;
DO $$
BEGIN
    CREATE ROLE dams_reader NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;  -- roles belong to the cluster: another database's schema may create it at this moment
END
$$;
CREATE TABLE IF NOT EXISTS dams.change_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    relation oid NOT NULL,
    n bigint NOT NULL DEFAULT 1,
    token bigint NOT NULL DEFAULT hashtextextended(gen_random_uuid()::text, 0),
    txid xid8,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'dams.change_log'::regclass AND attname = 'token') THEN
        ALTER TABLE dams.change_log
            ADD COLUMN token bigint NOT NULL DEFAULT hashtextextended(gen_random_uuid()::text, 0);
    END IF;
    IF EXISTS (SELECT FROM pg_proc
               WHERE oid = to_regprocedure('dams.data_versions()') AND NOT 'token' = ANY (proargnames)) THEN
        DROP FUNCTION dams.data_versions();
    END IF;
END
$$;
CREATE OR REPLACE FUNCTION dams.related_relations(relation oid) RETURNS SETOF oid
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE ancestors AS (
        SELECT relation AS member
        UNION SELECT i.inhparent FROM ancestors a JOIN pg_inherits i ON i.inhrelid = a.member
    ), descendants AS (
        SELECT relation AS member
        UNION SELECT i.inhrelid FROM descendants d JOIN pg_inherits i ON i.inhparent = d.member
    )
    SELECT member FROM ancestors UNION SELECT member FROM descendants
$$;
CREATE OR REPLACE FUNCTION dams.prune_change_log() RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH crowded AS (
        SELECT l.relation FROM dams.change_log l GROUP BY l.relation HAVING count(*) > 1
    ), chosen AS (
        SELECT l.id FROM dams.change_log l
        WHERE l.relation IN (SELECT c.relation FROM crowded c)
           OR NOT EXISTS (SELECT FROM pg_class k WHERE k.oid = l.relation)
        FOR UPDATE OF l SKIP LOCKED
    ), gone AS (
        DELETE FROM dams.change_log l USING chosen c WHERE l.id = c.id RETURNING l.relation, l.n, l.token, l.at
    ), summed AS (
        INSERT INTO dams.change_log (relation, n, token, at)
        SELECT g.relation, sum(g.n)::bigint, bit_xor(g.token), max(g.at) FROM gone g
        WHERE EXISTS (SELECT FROM pg_class k WHERE k.oid = g.relation)
        GROUP BY g.relation
    )
    SELECT count(*) FROM gone
$$;
REVOKE ALL ON FUNCTION dams.prune_change_log() FROM PUBLIC;
CREATE OR REPLACE FUNCTION dams.record_change() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    setting text := 'dams.changed_' || TG_RELID;
    this_transaction text := pg_current_xact_id()::text;
BEGIN
    IF current_setting(setting, true) = this_transaction THEN
        RETURN NULL;
    END IF;
    INSERT INTO dams.change_log (relation, txid)
    SELECT r, pg_current_xact_id() FROM dams.related_relations(TG_RELID) r;
    PERFORM set_config(setting, this_transaction, true);
    IF random() < 0.02 AND current_setting('transaction_isolation') = 'read committed' THEN
        PERFORM dams.prune_change_log();
    END IF;
    RETURN NULL;
END
$$;
CREATE OR REPLACE FUNCTION dams.watch(relation regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    member regclass;
BEGIN
    IF (SELECT relkind FROM pg_class WHERE oid = relation) NOT IN ('r', 'p') THEN
        RAISE EXCEPTION '% is not a table', relation USING ERRCODE = 'wrong_object_type';
    END IF;
    FOR member IN
        SELECT m FROM dams.related_relations(relation) m
        WHERE NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = m AND t.tgname = 'dams_record_change')
    LOOP
        EXECUTE format('CREATE TRIGGER dams_record_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s '
                       'FOR EACH STATEMENT EXECUTE FUNCTION dams.record_change()', member);
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER dams_record_change', member);
        INSERT INTO dams.change_log (relation, txid) VALUES (member, pg_current_xact_id());
    END LOOP;
END
$$;
CREATE OR REPLACE FUNCTION dams.data_versions()
RETURNS TABLE (relation oid, version bigint, changed_at timestamptz, token bigint)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT t.tgrelid, coalesce(sum(l.n), 0)::bigint, max(l.at), coalesce(bit_xor(l.token), 0)
    FROM pg_trigger t LEFT JOIN dams.change_log l ON l.relation = t.tgrelid
    WHERE t.tgfoid = 'dams.record_change()'::regprocedure AND t.tgenabled <> 'D'
    GROUP BY t.tgrelid
$$;
DO $$
DECLARE
    before text := (SELECT prosrc FROM pg_proc WHERE oid = to_regprocedure('dams.unaccent(text)'));
    written regclass;
BEGIN
    IF getdatabaseencoding() <> 'UTF8' OR NOT EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu') THEN
        RETURN;
    END IF;
    CREATE OR REPLACE FUNCTION dams.casefold(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
        SELECT CASE WHEN octet_length($1) = length($1) THEN lower($1 COLLATE "C") COLLATE "default"
        ELSE translate(replace(lower(upper(translate($1,
            'ı', U&'\FDD0') COLLATE pg_catalog."und-x-icu")), 'ß', 'ss'), U&'\FDD0ς',
            'ıσ') COLLATE "default" END
    $body$;
    COMMENT ON FUNCTION dams.casefold(text) IS 'The text in full case folding, whatever lc_ctype is; immutable, for indexes and filters with CASEI.';
    CREATE OR REPLACE FUNCTION dams.unaccent(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
        SELECT CASE WHEN octet_length($1) = length($1) THEN $1 COLLATE "default"
        ELSE replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize($1 COLLATE "C", NFD),
            '[\u0300-\u036f\u0483-\u0487\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]', '', 'g'), NFC),
            'ØøÐðĐđĦħıŁłŊŋŦŧƀƗɨƵƶɃɄʉ', 'OoDdDdHhiLlNnTtbIiZzBUu'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ',
            'oe'), 'ß', 'ss'), 'ẞ', 'SS'), 'Þ', 'TH'), 'þ', 'th') COLLATE "default" END
    $body$;
    COMMENT ON FUNCTION dams.unaccent(text) IS 'The text without accents; immutable, for indexes and filters with ACCENTI.';
    IF before <> (SELECT prosrc FROM pg_proc WHERE oid = to_regprocedure('dams.unaccent(text)')) THEN
        FOR written IN
            SELECT objid::regclass FROM pg_depend JOIN pg_class ON pg_class.oid = objid AND relkind IN ('i', 'I')
            WHERE classid = 'pg_class'::regclass AND refclassid = 'pg_proc'::regclass
                AND refobjid = to_regprocedure('dams.unaccent(text)')
        LOOP
            EXECUTE format('REINDEX INDEX %s', written);
        END LOOP;
    END IF;
END
$$;
CREATE TABLE IF NOT EXISTS dams.demo_load (
    relation text PRIMARY KEY,
    fingerprint text NOT NULL,
    rows bigint NOT NULL,
    loaded_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS dams.load_source (
    source text PRIMARY KEY,
    title text NOT NULL,
    licence text NOT NULL,
    licence_url text,
    attribution text NOT NULL,
    rhythm interval NOT NULL,
    attempted timestamptz,
    checked timestamptz,
    changed timestamptz,
    issued timestamptz,
    message text,
    summary jsonb
);
CREATE TABLE IF NOT EXISTS dams.load_table (
    source text REFERENCES dams.load_source ON DELETE CASCADE,
    relation text,
    changed timestamptz,
    PRIMARY KEY (source, relation)
);
CREATE TABLE IF NOT EXISTS dams.load_document (
    source text REFERENCES dams.load_source ON DELETE CASCADE,
    address text,
    etag text,
    last_modified text,
    retrieved timestamptz NOT NULL,
    PRIMARY KEY (source, address)
);
CREATE OR REPLACE FUNCTION dams.data_sources()
RETURNS TABLE (relation oid, source text, title text, licence text, licence_url text, attribution text,
    rhythm interval, checked timestamptz, changed timestamptz, issued timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT to_regclass(t.relation)::oid, s.source, s.title, s.licence, s.licence_url, s.attribution,
        s.rhythm, s.checked, t.changed, s.issued
    FROM dams.load_table t JOIN dams.load_source s USING (source)
    WHERE to_regclass(t.relation) IS NOT NULL AND t.changed IS NOT NULL
$$;
CREATE TABLE IF NOT EXISTS dams.changed_item (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    relation oid NOT NULL,
    item text,
    action text CHECK (action IN ('create', 'update', 'delete')),
    txid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS changed_item_at ON dams.changed_item (at);
CREATE OR REPLACE FUNCTION dams.changed_items(since pg_snapshot)
RETURNS TABLE (relation oid, txid xid8, item text, action text)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.relation, c.txid, c.item, c.action FROM dams.changed_item c
    WHERE c.txid >= pg_snapshot_xmin(since) AND NOT pg_visible_in_snapshot(c.txid, since)
    ORDER BY c.id LIMIT 20000
$$;
REVOKE ALL ON FUNCTION dams.changed_items(pg_snapshot) FROM PUBLIC;
CREATE OR REPLACE FUNCTION dams.prune_changed_items() RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH gone AS (
        DELETE FROM dams.changed_item
        WHERE at < now() - interval '1 hour' OR id < (SELECT max(id) - 100000 FROM dams.changed_item)
        RETURNING id
    ) SELECT count(*) FROM gone
$$;
REVOKE ALL ON FUNCTION dams.prune_changed_items() FROM PUBLIC;
CREATE TABLE IF NOT EXISTS hazard.hazard_eq_events (
    id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
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
    detail_url text,
    shakemap_url text,
    population_impact_url text,
    shapefile_url text,
    withdrawn timestamptz,
    geom geometry(Point, 4326) NOT NULL
);
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute
                   WHERE attrelid = 'hazard.hazard_eq_events'::regclass AND attname = 'episode_id') THEN
        ALTER TABLE hazard.hazard_eq_events
            ADD COLUMN IF NOT EXISTS nearest_place text,
            ADD COLUMN IF NOT EXISTS nearest_place_km double precision,
            ADD COLUMN IF NOT EXISTS nearest_place_bearing text,
            ADD COLUMN IF NOT EXISTS nearest_place_population integer,
            ADD COLUMN IF NOT EXISTS country text,
            ADD COLUMN IF NOT EXISTS province text,
            ADD COLUMN IF NOT EXISTS episode_id bigint;
    END IF;
END
$$;
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute
                   WHERE attrelid = 'hazard.hazard_eq_events'::regclass AND attname = 'withdrawn') THEN
        ALTER TABLE hazard.hazard_eq_events
            ADD COLUMN withdrawn timestamptz, DROP CONSTRAINT IF EXISTS hazard_eq_events_event_id_key;
    END IF;
END
$$;
CREATE UNIQUE INDEX IF NOT EXISTS hazard_eq_events_source ON hazard.hazard_eq_events (source, event_id) NULLS NOT DISTINCT;
CREATE INDEX IF NOT EXISTS hazard_eq_events_event_id ON hazard.hazard_eq_events (event_id, id);
CREATE INDEX IF NOT EXISTS hazard_eq_events_geom ON hazard.hazard_eq_events USING gist (geom);
CREATE INDEX IF NOT EXISTS hazard_eq_events_event_date ON hazard.hazard_eq_events (event_date, id);
CREATE INDEX IF NOT EXISTS hazard_eq_events_updated ON hazard.hazard_eq_events (updated, id);
CREATE INDEX IF NOT EXISTS hazard_eq_events_magnitude ON hazard.hazard_eq_events (magnitude, id);
CREATE INDEX IF NOT EXISTS hazard_eq_events_depth ON hazard.hazard_eq_events (depth, id);
CREATE INDEX IF NOT EXISTS hazard_eq_events_country ON hazard.hazard_eq_events (country, id);
SELECT dams.watch('hazard.hazard_eq_events');
CREATE TABLE IF NOT EXISTS hazard.hazard_ts_events (
    id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    event_id text NOT NULL UNIQUE,
    title text,
    name text,
    basin text,
    season integer,
    category text,
    max_wind_kt integer,
    min_pressure_hpa integer,
    start_date timestamptz NOT NULL,
    end_date timestamptz,
    rainfall_url text,
    population_impact_url text,
    facility_exposure_url text,
    source text,
    geom geometry(Point, 4326) NOT NULL
);
CREATE INDEX IF NOT EXISTS hazard_ts_events_geom ON hazard.hazard_ts_events USING gist (geom);
CREATE INDEX IF NOT EXISTS hazard_ts_events_start_date ON hazard.hazard_ts_events (start_date, id);
CREATE INDEX IF NOT EXISTS hazard_ts_events_end_date ON hazard.hazard_ts_events (end_date, id);
CREATE INDEX IF NOT EXISTS hazard_ts_events_max_wind_kt ON hazard.hazard_ts_events (max_wind_kt, id);
CREATE INDEX IF NOT EXISTS hazard_ts_events_season ON hazard.hazard_ts_events (season, id);
CREATE INDEX IF NOT EXISTS hazard_ts_events_name ON hazard.hazard_ts_events (name, id);
CREATE TABLE IF NOT EXISTS hazard.hazard_ts_tracks (
    id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    event_id text NOT NULL,
    name text,
    basin text,
    season integer,
    start_date timestamptz NOT NULL,
    end_date timestamptz NOT NULL,
    kind text NOT NULL CHECK (kind IN ('analysed', 'forecast')),
    advisory_time timestamptz,
    category text,
    max_wind_kt integer,
    min_pressure_hpa integer,
    length_km double precision,
    source text,
    geom geometry(MultiLineString, 4326) NOT NULL
);
CREATE INDEX IF NOT EXISTS hazard_ts_tracks_geom ON hazard.hazard_ts_tracks USING gist (geom);
CREATE INDEX IF NOT EXISTS hazard_ts_tracks_event_id ON hazard.hazard_ts_tracks (event_id, id);
CREATE INDEX IF NOT EXISTS hazard_ts_tracks_start_date ON hazard.hazard_ts_tracks (start_date, id);
CREATE INDEX IF NOT EXISTS hazard_ts_tracks_end_date ON hazard.hazard_ts_tracks (end_date, id);
CREATE INDEX IF NOT EXISTS hazard_ts_tracks_max_wind_kt ON hazard.hazard_ts_tracks (max_wind_kt, id);
CREATE INDEX IF NOT EXISTS hazard_ts_tracks_season ON hazard.hazard_ts_tracks (season, id);
CREATE TABLE IF NOT EXISTS hazard.hazard_ts_nodes (
    id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    event_id text NOT NULL,
    basin text,
    season integer,
    valid_time timestamptz NOT NULL,
    kind text NOT NULL CHECK (kind IN ('analysed', 'forecast')),
    advisory_time timestamptz,
    category text,
    status text,
    wind_kt integer,
    pressure_hpa integer,
    source text,
    geom geometry(Point, 4326) NOT NULL
);
CREATE INDEX IF NOT EXISTS hazard_ts_nodes_geom ON hazard.hazard_ts_nodes USING gist (geom);
CREATE INDEX IF NOT EXISTS hazard_ts_nodes_event_id ON hazard.hazard_ts_nodes (event_id, id);
CREATE INDEX IF NOT EXISTS hazard_ts_nodes_valid_time ON hazard.hazard_ts_nodes (valid_time, id);
CREATE INDEX IF NOT EXISTS hazard_ts_nodes_wind_kt ON hazard.hazard_ts_nodes (wind_kt, id);
CREATE INDEX IF NOT EXISTS hazard_ts_nodes_season ON hazard.hazard_ts_nodes (season, id);
CREATE TABLE IF NOT EXISTS hazard.hazard_ts_buffers (
    id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    event_id text NOT NULL,
    name text,
    basin text,
    season integer,
    wind_speed_kt integer NOT NULL,
    start_date timestamptz NOT NULL,
    end_date timestamptz NOT NULL,
    kind text NOT NULL CHECK (kind IN ('analysed', 'forecast')),
    advisory_time timestamptz,
    area_km2 double precision,
    source text,
    geom geometry(MultiPolygon, 4326) NOT NULL
);
CREATE INDEX IF NOT EXISTS hazard_ts_buffers_geom ON hazard.hazard_ts_buffers USING gist (geom);
CREATE INDEX IF NOT EXISTS hazard_ts_buffers_event_id ON hazard.hazard_ts_buffers (event_id, id);
CREATE INDEX IF NOT EXISTS hazard_ts_buffers_start_date ON hazard.hazard_ts_buffers (start_date, id);
CREATE INDEX IF NOT EXISTS hazard_ts_buffers_end_date ON hazard.hazard_ts_buffers (end_date, id);
CREATE INDEX IF NOT EXISTS hazard_ts_buffers_wind_speed_kt ON hazard.hazard_ts_buffers (wind_speed_kt, id);
SELECT dams.watch(t) FROM unnest(ARRAY['hazard.hazard_ts_events', 'hazard.hazard_ts_tracks',
                                       'hazard.hazard_ts_nodes', 'hazard.hazard_ts_buffers']::regclass[]) t;
CREATE TABLE IF NOT EXISTS hazard.hazard_ts_disturbance_events (LIKE hazard.hazard_ts_events INCLUDING ALL);
CREATE TABLE IF NOT EXISTS hazard.hazard_ts_disturbance_tracks (LIKE hazard.hazard_ts_tracks INCLUDING ALL);
CREATE TABLE IF NOT EXISTS hazard.hazard_ts_disturbance_buffers (LIKE hazard.hazard_ts_buffers INCLUDING ALL);
CREATE TABLE IF NOT EXISTS hazard.hazard_ts_disturbance_nodes (LIKE hazard.hazard_ts_nodes INCLUDING ALL);
SELECT dams.watch(t) FROM unnest(ARRAY[
    'hazard.hazard_ts_disturbance_events', 'hazard.hazard_ts_disturbance_tracks',
    'hazard.hazard_ts_disturbance_buffers', 'hazard.hazard_ts_disturbance_nodes']::regclass[]) t;
CREATE TABLE IF NOT EXISTS hazard.hazard_fl_events (
    id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    event_id text NOT NULL UNIQUE,
    title text,
    began timestamptz NOT NULL,
    ended timestamptz,
    severity double precision,
    main_cause text,
    dead integer,
    displaced integer,
    area_km2 double precision,
    country text,
    glide_number text,
    source text,
    geom geometry(MultiPolygon, 4326) NOT NULL
);
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute
                   WHERE attrelid = 'hazard.hazard_fl_events'::regclass AND attname = 'place') THEN
        ALTER TABLE hazard.hazard_fl_events
            ADD COLUMN place text,
            ADD COLUMN nearest_place text,
            ADD COLUMN nearest_place_km double precision,
            ADD COLUMN nearest_place_bearing text,
            ADD COLUMN nearest_place_population integer,
            ADD COLUMN province text,
            ADD COLUMN population_in_places bigint,
            ADD COLUMN other_country text,
            ADD COLUMN alert_level text,
            ADD COLUMN episode_id bigint,
            ADD COLUMN url text,
            ADD COLUMN withdrawn timestamptz;
    END IF;
END
$$;
CREATE INDEX IF NOT EXISTS hazard_fl_events_geom ON hazard.hazard_fl_events USING gist (geom);
CREATE INDEX IF NOT EXISTS hazard_fl_events_began ON hazard.hazard_fl_events (began, id);
CREATE INDEX IF NOT EXISTS hazard_fl_events_ended ON hazard.hazard_fl_events (ended, id);
CREATE INDEX IF NOT EXISTS hazard_fl_events_severity ON hazard.hazard_fl_events (severity, id);
CREATE INDEX IF NOT EXISTS hazard_fl_events_area_km2 ON hazard.hazard_fl_events (area_km2, id);
CREATE INDEX IF NOT EXISTS hazard_fl_events_country ON hazard.hazard_fl_events (country, id);
CREATE TABLE IF NOT EXISTS hazard.hazard_fl_alerts (
    id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    event_id text NOT NULL,
    title text,
    alert_level text NOT NULL CHECK (alert_level IN ('Green', 'Orange', 'Red')),
    issued timestamptz NOT NULL,
    expires timestamptz,
    severity double precision,
    country text,
    area_km2 double precision,
    source text,
    geom geometry(MultiPolygon, 4326) NOT NULL
);
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute
                   WHERE attrelid = 'hazard.hazard_fl_alerts'::regclass AND attname = 'alert_id') THEN
        ALTER TABLE hazard.hazard_fl_alerts
            ADD COLUMN alert_id text UNIQUE,
            ADD COLUMN place text,
            ADD COLUMN nearest_place text,
            ADD COLUMN nearest_place_km double precision,
            ADD COLUMN nearest_place_bearing text,
            ADD COLUMN nearest_place_population integer,
            ADD COLUMN province text,
            ADD COLUMN population_in_places bigint,
            ADD COLUMN alert_score double precision,
            ADD COLUMN episode_id bigint,
            ADD COLUMN url text,
            ADD COLUMN withdrawn timestamptz;
    END IF;
END
$$;
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_geom ON hazard.hazard_fl_alerts USING gist (geom);
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_event_id ON hazard.hazard_fl_alerts (event_id, id);
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_issued ON hazard.hazard_fl_alerts (issued, id);
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_expires ON hazard.hazard_fl_alerts (expires, id);
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_alert_level ON hazard.hazard_fl_alerts (alert_level, id);
CREATE TABLE IF NOT EXISTS hazard.hazard_fl_alerts_mom_forecast (
    id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    event_id text NOT NULL,
    watershed_id text NOT NULL,
    title text,
    alert_level text NOT NULL CHECK (alert_level IN ('Green', 'Orange', 'Red')),
    forecast_date timestamptz NOT NULL,
    valid_from timestamptz NOT NULL,
    valid_to timestamptz NOT NULL,
    probability double precision CHECK (probability BETWEEN 0 AND 100),
    severity double precision,
    country text,
    area_km2 double precision,
    source text,
    geom geometry(MultiPolygon, 4326) NOT NULL
);
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute
                   WHERE attrelid = 'hazard.hazard_fl_alerts_mom_forecast'::regclass AND attname = 'alert_id') THEN
        ALTER TABLE hazard.hazard_fl_alerts_mom_forecast
            ADD COLUMN alert_id text UNIQUE,
            ADD COLUMN source_level text,
            ADD COLUMN change text,
            ADD COLUMN peak_date timestamptz,
            ADD COLUMN exceeds_2y double precision,
            ADD COLUMN exceeds_20y double precision,
            ADD COLUMN hazard_score double precision,
            ADD COLUMN province text,
            ADD COLUMN population_in_places bigint;
    END IF;
END
$$;
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_mom_forecast_geom ON hazard.hazard_fl_alerts_mom_forecast USING gist (geom);
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_mom_forecast_event_id ON hazard.hazard_fl_alerts_mom_forecast (event_id, id);
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_mom_forecast_forecast_date ON hazard.hazard_fl_alerts_mom_forecast (forecast_date, id);
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_mom_forecast_valid_from ON hazard.hazard_fl_alerts_mom_forecast (valid_from, id);
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_mom_forecast_valid_to ON hazard.hazard_fl_alerts_mom_forecast (valid_to, id);
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_mom_forecast_probability ON hazard.hazard_fl_alerts_mom_forecast (probability, id);
CREATE TABLE IF NOT EXISTS hazard.hazard_fl_alerts_mom_runs (
    id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    event_id text NOT NULL,
    watershed_id text NOT NULL,
    title text,
    alert_level text NOT NULL CHECK (alert_level IN ('Green', 'Orange', 'Red')),
    forecast_date timestamptz NOT NULL,
    valid_to timestamptz NOT NULL,
    source_level text,
    change text,
    peak_date timestamptz,
    probability double precision CHECK (probability BETWEEN 0 AND 100),
    exceeds_2y double precision,
    exceeds_20y double precision,
    hazard_score double precision,
    country text,
    province text,
    source text,
    geom geometry(Point, 4326) NOT NULL,
    UNIQUE (watershed_id, forecast_date)
);
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_mom_runs_geom ON hazard.hazard_fl_alerts_mom_runs USING gist (geom);
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_mom_runs_event_id ON hazard.hazard_fl_alerts_mom_runs (event_id, id);
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_mom_runs_forecast_date ON hazard.hazard_fl_alerts_mom_runs (forecast_date, id);
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_mom_runs_valid_to ON hazard.hazard_fl_alerts_mom_runs (valid_to, id);
CREATE TABLE IF NOT EXISTS hazard.hazard_fl_glofas_gauges_forecast (
    id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    event_id text NOT NULL,
    gauge_id text NOT NULL UNIQUE,
    title text,
    country text,
    forecast_date timestamptz NOT NULL,
    peak_date timestamptz,
    alert_level text NOT NULL CHECK (alert_level IN ('Green', 'Orange', 'Red')),
    discharge_m3s double precision,
    peak_discharge_m3s double precision,
    return_2y_m3s double precision,
    return_5y_m3s double precision,
    return_20y_m3s double precision,
    time_series jsonb,
    source text,
    geom geometry(Point, 4326) NOT NULL
);
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute
                   WHERE attrelid = 'hazard.hazard_fl_glofas_gauges_forecast'::regclass AND attname = 'valid_to') THEN
        ALTER TABLE hazard.hazard_fl_glofas_gauges_forecast
            ADD COLUMN valid_to timestamptz,
            ADD COLUMN province text,
            ADD COLUMN upstream_area_km2 double precision,
            ADD COLUMN members integer;
        ALTER TABLE hazard.hazard_fl_glofas_gauges_forecast ALTER COLUMN alert_level DROP NOT NULL;
    END IF;
END
$$;
CREATE INDEX IF NOT EXISTS hazard_fl_glofas_gauges_forecast_geom ON hazard.hazard_fl_glofas_gauges_forecast USING gist (geom);
CREATE INDEX IF NOT EXISTS hazard_fl_glofas_gauges_forecast_event_id ON hazard.hazard_fl_glofas_gauges_forecast (event_id, id);
CREATE INDEX IF NOT EXISTS hazard_fl_glofas_gauges_forecast_forecast_date ON hazard.hazard_fl_glofas_gauges_forecast (forecast_date, id);
CREATE INDEX IF NOT EXISTS hazard_fl_glofas_gauges_forecast_valid_to ON hazard.hazard_fl_glofas_gauges_forecast (valid_to, id);
CREATE INDEX IF NOT EXISTS hazard_fl_glofas_gauges_forecast_peak_date ON hazard.hazard_fl_glofas_gauges_forecast (peak_date, id);
CREATE INDEX IF NOT EXISTS hazard_fl_glofas_gauges_forecast_discharge_m3s ON hazard.hazard_fl_glofas_gauges_forecast (discharge_m3s, id);
CREATE INDEX IF NOT EXISTS hazard_fl_glofas_gauges_forecast_peak_discharge_m3s ON hazard.hazard_fl_glofas_gauges_forecast (peak_discharge_m3s, id);
SELECT dams.watch(t) FROM unnest(ARRAY[
    'hazard.hazard_fl_events', 'hazard.hazard_fl_alerts', 'hazard.hazard_fl_alerts_mom_forecast',
    'hazard.hazard_fl_alerts_mom_runs',
    'hazard.hazard_fl_glofas_gauges_forecast']::regclass[]) t;
GRANT USAGE ON SCHEMA hazard, dams TO dams_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA hazard TO dams_reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA hazard GRANT SELECT ON TABLES TO dams_reader;
GRANT EXECUTE ON FUNCTION dams.data_versions(), dams.data_sources(), dams.changed_items(pg_snapshot) TO dams_reader;
DO $$
BEGIN
    IF to_regprocedure('dams.casefold(text)') IS NOT NULL THEN
        GRANT EXECUTE ON FUNCTION dams.casefold(text), dams.unaccent(text) TO dams_reader;
    END IF;
END
$$;
DO $$
DECLARE
    writer regprocedure;
BEGIN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    FOR writer IN
        SELECT oid FROM pg_proc
        WHERE pronamespace = 'pg_catalog'::regnamespace AND proname IN ('lo_creat', 'lo_create', 'lo_from_bytea')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', writer);
    END LOOP;
END
$$;
DO $$
BEGIN
    CREATE ROLE dams_loader NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;  -- roles belong to the cluster: another database's schema may create it at this moment
END
$$;
GRANT USAGE ON SCHEMA hazard, dams TO dams_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hazard TO dams_loader;
ALTER DEFAULT PRIVILEGES IN SCHEMA hazard GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO dams_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON dams.load_source, dams.load_table, dams.load_document TO dams_loader;
GRANT INSERT ON dams.changed_item TO dams_loader;
GRANT EXECUTE ON FUNCTION dams.data_versions(), dams.data_sources(), dams.prune_changed_items() TO dams_loader;
DO $$
BEGIN
    EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO dams_loader', current_database());
END
$$;

CREATE EXTENSION IF NOT EXISTS postgis;
CREATE EXTENSION IF NOT EXISTS unaccent;
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
    txid xid8,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
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
        DELETE FROM dams.change_log l USING chosen c WHERE l.id = c.id RETURNING l.relation, l.n, l.at
    ), summed AS (
        INSERT INTO dams.change_log (relation, n, at)
        SELECT g.relation, sum(g.n)::bigint, max(g.at) FROM gone g
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
    IF current_setting('dams.notify', true) IS DISTINCT FROM 'off' THEN
        PERFORM pg_notify('dams_change', r::text) FROM dams.related_relations(TG_RELID) r;
    END IF;
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
CREATE OR REPLACE FUNCTION dams.data_versions() RETURNS TABLE (relation oid, version bigint, changed_at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT t.tgrelid, coalesce(sum(l.n), 0)::bigint, max(l.at)
    FROM pg_trigger t LEFT JOIN dams.change_log l ON l.relation = t.tgrelid
    WHERE t.tgfoid = 'dams.record_change()'::regprocedure AND t.tgenabled <> 'D'
    GROUP BY t.tgrelid
$$;
DO $$
DECLARE
    home text := (SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
                  WHERE e.extname = 'unaccent');
BEGIN
    EXECUTE format(
        'CREATE OR REPLACE FUNCTION dams.unaccent(text) RETURNS text '
        'LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS %L',
        format('SELECT %s.unaccent(%L::regdictionary, $1)', home, home || '.unaccent'));
END
$$;
CREATE TABLE IF NOT EXISTS dams.demo_load (
    relation text PRIMARY KEY,
    fingerprint text NOT NULL,
    rows bigint NOT NULL,
    loaded_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS hazard.hazard_eq_events (
    id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    event_id text NOT NULL UNIQUE,
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
    geom geometry(Point, 4326) NOT NULL
);
CREATE INDEX IF NOT EXISTS hazard_eq_events_geom ON hazard.hazard_eq_events USING gist (geom);
CREATE INDEX IF NOT EXISTS hazard_eq_events_event_date ON hazard.hazard_eq_events (event_date, id);
CREATE INDEX IF NOT EXISTS hazard_eq_events_updated ON hazard.hazard_eq_events (updated, id);
CREATE INDEX IF NOT EXISTS hazard_eq_events_magnitude ON hazard.hazard_eq_events (magnitude, id);
CREATE INDEX IF NOT EXISTS hazard_eq_events_depth ON hazard.hazard_eq_events (depth, id);
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
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_mom_forecast_geom ON hazard.hazard_fl_alerts_mom_forecast USING gist (geom);
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_mom_forecast_event_id ON hazard.hazard_fl_alerts_mom_forecast (event_id, id);
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_mom_forecast_forecast_date ON hazard.hazard_fl_alerts_mom_forecast (forecast_date, id);
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_mom_forecast_valid_from ON hazard.hazard_fl_alerts_mom_forecast (valid_from, id);
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_mom_forecast_valid_to ON hazard.hazard_fl_alerts_mom_forecast (valid_to, id);
CREATE INDEX IF NOT EXISTS hazard_fl_alerts_mom_forecast_probability ON hazard.hazard_fl_alerts_mom_forecast (probability, id);
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
CREATE INDEX IF NOT EXISTS hazard_fl_glofas_gauges_forecast_geom ON hazard.hazard_fl_glofas_gauges_forecast USING gist (geom);
CREATE INDEX IF NOT EXISTS hazard_fl_glofas_gauges_forecast_event_id ON hazard.hazard_fl_glofas_gauges_forecast (event_id, id);
CREATE INDEX IF NOT EXISTS hazard_fl_glofas_gauges_forecast_forecast_date ON hazard.hazard_fl_glofas_gauges_forecast (forecast_date, id);
CREATE INDEX IF NOT EXISTS hazard_fl_glofas_gauges_forecast_peak_date ON hazard.hazard_fl_glofas_gauges_forecast (peak_date, id);
CREATE INDEX IF NOT EXISTS hazard_fl_glofas_gauges_forecast_discharge_m3s ON hazard.hazard_fl_glofas_gauges_forecast (discharge_m3s, id);
CREATE INDEX IF NOT EXISTS hazard_fl_glofas_gauges_forecast_peak_discharge_m3s ON hazard.hazard_fl_glofas_gauges_forecast (peak_discharge_m3s, id);
SELECT dams.watch(t) FROM unnest(ARRAY[
    'hazard.hazard_fl_events', 'hazard.hazard_fl_alerts', 'hazard.hazard_fl_alerts_mom_forecast',
    'hazard.hazard_fl_glofas_gauges_forecast']::regclass[]) t;
GRANT USAGE ON SCHEMA hazard, dams TO dams_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA hazard TO dams_reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA hazard GRANT SELECT ON TABLES TO dams_reader;
GRANT EXECUTE ON FUNCTION dams.data_versions(), dams.unaccent(text) TO dams_reader;

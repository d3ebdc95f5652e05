-- The same geometry breakdown as the four storm collections: columns, comments and indexes are copied.
CREATE TABLE IF NOT EXISTS hazard.hazard_ts_disturbance_events (LIKE hazard.hazard_ts_events INCLUDING ALL);
CREATE TABLE IF NOT EXISTS hazard.hazard_ts_disturbance_tracks (LIKE hazard.hazard_ts_tracks INCLUDING ALL);
CREATE TABLE IF NOT EXISTS hazard.hazard_ts_disturbance_buffers (LIKE hazard.hazard_ts_buffers INCLUDING ALL);
CREATE TABLE IF NOT EXISTS hazard.hazard_ts_disturbance_nodes (LIKE hazard.hazard_ts_nodes INCLUDING ALL);

-- Probabilities of formation, and areas in which storms may form: these areas have no wind. ALTER TABLE only if
-- something is missing, as even one without effect waits for all writers.
DO $$
DECLARE
    added record;
BEGIN
    FOR added IN
        SELECT format('hazard.hazard_ts_disturbance_%s', wanted.suffix)::regclass AS relation, wanted.name, wanted.type
        FROM (VALUES
            ('events', 'probability_2_days', 'integer'), ('events', 'probability_7_days', 'integer'),
            ('buffers', 'probability_2_days', 'integer'), ('buffers', 'probability_7_days', 'integer'),
            ('buffers', 'formation_area', 'text')
        ) wanted (suffix, name, type)
    LOOP
        CONTINUE WHEN EXISTS (SELECT FROM pg_attribute WHERE attrelid = added.relation AND attname = added.name);
        EXECUTE format('ALTER TABLE %s ADD COLUMN %I %s', added.relation, added.name, added.type);
    END LOOP;
    IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'hazard.hazard_ts_disturbance_buffers'::regclass
               AND attname = 'wind_speed_kt' AND attnotnull) THEN
        ALTER TABLE hazard.hazard_ts_disturbance_buffers ALTER COLUMN wind_speed_kt DROP NOT NULL;
    END IF;
    FOR added IN
        SELECT conname FROM pg_constraint WHERE conrelid = 'hazard.hazard_ts_disturbance_buffers'::regclass
            AND contype = 'c' AND pg_get_constraintdef(oid) LIKE '%kind%' AND pg_get_constraintdef(oid) NOT LIKE '%formation%'
    LOOP
        EXECUTE format('ALTER TABLE hazard.hazard_ts_disturbance_buffers DROP CONSTRAINT %I', added.conname);
        ALTER TABLE hazard.hazard_ts_disturbance_buffers ADD CONSTRAINT hazard_ts_disturbance_buffers_kind_check
            CHECK (kind IN ('analysed', 'forecast', 'formation'));
    END LOOP;
END
$$;
CREATE UNIQUE INDEX IF NOT EXISTS hazard_ts_disturbance_buffers_formation_area_idx
    ON hazard.hazard_ts_disturbance_buffers (formation_area);
CREATE INDEX IF NOT EXISTS hazard_ts_disturbance_events_probability_7_days_idx
    ON hazard.hazard_ts_disturbance_events (probability_7_days, id);
CREATE INDEX IF NOT EXISTS hazard_ts_disturbance_buffers_probability_7_days_idx
    ON hazard.hazard_ts_disturbance_buffers (probability_7_days, id);

COMMENT ON TABLE hazard.hazard_ts_disturbance_events IS E'Tropical disturbance events\nSystems that are not, or not yet, named storms: a point where each was most intense. Tracks, nodes and buffers share its event_id; a storm that grew out of a disturbance has the same one.';
COMMENT ON TABLE hazard.hazard_ts_disturbance_tracks IS E'Tropical disturbance tracks\nLines, one per analysed or forecast track of a disturbance, split at the antimeridian and where it was a storm in between.';
COMMENT ON TABLE hazard.hazard_ts_disturbance_buffers IS E'Tropical disturbance buffers\nZones around the tracks of disturbances: one feature per event and wind speed, covering where at least that wind was reached or is expected.';
COMMENT ON TABLE hazard.hazard_ts_disturbance_nodes IS E'Tropical disturbance nodes\nPoints at each time step along the tracks of disturbances, with wind and pressure.';

SELECT dams.watch(t) FROM unnest(ARRAY[
    'hazard.hazard_ts_disturbance_events', 'hazard.hazard_ts_disturbance_tracks',
    'hazard.hazard_ts_disturbance_buffers', 'hazard.hazard_ts_disturbance_nodes']::regclass[]) t;

COMMENT ON COLUMN hazard.hazard_ts_disturbance_events.probability_2_days IS 'Probability in 2 days. Probability that a tropical cyclone forms within two days, from the newest outlook of the NHC; empty without one. [%]';
COMMENT ON COLUMN hazard.hazard_ts_disturbance_events.probability_7_days IS 'Probability in 7 days. Probability that a tropical cyclone forms within seven days, from the newest outlook of the NHC; empty without one. [%]';
COMMENT ON COLUMN hazard.hazard_ts_disturbance_buffers.probability_2_days IS 'Probability in 2 days. Probability that a tropical cyclone forms in the area within two days; empty for zones of wind. [%]';
COMMENT ON COLUMN hazard.hazard_ts_disturbance_buffers.probability_7_days IS 'Probability in 7 days. Probability that a tropical cyclone forms in the area within seven days; empty for zones of wind. [%]';
COMMENT ON COLUMN hazard.hazard_ts_disturbance_buffers.formation_area IS 'Formation area. Ocean and number of the area in the newest outlook; empty for zones of wind.';
COMMENT ON COLUMN hazard.hazard_ts_disturbance_buffers.wind_speed_kt IS 'Wind speed. Lowest sustained wind inside the zone; empty for areas of formation. [kt]';
COMMENT ON COLUMN hazard.hazard_ts_disturbance_buffers.kind IS 'Kind. analysed (where it was), forecast (where it was expected) or formation (where a tropical cyclone may form within seven days).';

-- The same geometry breakdown as the four storm collections: columns, comments and indexes are copied.
CREATE TABLE IF NOT EXISTS hazard.hazard_ts_disturbance_events (LIKE hazard.hazard_ts_events INCLUDING ALL);
CREATE TABLE IF NOT EXISTS hazard.hazard_ts_disturbance_tracks (LIKE hazard.hazard_ts_tracks INCLUDING ALL);
CREATE TABLE IF NOT EXISTS hazard.hazard_ts_disturbance_buffers (LIKE hazard.hazard_ts_buffers INCLUDING ALL);
CREATE TABLE IF NOT EXISTS hazard.hazard_ts_disturbance_nodes (LIKE hazard.hazard_ts_nodes INCLUDING ALL);

COMMENT ON TABLE hazard.hazard_ts_disturbance_events IS E'Tropical disturbance events\nSystems that are not, or not yet, named storms: a point where each was most intense. Tracks, nodes and buffers share its event_id; a storm that grew out of a disturbance has the same one.';
COMMENT ON TABLE hazard.hazard_ts_disturbance_tracks IS E'Tropical disturbance tracks\nLines, one per analysed or forecast track of a disturbance, split at the antimeridian and where it was a storm in between.';
COMMENT ON TABLE hazard.hazard_ts_disturbance_buffers IS E'Tropical disturbance buffers\nZones around the tracks of disturbances: one feature per event and wind speed, covering where at least that wind was reached or is expected.';
COMMENT ON TABLE hazard.hazard_ts_disturbance_nodes IS E'Tropical disturbance nodes\nPoints at each time step along the tracks of disturbances, with wind and pressure.';

SELECT dams.watch(t) FROM unnest(ARRAY[
    'hazard.hazard_ts_disturbance_events', 'hazard.hazard_ts_disturbance_tracks',
    'hazard.hazard_ts_disturbance_buffers', 'hazard.hazard_ts_disturbance_nodes']::regclass[]) t;

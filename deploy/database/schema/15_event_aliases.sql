-- Other identifiers of events, so that an old address leads to the event. Written by dams_loader.
CREATE TABLE IF NOT EXISTS dams.event_alias (
    alias text PRIMARY KEY,
    event_id text NOT NULL,
    noticed timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS event_alias_event_id ON dams.event_alias (event_id);
COMMENT ON TABLE dams.event_alias IS E'Aliases of events\nIdentifiers that an event had before, or has in another source: IBTrACS, ATCF, GDACS, GLIDE, networks of the USGS.';

CREATE OR REPLACE FUNCTION dams.event_of_alias(alias text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT a.event_id FROM dams.event_alias a WHERE a.alias = $1
$$;
COMMENT ON FUNCTION dams.event_of_alias(text) IS 'The identifier of the event with this alias; null if no event has it.';
REVOKE ALL ON FUNCTION dams.event_of_alias(text) FROM PUBLIC;

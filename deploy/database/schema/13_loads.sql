-- The loader's records of its sources. dams_loader writes them; services read them through dams.data_sources().
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
COMMENT ON TABLE dams.load_source IS E'Sources of hazard data\nA row for each source that was ever loaded: publisher, time and result of the last load.';
COMMENT ON COLUMN dams.load_source.source IS 'Source. Name of the source in the loader.';
COMMENT ON COLUMN dams.load_source.rhythm IS 'Rhythm. How often the source publishes.';
COMMENT ON COLUMN dams.load_source.attempted IS 'Attempted. When a load last began.';
COMMENT ON COLUMN dams.load_source.checked IS 'Checked. Time of the last successful load, also if it brought no new data.';
COMMENT ON COLUMN dams.load_source.changed IS 'Changed. When a load last changed a row.';
COMMENT ON COLUMN dams.load_source.issued IS 'Issued. The newest time of issue that the source gave.';
COMMENT ON COLUMN dams.load_source.message IS 'Message. Why the last load failed; empty if it succeeded.';
COMMENT ON COLUMN dams.load_source.summary IS 'Summary. Numbers of records read, inserted and so on in the last successful load.';

CREATE TABLE IF NOT EXISTS dams.load_table (
    source text REFERENCES dams.load_source ON DELETE CASCADE,
    relation text,
    changed timestamptz,
    PRIMARY KEY (source, relation)
);
COMMENT ON TABLE dams.load_table IS E'Tables of sources\nWhich tables a source fills, and when it last changed a row of each.';

CREATE TABLE IF NOT EXISTS dams.load_document (
    source text REFERENCES dams.load_source ON DELETE CASCADE,
    address text,
    etag text,
    last_modified text,
    retrieved timestamptz NOT NULL,
    PRIMARY KEY (source, address)
);
COMMENT ON TABLE dams.load_document IS E'Documents of sources\nThe version of each completely loaded document, to request only newer ones.';

CREATE TABLE IF NOT EXISTS dams.load_absence (
    relation text,
    key text,
    noticed timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (relation, key)
);
COMMENT ON TABLE dams.load_absence IS E'Absences\nRows that a document no longer named, together with unusually many others. They are withdrawn if a later document does not name them either.';

CREATE OR REPLACE FUNCTION dams.data_sources()
RETURNS TABLE (relation oid, source text, title text, licence text, licence_url text, attribution text,
    rhythm interval, checked timestamptz, changed timestamptz, issued timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT to_regclass(t.relation)::oid, s.source, s.title, s.licence, s.licence_url, s.attribution,
        s.rhythm, s.checked, t.changed, s.issued
    FROM dams.load_table t JOIN dams.load_source s USING (source)
    WHERE to_regclass(t.relation) IS NOT NULL AND t.changed IS NOT NULL
$$;
COMMENT ON FUNCTION dams.data_sources() IS
    'The sources of the rows of each table: publisher, licence, rhythm, and time of the last change.';

CREATE TABLE IF NOT EXISTS dams.demo_load (
    relation text PRIMARY KEY,
    fingerprint text NOT NULL,
    rows bigint NOT NULL,
    loaded_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE dams.demo_load IS E'Record of demo data\nThe rows that the demo loader put into each table, so that loading twice does nothing.';
COMMENT ON COLUMN dams.demo_load.relation IS 'Table. Schema and name.';
COMMENT ON COLUMN dams.demo_load.fingerprint IS 'Fingerprint. Digest of the source files and the programs that made the rows.';
COMMENT ON COLUMN dams.demo_load.rows IS 'Rows. Number of loaded rows.';
COMMENT ON COLUMN dams.demo_load.loaded_at IS 'Time of loading.';

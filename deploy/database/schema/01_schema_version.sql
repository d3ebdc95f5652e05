-- One row: the version of the schema that the database has. deploy/database/migrations.py changes it.
CREATE TABLE IF NOT EXISTS dams.schema_version (
    version integer NOT NULL CHECK (version >= 1),
    changed timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE dams.schema_version IS E'Version of the schema\nOne row; a release that knows fewer versions does not change the schema.';
COMMENT ON COLUMN dams.schema_version.version IS 'Version. Number of the last migration; 1 is the schema of the first release.';
COMMENT ON COLUMN dams.schema_version.changed IS 'Time of the last change of the version.';
INSERT INTO dams.schema_version (version) SELECT 1 WHERE NOT EXISTS (SELECT FROM dams.schema_version);

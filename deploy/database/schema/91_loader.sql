-- The rights of the loader: it can write the data of `hazard` and its own records, and make temporary tables. It cannot
-- create or drop anything permanent.
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
GRANT USAGE ON SCHEMA exposure, impact TO dams_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA exposure, impact TO dams_loader;
GRANT SELECT, INSERT, UPDATE, DELETE ON dams.load_source, dams.load_table, dams.load_document, dams.load_absence,
    dams.event_alias TO dams_loader;
GRANT INSERT ON dams.changed_item TO dams_loader;
GRANT EXECUTE ON FUNCTION dams.data_versions(), dams.data_sources(), dams.prune_changed_items() TO dams_loader;

DO $$
BEGIN
    EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO dams_loader', current_database());
END
$$;

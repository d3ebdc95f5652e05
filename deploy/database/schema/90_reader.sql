-- The rights of the services: they can only read the data and their versions.
GRANT USAGE ON SCHEMA hazard, dams TO dams_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA hazard TO dams_reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA hazard GRANT SELECT ON TABLES TO dams_reader;
GRANT USAGE ON SCHEMA exposure, impact TO dams_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA exposure, impact TO dams_reader;
GRANT EXECUTE ON FUNCTION dams.data_versions(), dams.data_sources(), dams.changed_items(pg_snapshot),
    dams.event_of_alias(text), dams.histories() TO dams_reader;
GRANT USAGE ON SCHEMA dams_history TO dams_reader;

DO $$
BEGIN
    IF to_regprocedure('dams.casefold(text)') IS NOT NULL THEN
        GRANT EXECUTE ON FUNCTION dams.casefold(text), dams.unaccent(text) TO dams_reader;
    END IF;
END
$$;

-- PostgreSQL lets every role of every database create temporary tables, large objects, tables in `public` and messages
-- in the WAL. A reader needs none of these. A right of PUBLIC cannot be denied to one role, so this revokes it from
-- PUBLIC: grant it to your roles that need it. If the owner may not revoke a right, this does nothing, and `apply`
-- lists the remaining rights.
DO $$
DECLARE
    writer regprocedure;
BEGIN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    FOR writer IN
        SELECT oid FROM pg_proc
        WHERE pronamespace = 'pg_catalog'::regnamespace
          AND proname IN ('lo_creat', 'lo_create', 'lo_from_bytea', 'pg_logical_emit_message')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', writer);
    END LOOP;
END
$$;

-- PostGIS is not a trusted extension: without a superuser it must already be there.
CREATE EXTENSION IF NOT EXISTS postgis;

-- for `q`: similar words if nothing matches. The schema is complete without it.
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported THEN
    RAISE NOTICE 'without pg_trgm, q finds no similar words';
END
$$;

CREATE SCHEMA IF NOT EXISTS dams;
COMMENT ON SCHEMA dams IS 'Internal to the Disaster Analysis and Mapping Service: change log, functions, record of demo data.';

CREATE SCHEMA IF NOT EXISTS hazard;
COMMENT ON SCHEMA hazard IS 'Hazard data: every table is a collection of the Disaster Analysis and Mapping Service.';

DO $$
BEGIN
    CREATE ROLE dams_reader NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;  -- roles belong to the cluster: another database's schema may create it at this moment
END
$$;

-- What the services may see: the data and their versions, nothing else.
GRANT USAGE ON SCHEMA hazard, dams TO dams_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA hazard TO dams_reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA hazard GRANT SELECT ON TABLES TO dams_reader;
GRANT EXECUTE ON FUNCTION dams.data_versions(), dams.unaccent(text) TO dams_reader;

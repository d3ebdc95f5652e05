-- unaccent(text) is only STABLE, because the dictionary is looked up by name along the search path. With the
-- schema of both written out it is constant, and may be used in an index.
DO $$
DECLARE
    home text := (SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
                  WHERE e.extname = 'unaccent');
BEGIN
    EXECUTE format(
        'CREATE OR REPLACE FUNCTION dams.unaccent(text) RETURNS text '
        'LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS %L',
        format('SELECT %s.unaccent(%L::regdictionary, $1)', home, home || '.unaccent'));
END
$$;
COMMENT ON FUNCTION dams.unaccent(text) IS 'The text without accents; immutable, for indexes and accent-insensitive comparison.';

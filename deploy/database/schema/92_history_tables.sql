-- After the rights on the tables, which their versions get, too. A table that has an entry keeps it: the operator may have
-- changed how long versions are kept, or have switched the history off.
DO $$
DECLARE
    relation regclass;
BEGIN
    FOR relation IN
        SELECT c.oid::regclass FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'hazard' AND c.relkind = 'r' AND c.relname LIKE 'hazard\_%'
          AND NOT EXISTS (SELECT FROM dams.history h WHERE h.relation = c.oid)
          AND EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)
    LOOP
        PERFORM dams.keep_history(relation, interval '90 days');
    END LOOP;
END
$$;

-- After the rights on the tables, which their versions get, too. Tables of sources that revise what they said. Only where an operator has not decided: neither how long versions are
-- kept nor a history that was switched off is set back.
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

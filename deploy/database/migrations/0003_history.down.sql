-- Deletes all earlier versions of rows, which an older release cannot read. The tables keep their current rows.
DO $$
DECLARE
    kept regclass;
BEGIN
    IF to_regclass('dams.history') IS NOT NULL THEN
        FOR kept IN SELECT h.relation FROM dams.history h LOOP
            PERFORM dams.forget_history(kept);
        END LOOP;
    END IF;
END
$$;
DROP FUNCTION IF EXISTS dams.histories(), dams.forget_history(regclass), dams.keep_history(regclass, interval),
    dams.record_history(), dams.prune_history(regclass), dams.follow_history(regclass), dams.history_stamp(), dams.history_shape(oid);
DROP TABLE IF EXISTS dams.history;
DROP SCHEMA IF EXISTS dams_history;

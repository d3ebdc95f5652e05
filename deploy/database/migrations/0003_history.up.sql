-- schema/16_history.sql creates the history, which begins when the migration runs.
SELECT 1;

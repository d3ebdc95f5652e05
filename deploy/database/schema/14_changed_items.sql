-- The rows that a transaction changed, recorded by writers that name them, such as the loader. The change log says only
-- that a table was changed. A writer adds these rows in the transaction of the change, so that both become visible
-- together.
CREATE TABLE IF NOT EXISTS dams.changed_item (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    relation oid NOT NULL,
    item text,
    action text CHECK (action IN ('create', 'update', 'delete')),
    txid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE dams.changed_item IS E'Changed rows\nThe rows that transactions of the loader changed in the last hour, at most 100,000.';
COMMENT ON COLUMN dams.changed_item.item IS 'Item. The id of the row; empty where a transaction changed more than a thousand rows of a table.';
COMMENT ON COLUMN dams.changed_item.txid IS 'Transaction. The one that changed the row, as in dams.change_log.';
CREATE INDEX IF NOT EXISTS changed_item_at ON dams.changed_item (at);

-- The caller keeps the snapshot and the versions of its last call. If a version has grown by the number of transactions
-- here, all changed rows are named. If it has grown by more, another writer changed rows without naming them.
CREATE OR REPLACE FUNCTION dams.changed_items(since pg_snapshot)
RETURNS TABLE (relation oid, txid xid8, item text, action text)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.relation, c.txid, c.item, c.action FROM dams.changed_item c
    WHERE c.txid >= pg_snapshot_xmin(since) AND NOT pg_visible_in_snapshot(c.txid, since)
    ORDER BY c.id LIMIT 20000
$$;
COMMENT ON FUNCTION dams.changed_items(pg_snapshot) IS
    'The rows that transactions changed that could not be seen in the snapshot and can be seen now.';
REVOKE ALL ON FUNCTION dams.changed_items(pg_snapshot) FROM PUBLIC;

CREATE OR REPLACE FUNCTION dams.prune_changed_items() RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH gone AS (
        DELETE FROM dams.changed_item
        WHERE at < now() - interval '1 hour' OR id < (SELECT max(id) - 100000 FROM dams.changed_item)
        RETURNING id
    ) SELECT count(*) FROM gone
$$;
COMMENT ON FUNCTION dams.prune_changed_items() IS 'Deletes records of changes older than an hour; returns their number.';
REVOKE ALL ON FUNCTION dams.prune_changed_items() FROM PUBLIC;

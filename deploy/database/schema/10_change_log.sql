-- The data version of a relation is (oid, sum(n), xor of token) over the visible rows of its change log. Every
-- transaction that changes a watched table adds separate rows. So both change exactly when such a transaction commits,
-- in any order of commits, and no writer waits for another. A sequence or a counter row is not enough: a sequence
-- changes before the data are visible, and a counter row makes writers wait. The sum alone is not enough: after a
-- restore to an earlier time and as many changes as were lost, it would be the same again. Tokens are random, so two
-- states of the data never have the same version.
CREATE TABLE IF NOT EXISTS dams.change_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    relation oid NOT NULL,
    n bigint NOT NULL DEFAULT 1,
    token bigint NOT NULL DEFAULT hashtextextended(gen_random_uuid()::text, 0),
    txid xid8,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE dams.change_log IS E'Changes of watched tables\nAppend-only; a row per transaction and changed relation, summed up by dams.prune_change_log().';
COMMENT ON COLUMN dams.change_log.relation IS 'Relation. The oid of the changed table, partition or parent table.';
COMMENT ON COLUMN dams.change_log.n IS 'Changes. The number of changes that the row stands for.';
COMMENT ON COLUMN dams.change_log.token IS 'Token. Random; of a row that pruning made, all tokens of the rows before it combined (xor).';
COMMENT ON COLUMN dams.change_log.txid IS 'Transaction. The one that changed the table; null in rows that pruning made.';
COMMENT ON COLUMN dams.change_log.at IS 'Time of the change. When the transaction first changed the table, which is before it committed.';

-- A table, and what shares its rows by partitioning or inheritance: a statement on the parent fires no
-- statement trigger of the partitions, nor the other way round.
CREATE OR REPLACE FUNCTION dams.related_relations(relation oid) RETURNS SETOF oid
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE ancestors AS (
        SELECT relation AS member
        UNION SELECT i.inhparent FROM ancestors a JOIN pg_inherits i ON i.inhrelid = a.member
    ), descendants AS (
        SELECT relation AS member
        UNION SELECT i.inhrelid FROM descendants d JOIN pg_inherits i ON i.inhparent = d.member
    )
    SELECT member FROM ancestors UNION SELECT member FROM descendants
$$;

-- Sums the visible rows up to one per relation. One statement, so no snapshot sees it half done; it
-- skips what another pruner has locked and never waits; rows of transactions under way are not visible to it.
CREATE OR REPLACE FUNCTION dams.prune_change_log() RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH crowded AS (
        SELECT l.relation FROM dams.change_log l GROUP BY l.relation HAVING count(*) > 1
    ), chosen AS (
        SELECT l.id FROM dams.change_log l
        WHERE l.relation IN (SELECT c.relation FROM crowded c)
           OR NOT EXISTS (SELECT FROM pg_class k WHERE k.oid = l.relation)
        FOR UPDATE OF l SKIP LOCKED
    ), gone AS (
        DELETE FROM dams.change_log l USING chosen c WHERE l.id = c.id RETURNING l.relation, l.n, l.token, l.at
    ), summed AS (
        INSERT INTO dams.change_log (relation, n, token, at)
        SELECT g.relation, sum(g.n)::bigint, bit_xor(g.token), max(g.at) FROM gone g
        WHERE EXISTS (SELECT FROM pg_class k WHERE k.oid = g.relation)
        GROUP BY g.relation
    )
    SELECT count(*) FROM gone
$$;
COMMENT ON FUNCTION dams.prune_change_log() IS
    'Sums the change log up to one row per relation without changing a version; returns the number of rows removed.';
REVOKE ALL ON FUNCTION dams.prune_change_log() FROM PUBLIC;

-- "Seen already" is kept in a transaction-local setting rather than looked up in the log: a rollback to a
-- savepoint takes the setting back together with the row, and a serializable writer reads nothing that
-- another one writes.
CREATE OR REPLACE FUNCTION dams.record_change() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    setting text := 'dams.changed_' || TG_RELID;
    this_transaction text := pg_current_xact_id()::text;
BEGIN
    IF current_setting(setting, true) = this_transaction THEN
        RETURN NULL;
    END IF;
    INSERT INTO dams.change_log (relation, txid)
    SELECT r, pg_current_xact_id() FROM dams.related_relations(TG_RELID) r;
    PERFORM set_config(setting, this_transaction, true);
    -- The services add the server's counters to the version, for writes that fire no trigger. Counted right after the
    -- commit they change together with the log: a change is one version, not two.
    PERFORM pg_stat_force_next_flush();
    -- Stricter levels would fail where another transaction pruned since their snapshot.
    IF random() < 0.02 AND current_setting('transaction_isolation') = 'read committed' THEN
        PERFORM dams.prune_change_log();
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION dams.record_change() IS 'Statement trigger that appends to dams.change_log; attached by dams.watch().';

-- ENABLE ALWAYS: bulk loaders that set session_replication_role must not go unseen.
CREATE OR REPLACE FUNCTION dams.watch(relation regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    member regclass;
BEGIN
    IF (SELECT relkind FROM pg_class WHERE oid = relation) NOT IN ('r', 'p') THEN
        RAISE EXCEPTION '% is not a table', relation USING ERRCODE = 'wrong_object_type';
    END IF;
    FOR member IN
        SELECT m FROM dams.related_relations(relation) m
        WHERE NOT EXISTS (SELECT FROM pg_trigger t
                          WHERE t.tgrelid = m AND t.tgname = 'dams_record_change' AND t.tgenabled = 'A')
    LOOP
        -- ENABLE TRIGGER, as pg_restore --disable-triggers ends, leaves one that replicas do not fire.
        EXECUTE format('CREATE OR REPLACE TRIGGER dams_record_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s '
                       'FOR EACH STATEMENT EXECUTE FUNCTION dams.record_change()', member);
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER dams_record_change', member);
        -- All changes before the table was watched count as one change.
        INSERT INTO dams.change_log (relation, txid) VALUES (member, pg_current_xact_id());
    END LOOP;
END
$$;
COMMENT ON FUNCTION dams.watch(regclass) IS
    'Records every later change of the table (with its partitions, parents and children) in dams.change_log.';

CREATE OR REPLACE FUNCTION dams.data_versions()
RETURNS TABLE (relation oid, version bigint, changed_at timestamptz, token bigint)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT t.tgrelid, coalesce(sum(l.n), 0)::bigint, max(l.at), coalesce(bit_xor(l.token), 0)
    FROM pg_trigger t LEFT JOIN dams.change_log l ON l.relation = t.tgrelid
    WHERE t.tgfoid = 'dams.record_change()'::regprocedure AND t.tgenabled <> 'D'
    GROUP BY t.tgrelid
$$;
COMMENT ON FUNCTION dams.data_versions() IS
    'The watched relations: oid, version (changes exactly when a transaction that changed it commits), time of the last change, token (changes with the version, and is another in every history of the database).';

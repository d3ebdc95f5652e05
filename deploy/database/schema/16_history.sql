-- The rows of a table at any past time. `dams.keep_history` gives a table: the versions that were replaced, the
-- time since when a current row is as it is (if it has changed since the history began), and a function that returns the
-- rows at a time. Requests without a time do not touch any of these, and no object depends on the table.
--
-- Rows of a transaction get one time, its stamp. A transaction may commit long after its stamp, and until then the past
-- since its stamp is not final. So it holds a shared advisory lock that names the second before its stamp: the past
-- before the oldest of these locks is final (libs/catalogue/database_state.py).
CREATE SCHEMA IF NOT EXISTS dams_history;
COMMENT ON SCHEMA dams_history IS 'Earlier versions of rows, for requests with asOf; made by dams.keep_history().';

CREATE TABLE IF NOT EXISTS dams.history (
    relation regclass PRIMARY KEY,
    name text NOT NULL UNIQUE,
    since timestamptz,
    kept interval,
    shape text NOT NULL DEFAULT '',
    keys text[] NOT NULL DEFAULT '{}',
    columns text NOT NULL DEFAULT ''
);
COMMENT ON TABLE dams.history IS E'Tables with history\nA row per table whose earlier versions are kept, or were switched off.';
COMMENT ON COLUMN dams.history.relation IS 'Table.';
COMMENT ON COLUMN dams.history.name IS 'Name. The stored versions have this name in dams_history; it is that of the table when its history began.';
COMMENT ON COLUMN dams.history.since IS 'Since. The earliest time of which the state is known; empty if switched off.';
COMMENT ON COLUMN dams.history.kept IS 'Kept. How long versions are kept after they were replaced; empty: for ever.';
COMMENT ON COLUMN dams.history.shape IS 'Shape. The columns that the stored versions follow.';
COMMENT ON COLUMN dams.history.keys IS 'Keys. The columns of the primary key.';
COMMENT ON COLUMN dams.history.columns IS 'Columns. All columns, quoted, with commas between them.';

CREATE OR REPLACE FUNCTION dams.history_shape(relation oid) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT relation::regclass || ': ' || string_agg(quote_ident(attname) || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum)
        || coalesce((SELECT ' key ' || array_to_string(indkey, ' ') FROM pg_index WHERE indrelid = relation AND indisprimary), '')
    FROM pg_attribute WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped
$$;
COMMENT ON FUNCTION dams.history_shape(oid) IS 'A text that changes with name, columns, types and primary key of a table.';

-- The number is that of the lock's class; seconds count from November 2023, so that they fit.
CREATE OR REPLACE FUNCTION dams.history_stamp() RETURNS timestamptz
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
DECLARE
    this_transaction text := pg_current_xact_id()::text;
    known text := coalesce(current_setting('dams.history_stamp', true), '');
    stamp timestamptz;
BEGIN
    IF split_part(known, ' at ', 1) = this_transaction THEN
        RETURN split_part(known, ' at ', 2)::timestamptz;
    END IF;
    PERFORM pg_advisory_xact_lock_shared(1145588051, (floor(extract(epoch FROM clock_timestamp())) - 1700000000)::integer);
    stamp := clock_timestamp();
    PERFORM set_config('dams.history_stamp', this_transaction || ' at ' || stamp, true);
    RETURN stamp;
END
$$;
COMMENT ON FUNCTION dams.history_stamp() IS 'The time at which the rows that this transaction writes become current.';

-- Creates what is missing, and follows new and dropped columns. A column with another type or another key starts the
-- history again. Called by dams.keep_history, and by the trigger where the columns have changed.
CREATE OR REPLACE FUNCTION dams.follow_history(relation regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name text; versions text; starts text; key_names text[]; key_list text; column_list text; missing record; same_key text;
    present text; earlier text;
BEGIN
    SELECT h.name INTO name FROM dams.history h WHERE h.relation = follow_history.relation;
    versions := format('dams_history.%I', name);
    starts := format('dams_history.%I', name || ' starts');
    SELECT array_agg(a.attname::text ORDER BY array_position(i.indkey::int2[], a.attnum)) INTO key_names
    FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
    WHERE i.indrelid = relation AND i.indisprimary;
    IF key_names IS NULL THEN
        RAISE EXCEPTION '% has no primary key, hence no history', relation USING ERRCODE = 'wrong_object_type';
    END IF;
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO column_list
    FROM pg_attribute WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped;
    SELECT string_agg(quote_ident(k), ', '), string_agg(format('s.%1$I = t.%1$I', k), ' AND ') INTO key_list, same_key
    FROM unnest(key_names) k;
    EXECUTE format('DROP FUNCTION IF EXISTS %s(timestamptz)', versions);
    IF to_regclass(versions) IS NOT NULL AND (
        key_names IS DISTINCT FROM (SELECT h.keys FROM dams.history h WHERE h.relation = follow_history.relation)
        OR EXISTS (
            SELECT FROM pg_attribute a JOIN pg_attribute v ON v.attrelid = to_regclass(versions) AND v.attname = a.attname
            WHERE a.attrelid = follow_history.relation AND a.attnum > 0 AND NOT a.attisdropped AND NOT v.attisdropped
              AND (v.atttypid, v.atttypmod) <> (a.atttypid, a.atttypmod)
        )
    ) THEN
        EXECUTE format('DROP TABLE %s, %s', versions, starts);
    END IF;
    IF to_regclass(versions) IS NULL THEN
        EXECUTE format('CREATE TABLE %s AS SELECT %s, NULL::timestamptz AS dams_known_from, NULL::timestamptz AS dams_known_until '
                       'FROM %s WITH NO DATA', versions, column_list, relation);
        EXECUTE format('CREATE TABLE %s AS SELECT %s, NULL::timestamptz AS dams_known_from FROM %s WITH NO DATA',
                       starts, key_list, relation);
        EXECUTE format('ALTER TABLE %s ADD PRIMARY KEY (%s)', starts, key_list);
        EXECUTE format('CREATE INDEX ON %s (%s)', versions, key_list);
        EXECUTE format('CREATE INDEX ON %s (dams_known_until)', versions);
        UPDATE dams.history h SET since = clock_timestamp() WHERE h.relation = follow_history.relation;
        IF to_regrole('dams_reader') IS NOT NULL AND has_table_privilege('dams_reader', relation, 'SELECT') THEN
            EXECUTE format('GRANT SELECT ON %s, %s TO dams_reader', versions, starts);
        END IF;
    END IF;
    FOR missing IN
        SELECT a.attname, format_type(a.atttypid, a.atttypmod) AS type, a.atttypid::regtype::text LIKE '%geometry' AS spatial
        FROM pg_attribute a WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped
    LOOP
        IF NOT EXISTS (SELECT FROM pg_attribute v WHERE v.attrelid = to_regclass(versions) AND v.attname = missing.attname) THEN
            EXECUTE format('ALTER TABLE %s ADD COLUMN %I %s', versions, missing.attname, missing.type);
        END IF;
        IF missing.spatial AND NOT EXISTS (
            SELECT FROM pg_index i JOIN pg_attribute v ON v.attrelid = i.indrelid AND v.attnum = i.indkey[0]
            WHERE i.indrelid = to_regclass(versions) AND v.attname = missing.attname
        ) THEN
            EXECUTE format('CREATE INDEX ON %s USING gist (%I)', versions, missing.attname);
        END IF;
    END LOOP;
    -- of the type of the stored versions, so that the table can be dropped
    SELECT string_agg(CASE WHEN a.attname IS NULL THEN format('NULL::%s', format_type(v.atttypid, v.atttypmod))
            ELSE format('t.%I', a.attname) END, ', ' ORDER BY v.attnum), string_agg(format('v.%I', v.attname), ', ' ORDER BY v.attnum)
    INTO present, earlier
    FROM pg_attribute v LEFT JOIN pg_attribute a ON a.attrelid = follow_history.relation AND a.attname = v.attname
        AND a.attnum > 0 AND NOT a.attisdropped
    WHERE v.attrelid = to_regclass(versions) AND v.attnum > 0 AND NOT v.attisdropped;
    -- written so that PostgreSQL inlines it: filters and boxes use the indexes of both parts
    EXECUTE format('CREATE FUNCTION %1$s(moment timestamptz) RETURNS SETOF %1$s LANGUAGE sql STABLE PARALLEL SAFE AS %2$L',
        versions, format(
            'SELECT %s FROM %s t WHERE NOT EXISTS (SELECT FROM %s s WHERE %s AND s.dams_known_from > moment) '
            'UNION ALL SELECT %s FROM %s v WHERE v.dams_known_from <= moment AND v.dams_known_until > moment',
            present, relation, starts, same_key, earlier, versions));
    UPDATE dams.history h SET shape = dams.history_shape(h.relation), keys = key_names, columns = column_list
    WHERE h.relation = follow_history.relation;
END
$$;
COMMENT ON FUNCTION dams.follow_history(regclass) IS 'Makes the stored versions of a table have its present columns.';

-- Deletes what is older than the time to keep, a day late: services that do not know the new beginning yet may still
-- read what was before it.
CREATE OR REPLACE FUNCTION dams.prune_history(relation regclass) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    begins timestamptz; name text; deleted bigint;
BEGIN
    -- rarely, as the beginning is part of what services publish; concurrent pruners skip each other
    SELECT now() - h.kept, h.name INTO begins, name FROM dams.history h
    WHERE h.relation = prune_history.relation AND h.since < now() - h.kept - interval '1 hour' FOR UPDATE OF h SKIP LOCKED;
    IF begins IS NULL THEN
        RETURN 0;
    END IF;
    EXECUTE format('DELETE FROM dams_history.%I WHERE dams_known_until <= $1', name) USING begins - interval '1 day';
    GET DIAGNOSTICS deleted = ROW_COUNT;
    EXECUTE format('DELETE FROM dams_history.%I WHERE dams_known_from <= $1', name || ' starts') USING begins - interval '1 day';
    UPDATE dams.history h SET since = begins WHERE h.relation = prune_history.relation;
    RETURN deleted;
END
$$;
COMMENT ON FUNCTION dams.prune_history(regclass) IS 'Deletes versions that were replaced longer ago than they are kept; returns their number.';
REVOKE ALL ON FUNCTION dams.prune_history(regclass) FROM PUBLIC;

CREATE OR REPLACE FUNCTION dams.record_history() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    h dams.history;
    stamp timestamptz;
    versions text; starts text;
    keys text; same_start text; same_new text; same_old text; gone text;
BEGIN
    SELECT * INTO h FROM dams.history WHERE relation = TG_RELID;
    IF h.since IS NULL THEN
        RETURN NULL;
    END IF;
    IF h.shape <> dams.history_shape(TG_RELID) THEN
        PERFORM dams.follow_history(TG_RELID);
        SELECT * INTO h FROM dams.history WHERE relation = TG_RELID;
    END IF;
    stamp := dams.history_stamp();
    versions := format('dams_history.%I', h.name);
    starts := format('dams_history.%I', h.name || ' starts');
    SELECT string_agg(quote_ident(k), ', '), string_agg(format('s.%1$I = o.%1$I', k), ' AND '),
        string_agg(format('n.%1$I = o.%1$I', k), ' AND ')
    INTO keys, same_start, same_new FROM unnest(h.keys) k;
    same_old := same_new;
    gone := CASE TG_OP
        WHEN 'DELETE' THEN 'old_rows o'
        WHEN 'TRUNCATE' THEN format('%I.%I o', TG_TABLE_SCHEMA, TG_TABLE_NAME)
        -- a row that is written unchanged makes no version
        WHEN 'UPDATE' THEN format('(SELECT o.* FROM old_rows o WHERE NOT EXISTS '
            '(SELECT FROM new_rows n WHERE %s AND n *= o)) o', same_new)
    END;
    IF gone IS NOT NULL THEN
        -- another transaction may have written the row after this one got its stamp, and committed before it
        EXECUTE format('INSERT INTO %s (%s, dams_known_from, dams_known_until) SELECT %s, coalesce(s.dams_known_from, $2), $1 '
            'FROM %s LEFT JOIN %s s ON %s WHERE coalesce(s.dams_known_from, $2) < $1',
            versions, h.columns, 'o.' || replace(h.columns, ', ', ', o.'), gone, starts, same_start) USING stamp, h.since;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        EXECUTE format('DELETE FROM %s s USING old_rows o WHERE %s AND NOT EXISTS (SELECT FROM new_rows n WHERE %s)',
            starts, same_start, same_new);
        EXECUTE format('INSERT INTO %s AS s SELECT %s, $1 FROM new_rows n WHERE NOT EXISTS '
            '(SELECT FROM old_rows o WHERE %s AND n *= o) ON CONFLICT (%s) DO UPDATE '
            'SET dams_known_from = greatest(s.dams_known_from, excluded.dams_known_from)',
            starts, keys, same_old, keys) USING stamp;
    ELSIF TG_OP = 'INSERT' THEN
        EXECUTE format('INSERT INTO %s AS s SELECT %s, $1 FROM new_rows ON CONFLICT (%s) DO UPDATE '
            'SET dams_known_from = greatest(s.dams_known_from, excluded.dams_known_from)', starts, keys, keys) USING stamp;
    ELSIF TG_OP = 'DELETE' THEN
        EXECUTE format('DELETE FROM %s s USING old_rows o WHERE %s', starts, same_start);
    ELSE
        EXECUTE format('DELETE FROM %s', starts);
    END IF;
    IF random() < 0.02 AND current_setting('transaction_isolation') = 'read committed' THEN
        PERFORM dams.prune_history(TG_RELID);
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION dams.record_history() IS 'Statement trigger that stores the versions that a statement replaces; attached by dams.keep_history().';

-- `kept` is null for ever. Repeated, it changes how long versions are kept.
CREATE OR REPLACE FUNCTION dams.keep_history(relation regclass, kept interval) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry record;
    is_new boolean;
    title text;
BEGIN
    IF (SELECT relkind <> 'r' OR relispartition OR relrowsecurity FROM pg_class WHERE oid = relation)
        OR EXISTS (SELECT FROM pg_inherits WHERE inhparent = relation OR inhrelid = relation) THEN
        RAISE EXCEPTION '% is not a plain table: views, partitioned tables, children and tables with row security have no history',
            relation USING ERRCODE = 'wrong_object_type';
    END IF;
    SELECT n.nspname || '.' || c.relname INTO title FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = relation;
    IF octet_length(title) > 50 THEN
        RAISE EXCEPTION 'the name % is too long for a history', relation USING ERRCODE = 'name_too_long';
    END IF;
    -- waits for running writers, whose rows would otherwise miss their beginning
    EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', relation);
    SELECT NOT EXISTS (SELECT FROM dams.history h WHERE h.relation = keep_history.relation AND h.since IS NOT NULL) INTO is_new;
    DELETE FROM dams.history h WHERE NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = h.relation);
    INSERT INTO dams.history AS h (relation, name, since, kept) VALUES (keep_history.relation, title, clock_timestamp(), keep_history.kept)
    ON CONFLICT ON CONSTRAINT history_pkey DO UPDATE SET kept = excluded.kept, since = coalesce(h.since, excluded.since);
    IF is_new OR (SELECT h.shape <> dams.history_shape(h.relation) FROM dams.history h WHERE h.relation = keep_history.relation) THEN
        PERFORM dams.follow_history(relation);
    END IF;
    FOR entry IN
        SELECT * FROM (VALUES ('insert', 'AFTER INSERT', 'REFERENCING NEW TABLE AS new_rows'),
            ('update', 'AFTER UPDATE', 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows'),
            ('delete', 'AFTER DELETE', 'REFERENCING OLD TABLE AS old_rows'), ('truncate', 'BEFORE TRUNCATE', '')) e (suffix, event, rows)
        WHERE NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = relation
            AND t.tgname = 'dams_history_' || e.suffix AND t.tgenabled = 'A')
    LOOP
        EXECUTE format('CREATE OR REPLACE TRIGGER dams_history_%s %s ON %s %s FOR EACH STATEMENT EXECUTE FUNCTION dams.record_history()',
            entry.suffix, entry.event, relation, entry.rows);
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER dams_history_%s', relation, entry.suffix);
    END LOOP;
END
$$;
COMMENT ON FUNCTION dams.keep_history(regclass, interval) IS
    'Keeps the earlier versions of the rows of a table, each for this long after it was replaced; null: for ever.';

CREATE OR REPLACE FUNCTION dams.forget_history(relation regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name text; suffix text;
BEGIN
    SELECT h.name INTO name FROM dams.history h WHERE h.relation = forget_history.relation;
    FOREACH suffix IN ARRAY ARRAY['insert', 'update', 'delete', 'truncate'] LOOP
        EXECUTE format('DROP TRIGGER IF EXISTS dams_history_%s ON %s', suffix, relation);
    END LOOP;
    EXECUTE format('DROP FUNCTION IF EXISTS dams_history.%I(timestamptz)', name);
    EXECUTE format('DROP TABLE IF EXISTS dams_history.%I, dams_history.%I', name, name || ' starts');
    -- the row stays, so that `apply` does not switch the history on again
    UPDATE dams.history h SET since = NULL, shape = '', keys = '{}' WHERE h.relation = forget_history.relation;
END
$$;
COMMENT ON FUNCTION dams.forget_history(regclass) IS 'Deletes the history of a table and switches it off.';

CREATE OR REPLACE FUNCTION dams.histories() RETURNS TABLE (relation oid, name text, since timestamptz, keys text[])
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT h.relation::oid, h.name, h.since, h.keys FROM dams.history h
    JOIN pg_class c ON c.oid = h.relation::oid AND NOT c.relrowsecurity
    WHERE h.since IS NOT NULL AND h.shape = dams.history_shape(h.relation)
$$;
COMMENT ON FUNCTION dams.histories() IS
    'The tables with a history that fits their present columns, and the earliest time of which their state is known.';

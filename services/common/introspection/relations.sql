-- One row per relation in the given schemas that the role may read: what it is, its columns, its key.
-- Only the system catalogues are read, so the cost does not depend on the number of rows.
WITH locked AS MATERIALIZED (
    -- relations that a session has locked exclusively, or waits to lock: opening one would wait too, as the functions
    -- for sizes and view definitions would
    SELECT coalesce(i.indrelid, l.relation) AS oid
    FROM pg_locks l
    LEFT JOIN pg_index i ON i.indexrelid = l.relation
    WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock'
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
),
relation AS (
    SELECT c.oid, n.nspname, c.relname, c.relkind, c.relhassubclass, c.relrowsecurity, c.relispopulated, c.reltuples, c.reltoastrelid,
        EXISTS (SELECT FROM locked WHERE locked.oid = c.oid) AS locked,
        obj_description(c.oid, 'pg_class') AS comment
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = ANY ($1::text[])
      AND c.relkind IN ('r', 'v', 'm', 'p', 'f')
      AND NOT c.relispartition
      AND has_schema_privilege(n.oid, 'USAGE')
      -- every column must be readable: a role with rights on some columns only would meet errors later
      AND has_table_privilege(c.oid, 'SELECT')
      -- objects of an extension, such as spatial_ref_sys, are left out
      AND (n.nspname || '.' || c.relname = ANY ($2::text[]) OR NOT EXISTS (
          SELECT FROM pg_depend d
          WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
      ))
),
first_column AS (
    -- first column of each plain btree index: MIN and MAX on it are one index probe
    SELECT DISTINCT i.indrelid, i.indkey[0] AS attnum
    FROM pg_index i
    JOIN pg_class ic ON ic.oid = i.indexrelid
    JOIN pg_am am ON am.oid = ic.relam AND am.amname = 'btree'
    WHERE i.indisvalid AND i.indpred IS NULL AND i.indkey[0] <> 0
),
attribute AS (
    SELECT
        a.attrelid,
        -- json, not jsonb, which would sort the members of each
        json_agg(json_build_object(
            'name', a.attname,
            -- of a column that was dropped and added again by the same name, another
            'number', a.attnum,
            -- of a domain, what it is made of
            'sql_type', format_type(bt.oid, CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END),
            'enum', CASE WHEN bt.typtype = 'e' THEN
                (SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = bt.oid)
            END,
            'base_type', bt.typname,
            'type_kind', bt.typtype,
            'category', bt.typcategory,
            'element_type', et.typname,
            'element_kind', et.typtype,
            'not_null', a.attnotnull,
            'indexed', l.attnum IS NOT NULL,
            'comment', d.description,
            -- the typmod of a domain over geometry stands in the domain
            'typmod', CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END
        ) ORDER BY a.attnum) AS columns
    FROM pg_attribute a
    JOIN relation r ON r.oid = a.attrelid
    JOIN pg_type t ON t.oid = a.atttypid
    JOIN pg_type bt ON bt.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
    LEFT JOIN pg_type et ON et.oid = bt.typelem AND bt.typcategory = 'A'
    LEFT JOIN first_column l ON l.indrelid = a.attrelid AND l.attnum = a.attnum
    LEFT JOIN pg_description d ON d.objoid = a.attrelid AND d.objsubid = a.attnum AND d.classoid = 'pg_class'::regclass
    WHERE a.attnum > 0 AND NOT a.attisdropped
    GROUP BY a.attrelid
),
key AS (
    -- the primary key, else a unique index on one column that cannot be null
    SELECT DISTINCT ON (i.indrelid) i.indrelid, a.attname
    FROM pg_index i
    -- other tables of the database need not be sorted
    JOIN relation r ON r.oid = i.indrelid
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
    WHERE i.indnkeyatts = 1 AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
      AND i.indkey[0] <> 0 AND (i.indisprimary OR a.attnotnull)
    ORDER BY i.indrelid, i.indisprimary DESC, i.indexrelid
),
unstable AS MATERIALIZED (
    -- functions that depend on the clock, the session or the system catalogues. PostgreSQL records no dependency on
    -- built-in functions, so the text of a definition must be searched. Stable functions that depend only on settings
    -- (to_char) are not included, as the settings of our sessions never change (key words are in capitals there; no \m
    -- and no \M, which cost several times as much)
    SELECT '[^\w"](' || string_agg(DISTINCT p.proname, '|') || '|age|mxid_age|current_setting|to_reg[a-z]+'
        '|has_[a-z_]+_privilege|row_security_active|(obj|col|shobj)_description|(database|schema|table)_to_xml[a-z_]*)\('
        '|[^\w"](CURRENT_(DATE|TIME|TIMESTAMP|USER|ROLE|CATALOG|SCHEMA)|SESSION_USER|USER|LOCALTIME(STAMP)?|TABLESAMPLE'
        '|information_schema|pg_([^c]\w*|c[^a]\w*|ca[^t]\w*))[^\w"]'
        '|''([nN][oO][wW]|[tT][oO][dD][aA][yY]|[tT][oO][mM][oO][rR][rR][oO][wW]|[yY][eE][sS][tT][eE][rR][dD][aA][yY])\M'
        AS pattern
    FROM pg_proc p
    WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f' AND p.proname !~ '^(pg|jsonb?)_'
      AND (p.provolatile = 'v' OR p.provolatile = 's' AND p.pronargs = 0)
      -- none that only the server itself calls
      AND p.prorettype NOT IN (SELECT oid FROM pg_type WHERE typtype = 'p')
)
SELECT
    r.oid::bigint AS oid,
    r.nspname AS schema,
    r.relname AS name,
    r.relkind AS kind,
    -- a materialised view that was never filled cannot be read
    r.relispopulated AS populated,
    CASE WHEN r.reltuples >= 0 THEN r.reltuples::bigint END AS rows,
    -- with values stored out of line, such as large geometries
    CASE WHEN r.reltuples > 0 AND r.relkind IN ('r', 'm') AND NOT r.locked
        THEN (pg_table_size(r.oid) / r.reltuples)::bigint END AS row_bytes,
    -- a table has large rows if it stores values out of line; other relations cannot be checked and count as large
    CASE WHEN r.relkind NOT IN ('r', 'm') OR r.relhassubclass OR r.locked THEN true
        WHEN r.reltoastrelid = 0 THEN false ELSE pg_relation_size(r.reltoastrelid) > 16384 END AS large_rows,
    r.comment AS comment,
    k.attname AS key,
    -- an index of a table does not cover its children (INHERITS)
    r.relkind <> 'p' AND EXISTS (SELECT FROM pg_inherits i WHERE i.inhparent = r.oid) AS key_repeats,
    -- policies hide rows from this role: what the server keeps of all rows tells of hidden ones, too
    row_security_active(r.oid) AS row_security,
    a.columns::text AS columns,
    CASE WHEN r.relkind = 'f' THEN '{}' ELSE coalesce(dependency.sources, ARRAY[r.oid::bigint]) END AS sources,
    dependency.text AS definition,
    -- the list of events with products, which deploy.impact keeps
    (SELECT c.oid::bigint FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'impact' AND c.relname = 'event' AND c.relkind = 'r'
       AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')) AS impact_source,
    -- size and definition are not known, and what is known of it and its rows otherwise stays as it was
    r.locked OR coalesce(dependency.locked, false) AS locked
FROM relation r
JOIN attribute a ON a.attrelid = r.oid
LEFT JOIN key k ON k.indrelid = r.oid
LEFT JOIN LATERAL (
    -- the tables under a view or a partitioned table, or that its policies read: their changes are its changes
    WITH RECURSIVE under(oid) AS (
        SELECT r.oid
        UNION
        SELECT found.oid
        FROM under u
        CROSS JOIN LATERAL (
            SELECT d.refobjid AS oid
            FROM pg_rewrite w
            JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
                AND d.refclassid = 'pg_class'::regclass
            JOIN pg_class k ON k.oid = w.ev_class AND k.relkind = 'v'
            WHERE w.ev_class = u.oid
            UNION ALL
            SELECT d.refobjid
            FROM pg_policy p
            JOIN pg_depend d ON d.classid = 'pg_policy'::regclass AND d.objid = p.oid
                AND d.refclassid = 'pg_class'::regclass
            WHERE p.polrelid = u.oid
            UNION ALL
            SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = u.oid
        ) found
    ),
    blocked AS (
        SELECT EXISTS (SELECT FROM under u JOIN locked l ON l.oid = u.oid) AS locked
    ),
    -- the definition that determines the rows; xmin is the transaction that wrote it and differs after each change
    definition AS (
        SELECT f.*
        FROM under u
        CROSS JOIN LATERAL (
            SELECT 'pg_rewrite'::regclass AS catalogue, w.oid, w.xmin,
                CASE WHEN NOT (SELECT locked FROM blocked) THEN pg_get_viewdef(w.ev_class) END AS text
            FROM pg_rewrite w
            JOIN pg_class k ON k.oid = w.ev_class AND k.relkind = 'v'
            WHERE w.ev_class = u.oid AND w.ev_type = '1'
            UNION ALL
            SELECT 'pg_policy'::regclass, p.oid, p.xmin,
                CASE WHEN NOT (SELECT locked FROM blocked) THEN pg_get_expr(p.polqual, p.polrelid) END
            FROM pg_policy p
            JOIN pg_class k ON k.oid = p.polrelid AND k.relrowsecurity
            WHERE p.polrelid = u.oid
        ) f
    ),
    called AS (
        SELECT DISTINCT p.*
        FROM definition f
        CROSS JOIN LATERAL (
            SELECT p.oid, p.xmin, p.provolatile
            FROM pg_depend d
            JOIN pg_proc p ON p.oid = d.refobjid
            WHERE d.classid = f.catalogue AND d.objid = f.oid AND d.refclassid = 'pg_proc'::regclass
            -- for each by itself, by its index: the planner expects many
            OFFSET 0
        ) p
    )
    SELECT
        -- null if rows can change without a change of a counted table (with the clock, or in another database), and if
        -- that cannot be determined at the moment
        CASE WHEN (SELECT locked FROM blocked) AND EXISTS (SELECT FROM definition)
            OR EXISTS (SELECT FROM under u JOIN pg_class k ON k.oid = u.oid AND k.relkind IN ('f', 'S'))
            OR EXISTS (SELECT FROM definition f, unstable WHERE ' ' || f.text || ' ' ~ unstable.pattern)
            OR EXISTS (SELECT FROM called WHERE provolatile <> 'i')
        THEN '{}' ELSE ARRAY(SELECT u.oid::bigint FROM under u ORDER BY u.oid) END AS sources,
        concat_ws(
            ' ',
            (SELECT string_agg(f.oid || '.' || f.xmin, ' ' ORDER BY f.oid) FROM definition f),
            (SELECT string_agg(p.oid || '.' || p.xmin, ' ' ORDER BY p.oid) FROM called p),
            -- without a policy, row security hides all rows
            (SELECT string_agg(k.oid || '.' || k.relforcerowsecurity, ' ' ORDER BY k.oid)
             FROM under u JOIN pg_class k ON k.oid = u.oid AND k.relrowsecurity)
        ) AS text,
        (SELECT locked FROM blocked) AS locked
) dependency ON r.relkind IN ('v', 'p') OR r.relhassubclass OR r.relrowsecurity
ORDER BY r.nspname, r.relname

-- One row per relation in the given schemas that the role may read: what it is, its columns, its key.
-- Only the system catalogues are read, so the cost does not depend on the number of rows.
WITH relation AS (
    SELECT c.oid, n.nspname, c.relname, c.relkind, c.relhassubclass, c.reltuples, obj_description(c.oid, 'pg_class') AS comment
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = ANY ($1::text[])
      AND c.relkind IN ('r', 'v', 'm', 'p', 'f')
      AND NOT c.relispartition
      AND has_schema_privilege(n.oid, 'USAGE')
      -- every column must be readable: a role with rights on some columns only would meet errors later
      AND has_table_privilege(c.oid, 'SELECT')
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
    JOIN relation r ON r.oid = i.indrelid
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
    WHERE i.indnkeyatts = 1 AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
      AND i.indkey[0] <> 0 AND (i.indisprimary OR a.attnotnull)
    ORDER BY i.indrelid, i.indisprimary DESC, i.indexrelid
)
SELECT
    r.oid::bigint AS oid,
    r.nspname AS schema,
    r.relname AS name,
    r.relkind AS kind,
    CASE WHEN r.reltuples >= 0 THEN r.reltuples::bigint END AS rows,
    -- with what is stored out of line, as large geometries are
    CASE WHEN r.reltuples > 0 AND r.relkind IN ('r', 'm') THEN (pg_table_size(r.oid) / r.reltuples)::bigint END
        AS row_bytes,
    r.comment AS comment,
    k.attname AS key,
    a.columns::text AS columns,
    CASE WHEN r.relkind = 'f' THEN '{}' ELSE coalesce(dependency.sources, ARRAY[r.oid::bigint]) END AS sources
FROM relation r
JOIN attribute a ON a.attrelid = r.oid
LEFT JOIN key k ON k.indrelid = r.oid
LEFT JOIN LATERAL (
    -- the tables under a view or a partitioned table, whose changes are its changes
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
            SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = u.oid
        ) found
    )
    -- none where rows change without a change of a table that is counted: with the clock, or in another database
    SELECT CASE WHEN bool_or(
        k.relkind = 'f'
        OR k.relkind = 'v' AND (
            pg_get_viewdef(k.oid) ~* '\m(now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|random|gen_random_uuid|current_date|current_time|current_timestamp|localtime|localtimestamp|current_user|session_user|current_role|current_setting|nextval|pg_sleep)\M'
            OR EXISTS (
                SELECT FROM pg_rewrite w
                JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
                    AND d.refclassid = 'pg_proc'::regclass
                JOIN pg_proc p ON p.oid = d.refobjid AND p.provolatile <> 'i'
                WHERE w.ev_class = k.oid
            )
        )
    ) THEN '{}' ELSE array_agg(u.oid::bigint ORDER BY u.oid) END AS sources
    FROM under u JOIN pg_class k ON k.oid = u.oid
) dependency ON r.relkind IN ('v', 'p') OR r.relhassubclass
ORDER BY r.nspname, r.relname

-- One row per set-returning function in the given schemas that the role may execute: its arguments and the columns
-- it returns. Functions that may write are left out, and so are overloaded names, which an address cannot tell apart.
WITH candidate AS (
    SELECT p.oid, n.nspname, p.proname, p.prorows, p.prorettype, p.proallargtypes, p.proargmodes, p.proargnames,
        p.proargtypes, p.pronargs, p.pronargdefaults, obj_description(p.oid, 'pg_proc') AS comment
    FROM pg_proc p
    JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = ANY ($1::text[])
      AND p.proretset AND p.prokind = 'f' AND p.provolatile IN ('i', 's') AND p.provariadic = 0
      AND has_schema_privilege(n.oid, 'USAGE')
      AND has_function_privilege(p.oid, 'EXECUTE')
      -- objects of an extension, such as spatial_ref_sys, are left out
      AND (n.nspname || '.' || p.proname = ANY ($2::text[]) OR NOT EXISTS (
          SELECT FROM pg_depend d
          WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
      ))
),
output AS (
    -- RETURNS TABLE and OUT parameters
    SELECT c.oid, u.position, c.proargnames[u.position] AS attname, u.type AS atttypid, -1 AS atttypmod,
        NULL::text AS comment
    FROM candidate c
    CROSS JOIN LATERAL unnest(c.proallargtypes) WITH ORDINALITY AS u(type, position)
    WHERE c.proargmodes[u.position] IN ('t', 'o')
    UNION ALL
    -- RETURNS SETOF some_table
    SELECT c.oid, a.attnum, a.attname, a.atttypid, a.atttypmod, col_description(a.attrelid, a.attnum)
    FROM candidate c
    JOIN pg_type t ON t.oid = c.prorettype AND t.typtype = 'c'
    JOIN pg_attribute a ON a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.proargmodes IS NULL OR NOT c.proargmodes && ARRAY['t', 'o']::"char"[]
),
described AS (
    SELECT
        o.oid,
        jsonb_agg(jsonb_build_object(
            'name', o.attname,
            'sql_type', format_type(bt.oid, CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE o.atttypmod END),
            'enum', CASE WHEN bt.typtype = 'e' THEN
                (SELECT jsonb_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = bt.oid)
            END,
            'base_type', bt.typname,
            'type_kind', bt.typtype,
            'category', bt.typcategory,
            'element_type', et.typname,
            'element_kind', et.typtype,
            'not_null', false,
            'indexed', false,
            'comment', o.comment,
            'typmod', CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE o.atttypmod END
        ) ORDER BY o.position) AS columns
    FROM output o
    JOIN pg_type t ON t.oid = o.atttypid
    JOIN pg_type bt ON bt.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
    LEFT JOIN pg_type et ON et.oid = bt.typelem AND bt.typcategory = 'A'
    GROUP BY o.oid
)
SELECT
    c.oid::bigint AS oid,
    c.nspname AS schema,
    c.proname AS name,
    c.prorows::bigint AS rows,
    c.comment AS comment,
    d.columns::text AS columns,
    (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'name', coalesce(c.proargnames[u.position], ''),
            'sql_type', format_type(u.type, NULL),
            'base_type', t.typname,
            'type_kind', t.typtype,
            'category', t.typcategory,
            'default', pg_get_function_arg_default(c.oid, u.position::int)
        ) ORDER BY u.position), '[]')
        -- names and the positions of defaults also count output parameters
        FROM unnest(coalesce(c.proallargtypes, c.proargtypes::oid[])) WITH ORDINALITY AS u(type, position)
        JOIN pg_type t ON t.oid = u.type
        WHERE c.proargmodes IS NULL OR c.proargmodes[u.position] IN ('i', 'b')
    )::text AS arguments
FROM candidate c
JOIN described d ON d.oid = c.oid
WHERE (SELECT count(*) FROM candidate o WHERE o.nspname = c.nspname AND o.proname = c.proname) = 1
ORDER BY c.nspname, c.proname

-- What a role can access in a database, as JSON. The query needs neither PostGIS nor a right other than CONNECT.
SELECT json_build_object(
    'database', current_database(),
    'role', current_user,
    'superuser', (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
    'counting', current_setting('track_counts')::boolean,
    'connections', current_setting('max_connections')::integer
        - current_setting('superuser_reserved_connections')::integer,
    'postgis', (
        SELECT json_build_object('schema', n.nspname, 'usable', has_schema_privilege(n.oid, 'USAGE'))
        FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'postgis'
    ),
    'postgis_installed', EXISTS (SELECT FROM pg_available_extensions WHERE name = 'postgis'),
    'schemas', (
        SELECT coalesce(json_object_agg(n.nspname, has_schema_privilege(n.oid, 'USAGE')), '{}')
        FROM pg_namespace n WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    ),
    'relations', (
        SELECT json_agg(json_build_object(
            'schema', n.nspname,
            'name', c.relname,
            'readable', has_table_privilege(c.oid, 'SELECT'),
            'analysed', c.relkind NOT IN ('r', 'm') OR c.reltuples >= 0,
            'kind', c.relkind,
            'has_key', c.relkind NOT IN ('r', 'm', 'p') OR EXISTS (
                SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
            ),
            'geometries_without_srid', (
                SELECT coalesce(json_agg(a.attname ORDER BY a.attnum), '[]')
                FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
                WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                  AND t.typname = 'geometry' AND c.relkind IN ('r', 'm', 'p')
                  -- where PostGIS packs the SRID
                  AND (a.atttypmod < 0 OR (a.atttypmod & 268435200) = 0)
            ),
            'rows', estimate.rows,
            'has_geometry', EXISTS (
                SELECT FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
                WHERE a.attrelid = c.oid AND t.typname IN ('geometry', 'geography')
            ),
            'geometries_without_index', (
                SELECT coalesce(json_agg(a.attname ORDER BY a.attnum), '[]')
                FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
                WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                  AND t.typname IN ('geometry', 'geography') AND c.relkind IN ('r', 'm', 'p') AND estimate.rows >= $2
                  AND NOT EXISTS (
                      SELECT FROM pg_index i JOIN pg_class k ON k.oid = i.indexrelid JOIN pg_am m ON m.oid = k.relam
                      WHERE i.indrelid = c.oid AND a.attnum = ANY (i.indkey) AND i.indisvalid
                        AND m.amname IN ('gist', 'spgist', 'brin')
                  )
            )
        ) ORDER BY n.nspname, c.relname)
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        CROSS JOIN LATERAL (
            -- a table without statistics has its size, with some 100 bytes for a row
            SELECT CASE WHEN c.reltuples < 0 THEN coalesce(pg_relation_size(c.oid), 0) / 100 ELSE c.reltuples END::bigint AS rows
        ) estimate
        WHERE n.nspname = ANY ($1::text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
          -- objects of an extension are not the operator's data
          AND NOT EXISTS (
              SELECT FROM pg_depend d
              WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
          )
    )
)

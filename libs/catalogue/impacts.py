"""SQL of the impacts of events, which deploy.impact computes and stores in `impact.event`."""

from libs.pg.sql import Sql, sql

FORMAT = 3
"""Format of the stored documents, which each names as `format`. To be raised with each change that readers depend on: a
document of another format counts as not computed until deploy.impact has computed it again."""

HAS_IMPACTS: Sql = sql(
    "SELECT count(*) > 0 AS has FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = 'impact' AND c.relname = 'event' "
    "AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')"
)
"""A query for `has`: databases of other programs do not have this table, and a role may not have the right to read
it."""

HAS_ZONES: Sql = sql(
    "SELECT count(*) > 0 AS has FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = 'impact' AND c.relname = 'zone' AND has_table_privilege(c.oid, 'SELECT')"
)
"""A query for `has`: the schema of an earlier release does not have the table of zones."""

HAS_WORKER: Sql = sql(
    "SELECT count(*) > 0 AS has FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = 'impact' AND c.relname = 'worker' AND has_table_privilege(c.oid, 'SELECT')"
)
"""A query for `has`: the schema of an earlier release does not have this table."""
WORKER: Sql = sql(
    "SELECT seen, seen < now() - interval '10 minutes' AS is_late, error IS NOT NULL AS fails FROM impact.worker"
)
"""When deploy.impact last looked at the data, and whether it computes; no row if it never did."""


def headline_of(event: Sql) -> Sql:
    """Return the headline of an event as JSON; NULL if it is not computed or has no zones."""
    return sql("(SELECT headline FROM impact.event AS impact WHERE impact.event_id = {event})", event=event)

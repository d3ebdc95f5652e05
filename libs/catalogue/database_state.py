"""The state of a database, read in one statement: what data versions are made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from libs.ogc.errors import DomainError
from libs.pg.pool import Database
from libs.pg.sql import sql

# Triggers count the changes of watched relations exactly and in the transaction of the change. The server's counters
# lag up to ten seconds while the writing connection idles. They are part of every version all the same, as writes
# without a trigger (DISABLE TRIGGER, logical replication, a dropped trigger) show nowhere else.
# The file number changes with a TRUNCATE and where ALTER TABLE rewrites all rows, which fires no trigger.
_STATEMENT = """
WITH parts AS (
    -- ATTACH and DETACH PARTITION, and INHERIT, write here alone
    SELECT inhparent, bit_xor(hashint8extended(inhrelid::bigint, 0)) AS children FROM pg_inherits GROUP BY inhparent
), counted AS (
    SELECT c.oid::bigint AS oid,
        concat_ws(
            '.', c.relfilenode, parts.children, epoch.began,
            -- a refresh, concurrently or not, writes its entry anew; the counters follow up to ten seconds later
            CASE c.relkind WHEN 'm' THEN c.xmin END,
            -- the functions, not the view: it computes much more, and this runs once a second
            pg_stat_get_tuples_inserted(c.oid) + pg_stat_get_tuples_updated(c.oid) + pg_stat_get_tuples_deleted(c.oid)
        ) AS version
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN parts ON parts.inhparent = c.oid,
        -- a crash or pg_stat_reset() sets the counters back: the same number must not come to mean other rows. After
        -- a crash of one backend the server starts no new postmaster, but resets what the background writer counted
        (SELECT concat_ws('.', extract(epoch FROM pg_postmaster_start_time()),
             extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()),
             extract(epoch FROM pg_stat_get_db_stat_reset_time(d.oid))) AS began
         FROM pg_database d WHERE d.datname = current_database()) epoch
    WHERE c.relkind IN ('r', 'm', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
), state AS (
    -- a replica has no counters, nor a server that counts nothing: what stays the same for ever is no version
    SELECT c.oid, coalesce(
        'w' || w.version || '.' || c.version,
        CASE WHEN NOT pg_is_in_recovery() AND current_setting('track_counts')::boolean THEN c.version END
    ) AS version
    FROM counted c LEFT JOIN ({watched}) w ON w.oid = c.oid
)
SELECT
    concat_ws(' ', inet_server_addr(), inet_server_port(), pg_postmaster_start_time()) AS server,
    concat_ws(
        ' ', (SELECT oid FROM pg_database WHERE datname = current_database()), pg_postmaster_start_time(), {cluster}
    ) AS identity,
    concat_ws(' ', current_setting('server_version'), {postgis}) AS software,
    (
        SELECT 'token' = ANY (p.proargnames) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE n.nspname = 'dams' AND p.proname = 'data_versions'
          AND has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE')
    ) AS tokens,
    has_function_privilege('pg_control_system()', 'EXECUTE')
        AND has_function_privilege('pg_control_checkpoint()', 'EXECUTE') AS control,
    to_regproc('postgis_full_version') IS NOT NULL AS postgis,
    (SELECT coalesce(array_agg(oid), '{{}}') FROM state) AS relations,
    (SELECT coalesce(array_agg(version), '{{}}') FROM state) AS versions
"""
_WATCHED = sql("SELECT relation::bigint AS oid, concat_ws('.', version, token) AS version FROM dams.data_versions()")
_WATCHED_WITHOUT_TOKENS = sql("SELECT relation::bigint AS oid, version::text AS version FROM dams.data_versions()")
_NONE_WATCHED = sql("SELECT NULL::bigint AS oid, NULL::text AS version WHERE false")


# A timeline begins with each promotion and each recovery to a point in time. A server that has just been promoted
# writes its own into the control file some minutes later; names of WAL files, which a replica has not, are never late.
_CLUSTER = sql("""(SELECT system_identifier FROM pg_control_system()),
        CASE WHEN pg_is_in_recovery() THEN (SELECT timeline_id FROM pg_control_checkpoint())
            ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer END""")
# for a role from which the rights to these functions were taken
_ADDRESS = sql("inet_server_addr(), inet_server_port()")


@dataclass(frozen=True, slots=True)
class DatabaseState:
    """What the answers of a database depend on."""

    identity: str
    """Which database it is, of all that there are, and which history of it.

    The start of its server is a part of it: a copy of the data that is put back after the server was stopped has all
    else in common with them. An answer made in the second before a change is noticed has newer rows than its version
    says; where that very version comes back, the answer must not.
    """
    server: str
    """Which server it is and since when it runs."""
    software: str
    """PostgreSQL, PostGIS and the libraries that it computes with (GEOS, PROJ), with their versions."""
    relations: Mapping[int, str | None]
    """By oid of a table, a text that changes when its rows do; None where nobody counts the changes."""


class DatabaseStates:
    """Reads the state of a database again and again, each time in one statement."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._has = _NOTHING

    async def read(self) -> DatabaseState:
        """The state now. Raises DomainError, Unavailable above all."""
        try:
            row = await self._row()
            if (found := _Has(row["tokens"], row["control"], row["postgis"])) != self._has:
                self._has = found
                row = await self._row()
        except DomainError:
            # a function that was there may be gone
            self._has = _NOTHING
            raise
        relations = dict(zip(row["relations"], row["versions"], strict=True))
        return DatabaseState(row["identity"], row["server"], row["software"], relations)

    async def _row(self) -> Mapping[str, Any]:
        statement = sql(
            _STATEMENT,
            cluster=_CLUSTER if self._has.control else _ADDRESS,
            watched=_WATCHED_BY[self._has.tokens],
            postgis=sql("postgis_full_version()") if self._has.postgis else sql("NULL"),
        )
        (row,) = await self._database.fetch(statement)
        return dict(row)


@dataclass(frozen=True, slots=True)
class _Has:
    """What the database has: the statement may name no function that is not there, or not for this role."""

    tokens: bool | None
    """Of changes; None without a change log."""
    control: bool
    postgis: bool


_NOTHING = _Has(tokens=None, control=False, postgis=False)
_WATCHED_BY = {None: _NONE_WATCHED, False: _WATCHED_WITHOUT_TOKENS, True: _WATCHED}

"""The state of a database, read in one statement: the input of data versions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from libs.ogc.errors import DomainError
from libs.pg.pool import Database
from libs.pg.sql import sql

# Triggers count the changes of watched relations exactly, in the transaction of the change. The server's counters lag
# up to ten seconds while the writing connection idles. They are still part of every version: only they show
# writes without a trigger (DISABLE TRIGGER, logical replication, a dropped trigger). The file number changes with
# TRUNCATE, and when ALTER TABLE rewrites all rows; both fire no trigger.
_STATEMENT = """
WITH parts AS (
    -- ATTACH and DETACH PARTITION, and INHERIT, write here alone
    SELECT inhparent, bit_xor(hashint8extended(inhrelid::bigint, 0)) AS children FROM pg_inherits GROUP BY inhparent
), counted AS (
    SELECT c.oid::bigint AS oid,
        concat_ws(
            '.', c.relfilenode, parts.children, epoch.began,
            -- a refresh, concurrently or not, rewrites its entry; the counters follow up to ten seconds later
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
    -- writers of tables with a history hold these locks from before their time until they commit (dams.history_stamp);
    -- those that are not here yet have a later time than this statement. A replica sees no locks of its primary
    CASE WHEN NOT pg_is_in_recovery() THEN least(statement_timestamp(), (
        SELECT to_timestamp(min(l.objid::bigint) + 1700000000) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.classid = 1145588051 AND l.objsubid = 2
    )) END AS settled,
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


# Each promotion and each point-in-time recovery starts a timeline. A server that was just promoted updates its control
# file some minutes later. Names of WAL files are never late, but a replica does not have them.
_CLUSTER = sql("""(SELECT system_identifier FROM pg_control_system()),
        CASE WHEN pg_is_in_recovery() THEN (SELECT timeline_id FROM pg_control_checkpoint())
            ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer END""")
# for a role without the right to call these functions
_ADDRESS = sql("inet_server_addr(), inet_server_port()")


@dataclass(frozen=True, slots=True)
class DatabaseState:
    """The state that responses from a database depend on."""

    identity: str
    """Identifies the database, and its history, among all databases.

    It includes the server's start time: a copy of the data that is restored after the server stopped has all else in
    common. A response made in the second before a change is noticed has newer rows than its version says. If a restore
    brings that version back, the response must not be reused.
    """
    server: str
    """Identifies the server and its start time."""
    software: str
    """Versions of PostgreSQL, PostGIS and the libraries that it computes with (GEOS, PROJ)."""
    settled: datetime | None
    """The time before which no transaction can change what was; None if unknown."""
    relations: Mapping[int, str | None]
    """By oid of a table, a text that changes when its rows do; None if its changes are not counted."""


class DatabaseStates:
    """Reads the state of a database, each time in one statement."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._has = _NOTHING

    async def read(self) -> DatabaseState:
        """Return the current state. Raises DomainError, mostly Unavailable."""
        try:
            row = await self._row()
            if (found := _Has(row["tokens"], row["control"], row["postgis"])) != self._has:
                self._has = found
                row = await self._row()
        except DomainError:
            # a function that existed may have been dropped
            self._has = _NOTHING
            raise
        relations = dict(zip(row["relations"], row["versions"], strict=True))
        return DatabaseState(row["identity"], row["server"], row["software"], row["settled"], relations)

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
    """The functions of the database: the statement may only call those that exist and that this role may call."""

    tokens: bool | None
    """Whether there are change tokens; None without a change log."""
    control: bool
    postgis: bool


_NOTHING = _Has(tokens=None, control=False, postgis=False)
_WATCHED_BY = {None: _NONE_WATCHED, False: _WATCHED_WITHOUT_TOKENS, True: _WATCHED}

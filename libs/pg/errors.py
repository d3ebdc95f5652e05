"""Convert PostgreSQL's errors to domain errors."""

import asyncpg

from libs.ogc.errors import (
    CHANGING,
    DomainError,
    Fault,
    InvalidParameters,
    Restarting,
    StoredValueError,
    TooSlow,
    Unavailable,
    Uncomputable,
    UnknownFunction,
)

UNREACHABLE = "The database cannot be reached at the moment; try again."


class Locked(Unavailable):
    """The relation is locked by a schema change."""

    cause = "lock"

    def __init__(self) -> None:
        super().__init__("The collection is locked while it is changed; try again in a moment.")


class Uninterrupted(TooSlow):
    """The statement timed out, and the server still runs it: some PostGIS functions cannot be interrupted."""


class Unexpected(Unavailable):
    """An error without its own class: a mistake of this program, or an error of a later release of PostgreSQL."""

    cause = "database"

    def __init__(self) -> None:
        sentence = "The database refused a statement of the service; try again later. The log says which error it was."
        super().__init__(sentence, retry_after=60)


class BrokenFunction(Unavailable):
    """A view's function fails for every request: it uses a name that does not exist or is not on its search path."""

    def __init__(self) -> None:
        super().__init__(
            "The collection cannot be read: a function that it calls names a table, a column or a function that the"
            " database does not find. The log says which.",
            retry_after=60,
        )


_UNFOUND = (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError, asyncpg.UndefinedFunctionError)
_UNAVAILABLE: tuple[tuple[type[BaseException], str, int], ...] = (
    # the catalogue is a few seconds older than the schema and its privileges
    (asyncpg.UndefinedTableError, CHANGING, 2),
    (asyncpg.UndefinedColumnError, CHANGING, 2),
    # operators and values were chosen by column types that have changed since
    (asyncpg.UndefinedFunctionError, CHANGING, 2),
    (asyncpg.DatatypeMismatchError, CHANGING, 2),
    (asyncpg.CannotCoerceError, CHANGING, 2),
    (asyncpg.ObjectNotInPrerequisiteStateError, "The materialised view has no data yet; try again.", 5),
    (asyncpg.InsufficientPrivilegeError, "The collection may not be read at the moment; try again in a moment.", 2),
    (asyncpg.exceptions.TransactionRollbackError, "The database is busy; try again.", 2),
    (asyncpg.exceptions.InsufficientResourcesError, "The database is busy; try again.", 5),
    (asyncpg.exceptions.PostgresSystemError, "The database cannot answer at the moment; try again.", 5),
    *(
        (kind, UNREACHABLE, 2)
        for kind in (
            # includes TimeoutError
            OSError,
            EOFError,
            asyncpg.PostgresConnectionError,
            asyncpg.InterfaceError,
            # the driver's errors for a connection whose server is shutting down but still connected
            asyncpg.InternalClientError,
            asyncpg.exceptions.OperatorInterventionError,
            asyncpg.InvalidAuthorizationSpecificationError,
            asyncpg.InvalidCatalogNameError,
        )
    ),
)
"""The first match decides: error message for the client, seconds until a retry makes sense."""

_RESTARTS = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    # the driver's errors for a connection that the server has closed
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)


def is_restart(error: BaseException) -> bool:
    """Return whether a server restart causes such an error: it closes its connections, and accepts no new ones.

    If the server does not answer at all, the time for waiting is already over.
    """
    return isinstance(error, _RESTARTS) and not isinstance(error, TimeoutError)


def _fault_of_filter(error: BaseException) -> DomainError | None:
    if isinstance(error, asyncpg.UndefinedFunctionError) and error.server_source_function == "get_sort_group_operators":
        # a user-defined type without operators
        return InvalidParameters([Fault(("query", "sortby"), "sortby names a property of a type that has no order")])
    if isinstance(error, asyncpg.UndefinedFunctionError) and error.server_source_function != "op_error":
        return UnknownFunction([Fault(("query", "filter"), "filter uses a function that this database does not have")])
    if isinstance(error, asyncpg.FeatureNotSupportedError) and "nondeterministic collations" in str(error):
        sentence = "filter has LIKE with a property whose collation cannot do it; put both sides into CASEI()"
        return Uncomputable([Fault(("query", "filter"), sentence)])
    return None


def translate(error: BaseException, *, is_late: bool = False) -> DomainError | None:
    """Return the domain error for a driver's error; None for other errors.

    `is_late` says that the statement used its whole time limit.
    """
    if (slow := _slow(error, is_late=is_late)) is not None:
        return slow
    if isinstance(error, asyncpg.DataError):
        # a value that passed our checks but that the database cannot compute with, such as 10^400
        return Uncomputable([Fault(("query",), "a value in the request is out of range for what it is used with")])
    known = _fault_of_function(error) or _fault_of_filter(error) or _unavailable(error)
    if known is None and isinstance(error, asyncpg.PostgresError):
        return Unexpected()
    return known


def _fault_of_function(error: BaseException) -> DomainError | None:
    if isinstance(error, _UNFOUND) and "function" in (error.context or ""):
        return BrokenFunction()
    return None


def _unavailable(error: BaseException) -> DomainError | None:
    if isinstance(error, asyncpg.InternalServerError):
        # PostGIS raises this for positions that cannot be projected
        return StoredValueError()
    for kind, sentence, seconds in _UNAVAILABLE:
        if isinstance(error, kind):
            unavailable = Restarting if is_restart(error) else Unavailable
            return unavailable(sentence, retry_after=seconds, cause="database")
    return None


def _slow(error: BaseException, *, is_late: bool) -> Unavailable | None:
    if isinstance(error, asyncpg.LockNotAvailableError):
        return Locked()
    if isinstance(error, asyncpg.QueryCanceledError):
        return TooSlow()
    if isinstance(error, asyncpg.InternalServerError) and (is_late or "Interrupt" in str(error)):
        # PostGIS's own error when interrupted; its text varies
        return TooSlow()
    return Uninterrupted() if is_late and isinstance(error, TimeoutError) else None

"""PostgreSQL's errors in the words of the domain."""

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
    """Somebody changes what was asked for, and keeps everybody else from it meanwhile."""

    cause = "lock"

    def __init__(self) -> None:
        super().__init__("The collection is locked while it is changed; try again in a moment.")


class Uninterrupted(TooSlow):
    """The same, and the server has not stopped: PostGIS cannot be interrupted everywhere."""


class Unexpected(Unavailable):
    """An error that no other class here is for: a mistake of ours, or an error of a later release of PostgreSQL."""

    cause = "database"

    def __init__(self) -> None:
        sentence = "The database refused a statement of the service; try again later. The log says which error it was."
        super().__init__(sentence, retry_after=60)


class BrokenFunction(Unavailable):
    """A function that a view calls fails, whoever asks: it names something that is not there, or not on its path."""

    def __init__(self) -> None:
        super().__init__(
            "The collection cannot be read: a function that it calls names a table, a column or a function that the"
            " database does not find. The log says which.",
            retry_after=60,
        )


_UNFOUND = (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError, asyncpg.UndefinedFunctionError)
_UNAVAILABLE: tuple[tuple[type[BaseException], str, int], ...] = (
    # the catalogue is a few seconds older than the schema and the rights on it
    (asyncpg.UndefinedTableError, CHANGING, 2),
    (asyncpg.UndefinedColumnError, CHANGING, 2),
    # operators and values are chosen by the types of columns, which are other ones by now
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
            # TimeoutError, too
            OSError,
            EOFError,
            asyncpg.PostgresConnectionError,
            asyncpg.InterfaceError,
            # what the driver says of a connection whose server has taken leave but not hung up yet
            asyncpg.InternalClientError,
            asyncpg.exceptions.OperatorInterventionError,
            asyncpg.InvalidAuthorizationSpecificationError,
            asyncpg.InvalidCatalogNameError,
        )
    ),
)
"""The first that fits counts: sentence for the client, seconds until it is worth trying again."""

_RESTARTS = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    # what the driver says of a connection that the server has closed
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)


def is_restart(error: BaseException) -> bool:
    """Whether a server that is restarted makes such an error: it closes its connections, and takes no new ones.

    Where it does not answer at all the time for waiting is over already.
    """
    return isinstance(error, _RESTARTS) and not isinstance(error, TimeoutError)


def _fault_of_filter(error: BaseException) -> DomainError | None:
    if isinstance(error, asyncpg.UndefinedFunctionError) and error.server_source_function == "get_sort_group_operators":
        # a type that somebody has made, without operators
        return InvalidParameters([Fault(("query", "sortby"), "sortby names a property of a type that has no order")])
    if isinstance(error, asyncpg.UndefinedFunctionError) and error.server_source_function != "op_error":
        return UnknownFunction([Fault(("query", "filter"), "filter uses a function that this database does not have")])
    if isinstance(error, asyncpg.FeatureNotSupportedError) and "nondeterministic collations" in str(error):
        sentence = "filter has LIKE with a property whose collation cannot do it; put both sides into CASEI()"
        return Uncomputable([Fault(("query", "filter"), sentence)])
    return None


def translate(error: BaseException, *, is_late: bool = False) -> DomainError | None:
    """The domain error that a driver's error means, or None where it is not the driver's.

    `is_late` says that the statement had as long as it may take.
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
        # PostGIS says so of what cannot be projected
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
        # what PostGIS says of itself where it is interrupted, not always in these words
        return TooSlow()
    return Uninterrupted() if is_late and isinstance(error, TimeoutError) else None

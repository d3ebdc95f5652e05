"""PostgreSQL's errors in the words of the domain."""

import asyncio

import asyncpg

from libs.ogc.errors import DomainError, Fault, InvalidParameters, Unavailable

_UNREACHABLE = (
    OSError,
    asyncio.TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.InvalidPasswordError,
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
)


def translate(error: BaseException) -> DomainError | None:
    """The domain error that a driver's error means, or None where it is a mistake of ours."""
    if isinstance(error, asyncpg.QueryCanceledError):
        return Unavailable("The database took too long to answer; ask for less, or try again.", retry_after=5)
    if isinstance(error, asyncpg.UndefinedTableError | asyncpg.UndefinedColumnError):
        # the catalogue is a few seconds older than the schema
        return Unavailable("The collection is changing; try again in a moment.")
    if isinstance(error, asyncpg.DataError):
        # a value that passed our checks but that the database cannot compute with, such as 10^400
        return InvalidParameters([Fault(("query",), "a value in the request is out of range for what it is used with")])
    if isinstance(error, asyncpg.UndefinedFunctionError):
        return InvalidParameters(
            [Fault(("query", "filter"), "filter uses a function that this database does not have")]
        )
    if isinstance(error, _UNREACHABLE):
        return Unavailable("The database cannot be reached at the moment; try again.")
    return None

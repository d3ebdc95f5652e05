"""The errors that clients get for a driver's errors."""

from __future__ import annotations

import asyncpg
import pytest

from libs.ogc.errors import (
    DomainError,
    InvalidParameters,
    Restarting,
    StoredValueError,
    TooSlow,
    Unavailable,
    Uncomputable,
    UnknownFunction,
)
from libs.pg.errors import BrokenFunction, Locked, Uninterrupted, translate

CHANGING = "The collection is changing; try again in a moment."
BUSY = "The database is busy; try again."
AWAY = "The database cannot be reached at the moment; try again."


@pytest.mark.parametrize(
    ("error", "said", "seconds"),
    [
        (asyncpg.UndefinedTableError(), CHANGING, 2),
        (asyncpg.UndefinedColumnError(), CHANGING, 2),
        (asyncpg.DatatypeMismatchError(), CHANGING, 2),
        (asyncpg.CannotCoerceError(), CHANGING, 2),
        (asyncpg.ObjectNotInPrerequisiteStateError(), "The materialised view has no data yet; try again.", 5),
        (
            asyncpg.InsufficientPrivilegeError(),
            "The collection may not be read at the moment; try again in a moment.",
            2,
        ),
        (asyncpg.DeadlockDetectedError(), BUSY, 2),
        (asyncpg.SerializationError(), BUSY, 2),
        (asyncpg.TooManyConnectionsError(), BUSY, 5),
        (asyncpg.OutOfMemoryError(), BUSY, 5),
        (asyncpg.PostgresIOError(), "The database cannot answer at the moment; try again.", 5),
        (OSError(), AWAY, 2),
        (TimeoutError(), AWAY, 2),
        (asyncpg.ConnectionDoesNotExistError(), AWAY, 2),
        (asyncpg.InterfaceError("closed"), AWAY, 2),
        (asyncpg.InternalClientError(), AWAY, 2),
        (asyncpg.AdminShutdownError(), AWAY, 2),
        (asyncpg.CannotConnectNowError(), AWAY, 2),
        (asyncpg.InvalidPasswordError(), AWAY, 2),
        (asyncpg.InvalidCatalogNameError(), AWAY, 2),
    ],
)
def test_client_gets_cause_and_retry_time(error: Exception, said: str, seconds: int) -> None:
    found = translate(error)
    assert isinstance(found, Unavailable)
    assert (str(found), found.retry_after, found.cause) == (said, seconds, "database")


@pytest.mark.parametrize(
    ("error", "is_restart"),
    [
        (ConnectionRefusedError(), True),
        (asyncpg.CannotConnectNowError("the database system is starting up"), True),
        (asyncpg.AdminShutdownError(), True),
        (asyncpg.CrashShutdownError(), True),
        (asyncpg.InternalClientError("got result for unknown protocol state"), True),
        (asyncpg.ConnectionDoesNotExistError(), True),
        (asyncpg.InterfaceError("connection is closed"), True),
        # all the time for waiting is over by then
        (TimeoutError(), False),
        (asyncpg.TooManyConnectionsError(), False),
        (asyncpg.InvalidPasswordError(), False),
        (asyncpg.InvalidCatalogNameError(), False),
    ],
)
def test_restarting_server_differs_from_busy_or_silent_one(error: Exception, is_restart: bool) -> None:
    found = translate(error)
    assert isinstance(found, Unavailable)
    assert isinstance(found, Restarting) == is_restart


def _function(name: str) -> asyncpg.UndefinedFunctionError:
    error = asyncpg.UndefinedFunctionError("there is none")
    error.server_source_function = name
    return error


def _within(error: Exception, context: str) -> Exception:
    error.context = context  # type: ignore[attr-defined]
    return error


OUT_OF_RANGE = "a value in the request is out of range for what it is used with"
NO_LIKE = "filter has LIKE with a property whose collation cannot do it; put both sides into CASEI()"
BROKEN = (
    "The collection cannot be read: a function that it calls names a table, a column or a function that the database"
    " does not find. The log says which."
)
SLOW = "The database took too long to answer; ask for less, or try again."


@pytest.mark.parametrize(
    ("error", "kind", "where", "said"),
    [
        (
            _function("get_sort_group_operators"),
            InvalidParameters,
            ("query", "sortby"),
            "sortby names a property of a type that has no order",
        ),
        (
            _function("ParseFuncOrColumn"),
            UnknownFunction,
            ("query", "filter"),
            "filter uses a function that this database does not have",
        ),
        (asyncpg.NumericValueOutOfRangeError(), Uncomputable, ("query",), OUT_OF_RANGE),
        (
            asyncpg.FeatureNotSupportedError("nondeterministic collations are not supported for LIKE"),
            Uncomputable,
            ("query", "filter"),
            NO_LIKE,
        ),
    ],
)
def test_a_fault_of_the_request_names_the_parameter(
    error: Exception, kind: type[InvalidParameters], where: tuple[str, ...], said: str
) -> None:
    found = translate(error)
    assert type(found) is kind
    assert isinstance(found, InvalidParameters)
    assert [(fault.loc, fault.msg) for fault in found.faults] == [(where, said)]


@pytest.mark.parametrize(
    ("error", "is_late", "kind", "said"),
    [
        # an operator between types that are other ones by now
        (_function("op_error"), False, Unavailable, CHANGING),
        (_within(_function("ParseFuncOrColumn"), 'SQL function "a" during startup'), False, BrokenFunction, BROKEN),
        (_within(asyncpg.UndefinedColumnError(), 'SQL function "events"'), False, BrokenFunction, BROKEN),
        (_within(asyncpg.UndefinedTableError(), "PL/pgSQL function events()"), False, BrokenFunction, BROKEN),
        # where it was met says nothing of other errors
        (_within(asyncpg.DatatypeMismatchError(), 'SQL function "events"'), False, Unavailable, CHANGING),
        (_within(asyncpg.UndefinedColumnError(), "COPY"), False, Unavailable, CHANGING),
        (
            asyncpg.LockNotAvailableError(),
            False,
            Locked,
            "The collection is locked while it is changed; try again in a moment.",
        ),
        (asyncpg.QueryCanceledError(), False, TooSlow, SLOW),
        (asyncpg.InternalServerError("lwgeom: Interrupted"), False, TooSlow, SLOW),
        (asyncpg.InternalServerError("transform: no"), True, TooSlow, SLOW),
        (asyncpg.InternalServerError("transform: no"), False, StoredValueError, str(StoredValueError())),
        (TimeoutError(), True, Uninterrupted, SLOW),
        (OSError(), True, Restarting, AWAY),
    ],
)
def test_what_a_driver_says_in_the_words_of_the_service(
    error: Exception, is_late: bool, kind: type[DomainError], said: str
) -> None:
    found = translate(error, is_late=is_late)
    assert type(found) is kind
    assert str(found) == said


def test_error_of_the_program_is_not_translated() -> None:
    assert translate(ValueError()) is None


@pytest.mark.parametrize("error", [asyncpg.FeatureNotSupportedError("other"), asyncpg.PostgresSyntaxError()])
def test_unexpected_error_of_the_database_is_unavailable(error: Exception) -> None:
    found = translate(error)
    assert isinstance(found, Unavailable)
    assert found.retry_after == 60


def test_what_is_broken_or_locked_says_so_in_metrics_and_how_long_it_takes() -> None:
    locked, broken = translate(asyncpg.LockNotAvailableError()), translate(_within(_function("f"), "SQL function"))
    assert isinstance(locked, Locked)
    assert (locked.cause, locked.retry_after) == ("lock", 2)
    # until the function is corrected
    assert isinstance(broken, BrokenFunction)
    assert broken.retry_after == 60

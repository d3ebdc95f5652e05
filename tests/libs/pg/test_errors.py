"""What a driver's errors are to a client."""

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


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (asyncpg.TooManyConnectionsError(), 5),
        (asyncpg.UndefinedTableError(), 2),
        (asyncpg.UndefinedColumnError(), 2),
        (asyncpg.DatatypeMismatchError(), 2),
        (asyncpg.CannotCoerceError(), 2),
        (asyncpg.ObjectNotInPrerequisiteStateError(), 5),
        (asyncpg.InsufficientPrivilegeError(), 2),
        (asyncpg.DeadlockDetectedError(), 2),
        (asyncpg.PostgresIOError(), 5),
        (OSError(), 2),
        (asyncpg.InvalidPasswordError(), 2),
        (asyncpg.AdminShutdownError(), 2),
    ],
)
def test_a_client_is_told_when_it_is_worth_trying_again(error: Exception, seconds: int) -> None:
    found = translate(error)
    assert isinstance(found, Unavailable)
    assert found.retry_after == seconds
    assert found.cause == "database"


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
def test_a_server_that_is_restarted_is_told_from_one_that_is_busy_or_says_nothing(
    error: Exception, is_restart: bool
) -> None:
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


@pytest.mark.parametrize(
    ("error", "is_late", "kind", "said"),
    [
        (_function("get_sort_group_operators"), False, InvalidParameters, "sortby"),
        (_function("ParseFuncOrColumn"), False, UnknownFunction, "does not have"),
        # an operator between types that are other ones by now
        (_function("op_error"), False, Unavailable, ""),
        (_within(_function("ParseFuncOrColumn"), 'SQL function "events" during startup'), False, BrokenFunction, ""),
        (_within(asyncpg.UndefinedColumnError(), 'SQL function "events"'), False, BrokenFunction, ""),
        (asyncpg.NumericValueOutOfRangeError(), False, Uncomputable, "out of range"),
        (asyncpg.FeatureNotSupportedError("nondeterministic collations are"), False, Uncomputable, "CASEI"),
        (asyncpg.LockNotAvailableError(), False, Locked, ""),
        (asyncpg.QueryCanceledError(), False, TooSlow, ""),
        (asyncpg.InternalServerError("lwgeom: Interrupted"), False, TooSlow, ""),
        (asyncpg.InternalServerError("transform: no"), True, TooSlow, ""),
        (asyncpg.InternalServerError("transform: no"), False, StoredValueError, ""),
        (TimeoutError(), True, Uninterrupted, ""),
        (TimeoutError(), False, Unavailable, ""),
    ],
)
def test_what_a_driver_says_in_the_words_of_the_service(
    error: Exception, is_late: bool, kind: type[DomainError], said: str
) -> None:
    found = translate(error, is_late=is_late)
    assert type(found) is kind
    assert said in " ".join([str(found), *(fault.msg + fault.loc[-1] for fault in getattr(found, "faults", ()))])


@pytest.mark.parametrize(
    "error", [ValueError(), asyncpg.FeatureNotSupportedError("other"), asyncpg.PostgresSyntaxError()]
)
def test_a_mistake_of_ours_is_none_of_the_clients(error: Exception) -> None:
    assert translate(error) is None


def test_what_is_broken_or_locked_says_so_in_metrics_and_how_long_it_takes() -> None:
    locked, broken = translate(asyncpg.LockNotAvailableError()), translate(_within(_function("f"), "SQL function"))
    assert isinstance(locked, Locked)
    assert (locked.cause, locked.retry_after) == ("lock", 2)
    # until somebody mends it
    assert isinstance(broken, BrokenFunction)
    assert broken.retry_after == 60

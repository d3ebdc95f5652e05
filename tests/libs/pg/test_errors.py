"""What a driver's errors are to a client."""

from __future__ import annotations

import asyncpg
import pytest

from libs.ogc.errors import Unavailable
from libs.pg.errors import translate


@pytest.mark.parametrize(
    ("error", "seconds"),
    [(asyncpg.TooManyConnectionsError(), 5), (asyncpg.UndefinedTableError(), 2), (OSError(), 2)],
)
def test_a_client_is_told_when_it_is_worth_trying_again(error: Exception, seconds: int) -> None:
    found = translate(error)
    assert isinstance(found, Unavailable)
    assert found.retry_after == seconds

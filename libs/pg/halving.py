"""Which of many rows a statement fails on: what fails is halved, down to the rows that are at fault."""

import asyncio
from collections.abc import Awaitable, Callable

from libs.ogc.errors import StoredValueError


async def failing_places(number: int, attempt: Callable[[range], Awaitable[None]], *, until: float) -> list[int]:
    """The places, of `number` rows in a row, at which `attempt` raises StoredValueError for a single row, in order.

    `attempt` gets a part of the places. Raises StoredValueError where the search is not over at `until`, by the event
    loop's clock.
    """
    loop = asyncio.get_running_loop()
    failing: list[int] = []
    parts = [range(number)] if number else []
    while parts:
        if loop.time() > until:
            raise StoredValueError
        places = parts.pop()
        try:
            await attempt(places)
        except StoredValueError:
            middle = len(places) // 2
            if middle:
                parts += [places[middle:], places[:middle]]
            else:
                failing += places
    return failing

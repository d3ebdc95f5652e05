"""Find the rows on which a statement fails: halve the failing set until single rows remain."""

import asyncio
from collections.abc import Awaitable, Callable

from libs.ogc.errors import StoredValueError


async def failing_places(number: int, attempt: Callable[[range], Awaitable[None]], *, until: float) -> list[int]:
    """Return the places among `number` rows at which `attempt` raises StoredValueError for a single row, in order.

    `attempt` is called with a range of places. Raises StoredValueError if the search has not ended at `until`, by the
    event loop's clock.
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

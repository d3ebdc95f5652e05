"""Write a format while rows are read."""

from collections.abc import AsyncIterator

from services.features.formats.format import FeatureFormat
from services.features.rows.layout import Rows


async def pieces(
    format_: FeatureFormat, head: bytes, first: Rows, rest: AsyncIterator[Rows]
) -> AsyncIterator[bytes | memoryview]:
    """Yield the head with the first rows, the other rows, and the tail."""
    yield b"".join((head, format_.rows(first, first=True)))
    returned, omitted = len(first.rows), first.omitted
    async for rows in rest:
        yield format_.rows(rows, first=returned == 0)
        returned += len(rows.rows)
        omitted += rows.omitted
    yield format_.tail(returned, omitted)

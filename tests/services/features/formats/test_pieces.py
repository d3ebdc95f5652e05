"""A page in pieces is what it would be at once."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from libs.catalogue.model import Collection, Column
from services.features.formats.format import PageLinks
from services.features.formats.registry import FEATURE_FORMATS
from services.features.rows.layout import OMITTED, Layout, Row, Rows

COLUMN = Column("n", "integer", "integer")
LAYOUT = Layout(key=None, has_geometry=True, properties=(COLUMN,), raw_json=(False,), times=())
COLLECTION = Collection("a.b", "a", "b", 1, "table", "B", None, (COLUMN,))
LINKS = PageLinks(b"", "")
POINT = '{"type":"Point","coordinates":[1,2]}'


async def _joined(media_type: str, *chunks: list[Row]) -> bytes:
    async def rest() -> AsyncIterator[Rows]:
        for chunk in chunks[1:]:
            yield Rows(LAYOUT, chunk)

    format_ = FEATURE_FORMATS[media_type]
    head = format_.head(COLLECTION, LAYOUT, None, LINKS)
    return b"".join([bytes(piece) async for piece in format_.pieces(head, Rows(LAYOUT, chunks[0]), rest())])


ROWS: list[Row] = [(POINT, 1), (OMITTED, 2), (POINT, 3), (OMITTED, 4)]


# rows may be deleted before they are read
@pytest.mark.parametrize(
    "chunks", [[ROWS], [ROWS[:1], ROWS[1:]], [ROWS[:3], [], ROWS[3:]], [[], ROWS], [[], [], ROWS[:2], ROWS[2:], []]]
)
async def test_however_it_is_cut(chunks: list[list[Row]]) -> None:
    page = json.loads(await _joined("application/geo+json", *chunks))
    assert [feature["properties"]["n"] for feature in page["features"]] == [1, 2, 3, 4]
    assert (page["numberReturned"], page["geometriesOmitted"]) == (4, 2)
    rows = json.loads(await _joined("application/json", *chunks))
    assert [row["n"] for row in (rows if isinstance(rows, list) else rows["rows"])] == [1, 2, 3, 4]


async def test_of_nothing() -> None:
    page = json.loads(await _joined("application/geo+json", [], []))
    assert (page["features"], page["numberReturned"]) == ([], 0)
    assert "geometriesOmitted" not in page

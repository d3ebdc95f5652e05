"""How fine the cells of a small map are, and what a facet of times is of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn, TimeColumn
from libs.ogc.errors import Unavailable
from libs.selection.selection import Selection
from libs.web.query_params import QueryValues
from services.features.aggregation.buckets import Counted
from services.features.aggregation.facet import PlaceFacet, TermFacet, TimeFacet
from services.features.aggregation.facet_counts import FacetCounts
from services.features.aggregation.request import facets_of, parse_facets
from services.features.aggregation.spread import spread

GEOM = GeometryColumn("geom", "Point", 4326)
BEGAN, ENDED = (Column(name, "timestamp with time zone", "string", format="date-time") for name in ("began", "ended"))
LASTING = Collection(
    "own.a", "own", "a", 1, "table", "A", None, (Column("id", "integer", "integer"), BEGAN, ENDED), (GEOM,),
    tuple(TimeColumn(column.name, column.sql_type) for column in (BEGAN, ENDED)), key="id", time_end="ended",
)  # fmt: skip
SELECTION = Selection(LASTING, GEOM, (), LASTING.columns, ())


class Counts:
    """Counts that find cells of any size at these places."""

    def __init__(self, *centres: tuple[float, float]) -> None:
        self.cells = tuple({"centre": [*centre]} for centre in centres)
        self.sizes: list[float] = []

    async def count(self, selection: Selection, facets: Sequence[PlaceFacet]) -> tuple[list[Counted], int]:
        assert selection is SELECTION
        (facet,) = facets
        assert (facet.name, facet.geometry, facet.hexagons) == ("geom", GEOM, False)
        self.sizes.append(facet.size)
        return [Counted(tuple({**cell, "size": facet.size} for cell in self.cells), 1, 0)], 0


@pytest.mark.parametrize(
    ("centres", "sizes"),
    [
        ([], [5.0]),
        # never narrower than the map
        ([(0, 0)], [5.0, 0.5]),
        ([(0, 0), (45, 0)], [5.0, 0.5]),
        ([(0, 0), (46, 0)], [5.0, 1.0]),
        ([(-40, 0), (0, 0), (50, 0)], [5.0, 1.0]),
        ([(-40, 0), (51, 0)], [5.0, 2.0]),
        ([(-90, 0), (90, 0)], [5.0, 2.0]),
        ([(-90, 0), (91, 0)], [5.0]),
        # twice as wide as high
        ([(0, -22), (0, 23)], [5.0, 1.0]),
        ([(0, -45), (0, 46)], [5.0]),
    ],
)
async def test_cells_are_as_fine_as_the_map_shows(centres: list[tuple[float, float]], sizes: list[float]) -> None:
    counts = Counts(*centres)
    found = await spread(cast("FacetCounts", counts), SELECTION, GEOM)
    assert counts.sizes == sizes
    assert [cell["size"] for cell in found] == [sizes[-1]] * len(centres)


async def test_where_counting_takes_too_long_there_are_none() -> None:
    class Busy:
        async def count(self, *_: object) -> None:
            raise Unavailable("busy")

    assert await spread(cast("FacetCounts", Busy()), SELECTION, GEOM) == ()


def _parsed(facets: str, collection: Collection = LASTING, values: Any = None) -> Any:
    query = QueryValues({"facets": facets.split(","), **(values or {})})
    found = parse_facets(collection, query)
    query.check()
    return found


def test_a_time_that_lasts_has_an_end_unless_one_column_is_named() -> None:
    assert _parsed("datetime") == (TimeFacet("datetime", BEGAN, ENDED),)
    assert _parsed("datetime:year", values={"datetime-column": "ended"}) == (TimeFacet("datetime", ENDED, unit="year"),)
    assert _parsed("datetime", replace(LASTING, time_end=None)) == (TimeFacet("datetime", BEGAN),)
    # quantiles are of moments
    assert _parsed("began:quantile:3") == (TimeFacet("began", BEGAN, quantiles=3),)
    with pytest.raises(Exception, match="facets: 'datetime:quantile:3' must be"):
        _parsed("datetime:quantile:3")


def test_what_each_collection_can_be_counted_by() -> None:
    assert [facet.name for facet in facets_of(LASTING)] == ["datetime", "began", "ended", "geom"]
    bare = replace(LASTING, times=(), time_end=None, geometries=(), key=None)
    assert [facet.name for facet in facets_of(bare)] == ["id", "began", "ended"]
    # a column of that name is hidden by the time of the collection
    named = replace(LASTING, columns=(*LASTING.columns, Column("datetime", "text", "string")), key=None)
    assert [facet.name for facet in facets_of(named)] == ["datetime", "id", "began", "ended", "geom"]
    document = replace(bare, columns=(Column("more", "jsonb", "object"), Column("tags", "text[]", "array")))
    assert list(facets_of(document)) == []


def test_the_longest_name_that_fits_is_meant() -> None:
    columns = tuple(Column(name, "text", "string") for name in ("a", "a:term", "a:term:5"))
    collection = replace(LASTING, columns=columns, key=None)
    assert _parsed("a:term:5:7", collection) == (TermFacet("a:term:5", columns[2], size=7),)
    assert _parsed("a:term:6", collection) == (TermFacet("a:term", columns[1], size=6),)
    assert _parsed("a::value_asc", collection) == (TermFacet("a", columns[0], sorting="value_asc"),)
    assert _parsed("a", collection, {"min-count": 4}) == (TermFacet("a", columns[0], least=4),)

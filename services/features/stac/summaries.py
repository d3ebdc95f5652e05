"""The countries and hazard codes of the items of a collection, as its summaries name them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersions
from libs.pg.pool import Database
from libs.pg.sql import Sql, ident, sql
from services.features.rows.event_impacts import EventImpacts
from services.features.stac.correlation import own_countries
from services.features.stac.country_codes import alpha_3
from services.features.stac.sources import HAZARD_CODE, Source

_COUNTRIES = "country_codes"
_REACHED = sql(
    "SELECT DISTINCT jsonb_path_query(impact, '$.zones[*].countries[*] ? (@.people > 0).code') #>> '{{}}' AS code"
    " FROM impact.event"
)


@dataclass(slots=True)
class Summaries:
    """Reads the summaries, and keeps those of a data version."""

    database: Database
    versions: DataVersions
    impacts: EventImpacts
    _known: dict[str, tuple[str, tuple[set[str], set[str]]]] = field(default_factory=dict)

    _reached: tuple[str, set[str]] | None = None

    def version(self, sources: Sequence[Source]) -> str | None:
        """Return the version of the data that items are made of; None if it is unknown."""
        found = [self.versions.of_impacts(source.collection) for source in sources]
        known = [version.token for version in found if version is not None]
        return blake2b(".".join(known).encode(), digest_size=12).hexdigest() if len(known) == len(found) else None

    async def of(self, sources: Sequence[Source]) -> Mapping[str, Sequence[str]]:
        """Return the countries and codes of all sources, sorted. Raises Unavailable."""
        countries, codes = set[str](), set[str]()
        for source in sources:
            own = await self._of(source.collection)
            countries |= own[0]
            codes |= own[1]
        countries |= await self._in_zones(sources)
        return {"country_codes": sorted(countries), "hazard_codes": sorted(codes)}

    async def _of(self, collection: Collection) -> tuple[set[str], set[str]]:
        version = self.versions.version(collection)
        known = self._known.get(collection.id)
        if version is not None and known is not None and known[0] == version.token:
            return known[1]
        listed = ident(_COUNTRIES) if collection.column(_COUNTRIES) is not None else sql("NULL::text")
        rows = await self.database.of(collection.id).fetch(_statement(collection, listed))
        found = (
            {code for row in rows for code in own_countries(row["countries"])},
            {row["code"] for row in rows},
        )
        if version is not None:
            self._known[collection.id] = version.token, found
        return found

    async def _in_zones(self, sources: Sequence[Source]) -> set[str]:
        """Return the countries with people in zones of events."""
        if not await self.impacts.are_computed():
            return set()
        of_impacts = [self.versions.of_impacts(source.collection) for source in sources]
        state = ".".join(version.token for version in of_impacts if version is not None)
        if self._reached is not None and state and self._reached[0] == state:
            return self._reached[1]
        rows = await self.database.fetch(_REACHED)
        found = {code for row in rows if (code := alpha_3(row["code"])) is not None}
        self._reached = state, found
        return found


def _statement(collection: Collection, countries: Sql) -> Sql:
    return sql(
        "SELECT DISTINCT {countries} AS countries, {code} AS code FROM {table} WHERE {code} IS NOT NULL",
        countries=countries,
        code=ident(HAZARD_CODE),
        table=ident(collection.schema, collection.name),
    )

"""One topic of the landing page."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from libs.catalogue.basins import BASIN, BASINS
from libs.catalogue.feature_name import feature_name
from libs.catalogue.model import Collection
from libs.catalogue.modules import hazard
from libs.ogc.temporal import rfc3339
from libs.web.impact_sentence import sentence
from libs.web.local_title import local_title
from services.common.situation.asked import Asked

SIMULATED = "simulated"
"""The value of `source` for simulated features."""


@dataclass(frozen=True, slots=True)
class Told:
    """A feature on the page; times in RFC 3339."""

    id: str | None
    own_name: str
    """The name in the language of its source."""
    badge: str | None
    """Its class in one word."""
    start: str | None
    end: str | None
    issued: str | None
    simulated: bool
    place: tuple[float, float] | None
    """Longitude and latitude of a position in it, in degrees."""
    headline: Mapping[str, Any] | None = None
    """The number of people in the strongest zone of its event, as deploy.impact stores it; None if unknown."""
    properties: Mapping[str, Any] = field(default_factory=dict)
    """Values of which titles in other languages are made."""

    @property
    def name(self) -> str:
        """The name in the language of the response."""
        basin = str(self.properties.get(BASIN) or "").strip()
        moments = (self.start, self.end)
        title = local_title(
            self.properties, basin=BASINS.get(basin, basin), moments=moments, with_magnitude=self.badge is None
        )
        return title or self.own_name

    @property
    def sentence(self) -> str:
        """What happened to how many people, in the language of the response; the name if the number is unknown."""
        return self.name if self.headline is None else sentence(self.headline, self.name)


@dataclass(frozen=True, slots=True)
class Topic:
    """Active features or those of the last days, the newest first; without any, the last ones."""

    asked: Asked
    collection: Collection
    matched: int
    """Number of features that are active or from the last days."""
    told: tuple[Told, ...]
    since: str
    """The first of the last days."""

    @property
    def lasts(self) -> bool:
        """Whether features have a duration."""
        return self.collection.period_columns() is not None

    @property
    def is_archive(self) -> bool:
        """Whether the data end before the last days, or their end is unknown: then finding nothing proves nothing."""
        as_of = self.collection.as_of()
        return not self.matched and (as_of is None or as_of[:10] < self.since)

    @property
    def hazard(self) -> str:
        """The hazard that decides its colour and symbol."""
        return hazard(self.collection)

    @property
    def order(self) -> str:
        """The column that the newest is chosen by."""
        time = self.collection.time()
        return self.collection.time_issued or (time.name if time else "")

    @property
    def filter(self) -> str:
        """The conditions as CQL2 text; empty without any."""
        least = [f"{_name(name)} >= {number:.15g}" for name, number in self.asked.at_least.items()]
        return " AND ".join([*least, *(f"{_name(name)} IS NULL" for name in self.asked.unset)])


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def entry_of(
    collection: Collection,
    values: Mapping[str, Any],
    place: tuple[float, float] | None,
    headline: Mapping[str, Any] | None = None,
) -> Told:
    """Return the feature of a row, whose values come from the database driver."""
    said = {name: _text(value) for name, value in values.items()}
    time, pair = collection.time(), collection.period_columns()
    identifier = said.get(collection.key) if collection.key else None
    return Told(
        None if identifier is None else str(identifier),
        _remove_magnitude(feature_name(collection, identifier, said), said),
        _badge(said),
        said.get(time.name) if time else None,
        said.get(pair[1].name) if pair else None,
        said.get(collection.time_issued) if collection.time_issued else None,
        said.get("source") == SIMULATED,
        place,
        headline,
        said,
    )


def _text(value: Any) -> Any:
    if isinstance(value, datetime):
        return rfc3339(value if value.tzinfo else value.replace(tzinfo=UTC))
    return value.isoformat() if isinstance(value, date) else value


def _badge(said: Mapping[str, Any]) -> str | None:
    magnitude = said.get("magnitude")
    if isinstance(magnitude, int | float):
        return f"M {magnitude:.1f}"
    return next((said[name] for name in ("category", "alert_level") if isinstance(said.get(name), str)), None)


def _remove_magnitude(name: str, said: Mapping[str, Any]) -> str:
    """Return a title such as `M 6.4 - 22 km NNE of Hualien City` without the part that the badge shows."""
    place = said.get("place")
    return place if isinstance(place, str) and place and isinstance(said.get("magnitude"), int | float) else name

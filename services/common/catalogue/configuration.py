"""What an operator says about collections: one YAML file, checked on load, read anew when it changes.

include: ["hazard.*"]            # patterns of ids; without it all collections of COLLECTION_SCHEMAS
exclude: ["hazard.scratch_*"]
collections:
  hazard.hazard_eq_events:
    title: Earthquakes           # instead of the table's comment
    description: ...
    id_column: event_id          # a column with unique values, instead of the primary key
    geometry_column: geom        # the default among several
    datetime_column: event_date  # or, of features that last, where they start and end: [began, ended]
    properties: [magnitude, depth]   # the columns to show, in this order; without it all
    sort: [-event_date]          # default order of items
    importance: [-magnitude]     # what a tile keeps where it has too many features
    minzoom: 0                   # zooms of WebMercatorQuad, instead of what the data suggest
    maxzoom: 12
    tile_properties:             # what tiles of these zooms hold; of others everything, and what a request names always
      0-4: [magnitude, depth]
      5-7: [magnitude, depth, place]
    keywords: [earthquake]
    license: https://creativecommons.org/publicdomain/zero/1.0/
    attribution: USGS
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

import yaml

from libs.catalogue.model import Collection

# Columns that say how much a feature matters, most telling first.
_TELLING = ("magnitude", "max_wind_kt", "wind_kt", "wind_speed_kt", "severity", "area_km2")


_ZOOMS = re.compile(r"(\d{1,2})(?:-(\d{1,2}))?\Z", re.ASCII)
_DEEPEST = 30


class ConfigError(ValueError):
    """The file is malformed, or says something about a column that does not exist; the message says where."""


@dataclass(frozen=True, slots=True)
class CollectionConfig:
    """What the file says about one collection; None or empty where it says nothing."""

    title: str | None = None
    description: str | None = None
    id_column: str | None = None
    geometry_column: str | None = None
    datetime_column: str | tuple[str, str] | None = None
    properties: tuple[str, ...] = ()
    sort: tuple[str, ...] = ()
    importance: tuple[str, ...] = ()
    minzoom: int | None = None
    maxzoom: int | None = None
    tile_properties: tuple[tuple[int, int, tuple[str, ...]], ...] = ()
    keywords: tuple[str, ...] = ()
    license: str | None = None
    attribution: str | None = None

    @classmethod
    def parse(cls, where: str, value: object) -> Self:
        """Raises ConfigError for an unknown member or a value of the wrong type."""
        members = _mapping(where, value)
        lists = {"properties", "sort", "importance", "keywords"}
        known = {entry.name for entry in fields(cls)}
        parsed: dict[str, Any] = {}
        for name, given in members.items():
            if name not in known:
                raise ConfigError(f"{where}.{name} is unknown; there are {', '.join(sorted(known))}")
            if name in lists:
                parsed[name] = _texts(f"{where}.{name}", given)
            elif name in ("minzoom", "maxzoom"):
                if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given <= _DEEPEST:
                    raise ConfigError(f"{where}.{name} must be a whole number from 0 to {_DEEPEST}")
                parsed[name] = given
            elif name == "datetime_column":
                parsed[name] = given if isinstance(given, str) else _start_and_end(f"{where}.{name}", given)
            elif name == "tile_properties":
                parsed[name] = _by_zoom(f"{where}.{name}", given)
            elif not isinstance(given, str):
                raise ConfigError(f"{where}.{name} must be a text")
            elif name == "license" and not given.startswith(("https://", "http://")):
                raise ConfigError(f"{where}.{name} must be an address (https://…)")
            else:
                parsed[name] = given
        if parsed.get("minzoom", 0) > parsed.get("maxzoom", _DEEPEST):
            raise ConfigError(f"{where}.minzoom is above maxzoom")
        return cls(**parsed)


@dataclass(frozen=True, slots=True)
class CatalogueConfig:
    """The whole file."""

    include: tuple[str, ...] = ("*",)
    exclude: tuple[str, ...] = ()
    collections: Mapping[str, CollectionConfig] = field(default_factory=dict)

    @classmethod
    def load(cls, file: Path) -> Self:
        """Raises ConfigError where the file cannot be read or is malformed."""
        try:
            members = _mapping(str(file), yaml.safe_load(file.read_text(encoding="utf-8")) or {})
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise ConfigError(f"{file}: {error}") from None
        if unknown := members.keys() - {"include", "exclude", "collections"}:
            raise ConfigError(f"{file}: {', '.join(sorted(unknown))} unknown; there are include, exclude, collections")
        entries = _mapping("collections", members.get("collections") or {})
        return cls(
            include=_texts("include", members.get("include", ["*"])),
            exclude=_texts("exclude", members.get("exclude", [])),
            collections={name: CollectionConfig.parse(f"collections.{name}", entry) for name, entry in entries.items()},
        )

    def offers(self, collection_id: str) -> bool:
        """Whether the collection is offered at all."""
        included = any(fnmatchcase(collection_id, pattern) for pattern in self.include)
        return included and not any(fnmatchcase(collection_id, pattern) for pattern in self.exclude)

    def apply(self, collection: Collection) -> Collection:
        """The collection as configured. Raises ConfigError for a column that it does not have."""
        said = self.collections.get(collection.id, CollectionConfig())
        where = f"collections.{collection.id}"
        _known(f"{where}.geometry_column", said.geometry_column, [entry.name for entry in collection.geometries])
        start, end = said.datetime_column if isinstance(said.datetime_column, tuple) else (said.datetime_column, None)
        times = [entry.name for entry in collection.times]
        _known(f"{where}.datetime_column", start, times)
        if end is not None:
            # what is not shown cannot be filtered by
            shown_times = [name for name in times if not said.properties or name in said.properties]
            _known(f"{where}.datetime_column", start, shown_times)
            _known(f"{where}.datetime_column", end, shown_times)
        names = [column.name for column in collection.columns]
        _known(f"{where}.id_column", said.id_column, names)
        for member, given in (("properties", said.properties), ("sort", said.sort), ("importance", said.importance)):
            for name in given:
                _known(f"{where}.{member}", name.removeprefix("-"), names)
        for _, _, chosen in said.tile_properties:
            for name in chosen:
                _known(f"{where}.tile_properties", name, list(said.properties) or names)
        shown = {name: position for position, name in enumerate(said.properties)}
        columns = tuple(column for column in collection.columns if not shown or column.name in shown)
        configured = replace(
            collection,
            title=said.title or collection.title,
            description=said.description or collection.description,
            key=said.id_column or collection.key,
            geometries=tuple(sorted(collection.geometries, key=lambda entry: entry.name != said.geometry_column)),
            times=tuple(sorted(collection.times, key=lambda entry: entry.name != start)),
            time_end=end,
            columns=tuple(sorted(columns, key=lambda column: shown.get(column.name, 0))),
            sort=said.sort,
            importance=said.importance or tuple(f"-{name}" for name in _TELLING if name in names)[:1],
            minzoom=said.minzoom,
            maxzoom=said.maxzoom,
            tile_properties=said.tile_properties,
            keywords=said.keywords,
            license=said.license,
            attribution=said.attribution,
        )
        return replace(configured, shape=_shape(configured))


def _shape(collection: Collection) -> str:
    """Changes with anything that answers show beside the rows: names, texts, the order of columns."""
    told = (
        collection.shape,
        collection.title,
        collection.description,
        collection.key,
        collection.columns,
        [geometry.name for geometry in collection.geometries],
        [time.name for time in collection.times],
        collection.time_end,
        collection.sort,
        collection.importance,
        collection.tile_properties,
        collection.attribution,
    )
    return blake2b(repr(told).encode(), digest_size=6).hexdigest()


def _mapping(where: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise ConfigError(f"{where} must be a mapping")
    return value


def _texts(where: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise ConfigError(f"{where} must be a list of texts")
    return tuple(value)


def _start_and_end(where: str, value: object) -> tuple[str, str]:
    names = _texts(where, value) if isinstance(value, list) else ()
    if len(names) != 2 or names[0] == names[1]:
        raise ConfigError(f"{where} must be a text, or a list of two columns: where features start and where they end")
    return names[0], names[1]


def _by_zoom(where: str, value: object) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
    """`{0-4: [...], 5: [...]}` as first zoom, last zoom, names; ranges may not overlap."""
    if not isinstance(value, dict):
        raise ConfigError(f"{where} must be a mapping from zooms, such as 0-4, to lists of columns")
    ranges: list[tuple[int, int, tuple[str, ...]]] = []
    for zooms, names in value.items():
        found = _ZOOMS.match(str(zooms))
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if first > last:
            raise ConfigError(f"{where}: '{zooms}' is not a zoom or a range of zooms such as 0-4")
        if any(first <= other_last and last >= other_first for other_first, other_last, _ in ranges):
            raise ConfigError(f"{where}: '{zooms}' overlaps another range")
        ranges.append((first, last, _texts(f"{where}.{zooms}", names)))
    return tuple(ranges)


def _known(where: str, name: str | None, names: list[str]) -> None:
    if name is not None and name not in names:
        raise ConfigError(f"{where}: there is no column '{name}'; there are {', '.join(names[:40]) or 'none'}")

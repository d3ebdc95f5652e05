"""The operator's configuration of collections: YAML files, checked on load, read again when they change.

include: ["hazard.*"]            # patterns of ids; without it all spatial tables of DAMS_COLLECTION_SCHEMAS
exclude: ["hazard.scratch_*"]
collections:
  hazard.hazard_eq_events:
    title: Earthquakes           # instead of the table's comment
    description: ...
    id_column: event_id          # a column with unique values, instead of the primary key
    geometry_column: geom        # the default among several
    datetime_column: event_date  # or, for features that last, their start and end: [began, ended]
    issued_column: updated       # issue time of features: the age of the data
    properties: [magnitude, depth]   # columns to show besides the id, in this order; default: all
    sort: [-event_date]          # default order of items
    importance: [-magnitude]     # priority of features if a tile has too many
    minzoom: 0                   # zooms of WebMercatorQuad, instead of those computed from the data
    maxzoom: 12
    tile_properties:             # properties of tiles at these zooms; default: all; a request may name others
      0-4: [magnitude, depth]
      5-7: [magnitude, depth, place]
    longitudes: stored           # beyond ±180 as stored, instead of moved into ±180
    crs: [EPSG:25832]            # CRSs of responses, besides CRS84 and the stored one; default: those of the tile sets
    overview: false              # not in maps and tiles of all collections, unless a request names it
    item_links:                  # links to other features: relation type, their column: own column with the same value
      predecessor-version: {event_id: event_id, advisory_time: previous_advisory_time}
    situation:                   # landing page: active features, or those of the last days
      title: Strong earthquakes
      at_least: {magnitude: 6}
      unset: [withdrawn]
      days: 30
    keywords: [earthquake]
    license: https://creativecommons.org/publicdomain/zero/1.0/
    part_licenses:               # parts of the data with another licence
      "Nearest places: GeoNames, CC BY 4.0": https://creativecommons.org/licenses/by/4.0/
    attribution: USGS
    color: '#b33156'             # colour, label and symbol of features on the map
    symbol: triangle             # circle, square, triangle or diamond; and `label`, a column
    style: {column: depth, breaks: [10, 70]}   # or values: {open: '#007152', closed: '#b33156'}
exposure: ...                    # people and facilities that impacts are computed with: libs/catalogue/exposure.py
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from libs.catalogue.exposure import ExposureConfig
from libs.catalogue.model import Collection
from libs.geo.crs_areas import can_hold
from libs.ogc.bbox import BBox
from libs.ogc.crs import USUAL_SRIDS
from libs.web.settings import SettingsError
from services.common.catalogue.file_values import (
    parse_address,
    parse_addresses,
    parse_column_pairs,
    parse_one_or_two,
    parse_srids,
    parse_texts,
    parse_zoom_ranges,
)
from services.common.catalogue.own_look import ClassesConfig, Color, SymbolName, own_look
from services.common.situation.asked import Asked

# Columns that show how much a feature matters, the most informative first.
_TELLING = ("magnitude", "max_wind_kt", "wind_kt", "wind_speed_kt", "severity", "area_km2")


_DEEPEST = 30


class ConfigError(SettingsError):
    """The file is malformed, or names a column that does not exist; the message says where."""


_Texts = Annotated[tuple[str, ...], BeforeValidator(parse_texts)]
_Zoom = Annotated[int, Field(strict=True, ge=0, le=_DEEPEST)]


class _Said(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CollectionConfig(_Said):
    """The file's settings of one collection; None or empty if not set."""

    title: str | None = None
    description: str | None = None
    id_column: str | None = None
    geometry_column: str | None = None
    datetime_column: Annotated[str | tuple[str, str] | None, BeforeValidator(parse_one_or_two)] = None
    issued_column: str | None = None
    properties: _Texts = ()
    sort: _Texts = ()
    importance: _Texts = ()
    minzoom: _Zoom | None = None
    maxzoom: _Zoom | None = None
    tile_properties: Annotated[tuple[tuple[int, int, tuple[str, ...]], ...], BeforeValidator(parse_zoom_ranges)] = ()
    longitudes: Literal["turned", "stored"] = "turned"
    crs: Annotated[tuple[int, ...], BeforeValidator(parse_srids)] = USUAL_SRIDS
    overview: Annotated[bool, Field(strict=True)] = True
    item_links: Annotated[tuple[tuple[str, tuple[tuple[str, str], ...]], ...], BeforeValidator(parse_column_pairs)] = ()
    situation: Asked | None = None
    keywords: _Texts = ()
    license: Annotated[str, AfterValidator(parse_address)] | None = None
    part_licenses: Annotated[tuple[tuple[str, str], ...], BeforeValidator(parse_addresses)] = ()
    attribution: str | None = None
    demo: Literal["simulated", "recorded"] | None = None
    color: Color | None = None
    label: str | None = None
    symbol: SymbolName | None = None
    style: ClassesConfig | None = None

    @model_validator(mode="after")
    def _zooms_in_order(self) -> Self:
        if self.minzoom is not None and self.maxzoom is not None and self.minzoom > self.maxzoom:
            raise ValueError(": minzoom is above maxzoom")
        return self


class CatalogueConfig(_Said):
    """A whole file, or several merged."""

    include: _Texts = ("*",)
    exclude: _Texts = ()
    # a heading with nothing below it is null
    collections: Annotated[Mapping[str, CollectionConfig], BeforeValidator(lambda given: given or {})] = Field(
        default_factory=dict
    )
    exposure: ExposureConfig = ExposureConfig()
    """Read by the worker of impacts; checked here with the rest of the file."""

    @classmethod
    def load(cls, *files: Path) -> Self:
        """Merge the files: a later one overrides an earlier one's settings of a collection one by one.

        Raises ConfigError, with every fault, if a file cannot be read or is malformed.
        """
        said: dict[str, Any] = {}
        collections: dict[str, dict[str, Any]] = {}
        for file in files:
            try:
                content = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
            except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
                raise ConfigError(f"{file}: {error}") from None
            cls._validate(content, str(file))
            said |= content
            for name, members in (content.get("collections") or {}).items():
                collections[name] = collections.get(name, {}) | members
        return cls._validate(said | {"collections": collections}, ", ".join(map(str, files)))

    @classmethod
    def _validate(cls, content: object, where: str) -> Self:
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            raise ConfigError(f"{where}: {'; '.join(map(_sentence, error.errors()))}") from None

    def offers(self, collection_id: str, *, spatial: bool, nonspatial: Iterable[str] = ()) -> bool:
        """Return whether the collection is public.

        A table without a geometry may be a list of users. It is public only where its id matches a pattern of
        `nonspatial`, is a heading below `collections`, or is written in `include` without a wildcard.
        """
        included = any(fnmatchcase(collection_id, pattern) for pattern in self.include)
        if not included or any(fnmatchcase(collection_id, pattern) for pattern in self.exclude):
            return False
        named = collection_id in self.collections or collection_id in self.include
        return spatial or named or any(fnmatchcase(collection_id, pattern) for pattern in nonspatial)

    def apply(self, collection: Collection, *, id_column: bool = True) -> Collection:
        """Return the collection as configured; without its `id_column` if `id_column` is False.

        Raises ConfigError for a column that does not exist.
        """
        said = self.collections.get(collection.id, CollectionConfig())
        if not id_column:
            said = said.model_copy(update={"id_column": None})
        where = f"collections.{collection.id}"
        names = [column.name for column in collection.columns]
        _check_column(f"{where}.id_column", said.id_column, names)
        key = said.id_column or collection.key
        composite = () if said.id_column else collection.composite_key
        # without the key's column, features would not have ids, and pages could not start after a row
        shown = {name: position for position, name in enumerate(said.properties)}
        if shown:
            for name in (key,) if key is not None else composite:
                shown.setdefault(name, -1)
        _check_column(f"{where}.geometry_column", said.geometry_column, [entry.name for entry in collection.geometries])
        start, end = said.datetime_column if isinstance(said.datetime_column, tuple) else (said.datetime_column, None)
        times = [entry.name for entry in collection.times]
        _check_column(f"{where}.datetime_column", start, times)
        # hidden columns cannot be filtered by
        shown_times = [name for name in times if not shown or name in shown]
        _check_column(f"{where}.issued_column", said.issued_column, shown_times)
        if end is not None:
            _check_column(f"{where}.datetime_column", start, shown_times)
            _check_column(f"{where}.datetime_column", end, shown_times)
        for member, given in (("properties", said.properties), ("sort", said.sort), ("importance", said.importance)):
            for name in given:
                _check_column(f"{where}.{member}", name.removeprefix("-"), names)
        for _, _, chosen in said.tile_properties:
            for name in chosen:
                _check_column(f"{where}.tile_properties", name, list(shown) or names)
        for rel, found_by in said.item_links:
            for name in (name for pair in found_by for name in pair):
                _check_column(f"{where}.item_links.{rel}", name, list(shown) or names)
        _check_look(where, said, collection, [*shown])
        _check_situation(f"{where}.situation", said.situation, collection, start or next(iter(times), None))
        columns = tuple(column for column in collection.columns if not shown or column.name in shown)
        # without a list they follow from where the rows are
        named_srids = said.crs if "crs" in said.model_fields_set else None
        configured = replace(
            collection,
            title=said.title or collection.title,
            description=said.description or collection.description,
            key=key,
            composite_key=composite,
            # the database guarantees that values of its key are unique, but not those of another column
            key_repeats=collection.key_repeats if said.id_column is None else said.id_column != collection.key,
            suggested_key=None if said.id_column else collection.suggested_key,
            geometries=tuple(
                replace(entry, as_stored=said.longitudes == "stored")
                for entry in sorted(collection.geometries, key=lambda entry: entry.name != said.geometry_column)
            ),
            times=tuple(
                replace(entry, usual=entry.usual or entry.name == start)
                for entry in sorted(collection.times, key=lambda entry: entry.name != start)
            ),
            time_end=end,
            time_issued=said.issued_column,
            columns=tuple(sorted(columns, key=lambda column: shown.get(column.name, 0))),
            sort=said.sort,
            importance=said.importance or tuple(f"-{name}" for name in _TELLING if name in names)[:1],
            minzoom=said.minzoom,
            maxzoom=said.maxzoom,
            tile_properties=said.tile_properties,
            srids=_usual_srids(collection) if named_srids is None else named_srids,
            overview=said.overview,
            item_links=said.item_links,
            keywords=said.keywords,
            license=None if _is_replaced(said, collection) else said.license,
            part_licenses=said.part_licenses,
            attribution=_attribution(said, collection),
            look=own_look(said.color, said.label, said.symbol, said.style, columns),
        )
        return replace(configured, shape=_shape(configured, named_srids))


def _is_replaced(said: CollectionConfig, collection: Collection) -> bool:
    """Return whether the loader has replaced the simulated rows that the file describes."""
    return said.demo == "simulated" and bool(collection.publishers)


def _attribution(said: CollectionConfig, collection: Collection) -> str | None:
    """Return the attribution of the file, else of the publishers; both beside recorded rows of the demo."""
    if _is_replaced(said, collection) or said.attribution is None:
        return collection.attribution
    if said.demo and collection.publishers:
        return f"{said.attribution}; {collection.attribution}"
    return said.attribution


def _usual_srids(collection: Collection) -> tuple[int, ...]:
    """Return the usual CRSs that can hold all rows of the collection, as far as its extent is known."""
    boxes = [part for each in collection.geometries if each.bbox for part in BBox(*each.bbox).parts()]
    return tuple(srid for srid in USUAL_SRIDS if can_hold(boxes, srid))


def _check_look(where: str, said: CollectionConfig, collection: Collection, shown: list[str]) -> None:
    columns = [column for column in collection.columns if not shown or column.name in shown]
    _check_column(f"{where}.label", said.label, [column.name for column in columns])
    if said.style is not None:
        names = [each.name for each in columns if not said.style.breaks or each.type in ("integer", "number")]
        _check_column(f"{where}.style.column", said.style.column, names)


def _check_situation(where: str, asked: Asked | None, collection: Collection, start: str | None) -> None:
    if asked is None:
        return
    if start is None or any(time.name == start and time.is_period for time in collection.times):
        raise ConfigError(f"{where}: `situation` needs a column of instants, and the collection has none")
    numbers = [column.name for column in collection.columns if column.type in ("integer", "number")]
    for name in asked.at_least:
        _check_column(f"{where}.at_least", name, numbers)
    for name in asked.unset:
        _check_column(f"{where}.unset", name, [column.name for column in collection.columns])


def _shape(collection: Collection, named_srids: tuple[int, ...] | None) -> str:
    """Changes with anything that answers show beside the rows: names, texts, the order of columns."""
    shown = (
        collection.shape,
        collection.title,
        collection.description,
        collection.key,
        collection.composite_key,
        collection.key_repeats,
        collection.columns,
        [(entry.name, entry.turns, entry.crosses, entry.partial, entry.as_stored) for entry in collection.geometries],
        [time.name for time in collection.times],
        collection.time_end,
        collection.time_issued,
        collection.sort,
        collection.importance,
        collection.tile_properties,
        named_srids,
        collection.overview,
        collection.item_links,
        collection.attribution,
        collection.look,
        collection.license,
        collection.part_licenses,
    )
    return blake2b(repr(shown).encode(), digest_size=6).hexdigest()


_WORDS = {
    "missing": "is missing",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
    "string_type": "must be a text",
    "bool_type": "must be true or false",
    **dict.fromkeys(
        ("int_type", "greater_than_equal", "less_than_equal"), f"must be a whole number from 0 to {_DEEPEST}"
    ),
}
"""Messages for authors of YAML by kind of fault; the library's own messages use Python's terms."""


def _sentence(fault: ErrorDetails) -> str:
    where = ".".join(str(step) for step in fault["loc"] if step != "[key]")
    if fault["type"] == "extra_forbidden" and fault["loc"][0] == "exposure":
        return f"{where} is unknown"
    if fault["type"] == "extra_forbidden":
        depth = len(fault["loc"])
        nested = ClassesConfig if "style" in fault["loc"] else Asked
        known = (CatalogueConfig if depth == 1 else CollectionConfig if depth == 3 else nested).model_fields
        return f"{where} is unknown (there are {', '.join(sorted(known))})"
    said = str(fault["ctx"]["error"]) if fault["type"] == "value_error" else _WORDS.get(fault["type"], fault["msg"])
    return f"{where}{'' if said.startswith((':', '.')) else ' '}{said}".strip()


def _check_column(where: str, name: str | None, names: list[str]) -> None:
    if name is not None and name not in names:
        raise ConfigError(f"{where}: there is no column '{name}'; there are {', '.join(names[:40]) or 'none'}")

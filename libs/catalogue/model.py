"""A collection, its columns and extents, as frozen values that services exchange as JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from libs.catalogue.history import History
from libs.catalogue.own_look import OwnLook
from libs.ogc.bbox import BBox
from libs.ogc.crs import CRS84, CRS84H, USUAL_SRIDS, crs_uri
from libs.ogc.temporal import parse_instant
from libs.pg.column_types import Kind, column_type


@dataclass(frozen=True, slots=True)
class Column:
    """A column that is a property: not a geometry, and not hidden."""

    name: str
    sql_type: str
    """Type as `format_type` writes it, such as `timestamp with time zone`."""
    type: str
    """JSON Schema type: string, number, integer, boolean, array, object."""
    format: str | None = None
    """JSON Schema format such as `date-time`, `date`, `uuid`, `uri`."""
    title: str | None = None
    description: str | None = None
    unit: str | None = None
    enum: tuple[str, ...] | None = None
    """Labels of an enumerated type, in their order."""
    indexed: bool = False
    """Whether a btree index starts with it, so that sorting and its minimum and maximum are cheap."""
    not_null: bool = False
    items: str | None = None
    """JSON Schema type of the members of an array; None if they may have any."""

    @property
    def ordered(self) -> bool:
        """Whether the database can sort by it."""
        return self.type not in ("object", "array") and column_type(self.sql_type).ordered


_DIMENSIONS = {"Point": 0, "LineString": 1, "Curve": 1, "Polygon": 2, "Surface": 2}


@dataclass(frozen=True, slots=True)
class GeometryColumn:
    """A geometry or geography column."""

    name: str
    type: str
    """`Point`, ..., `GeometryCollection`, or `Geometry` if rows may hold any type."""
    srid: int
    is_geography: bool = False
    dimensions: int = 2
    bbox: tuple[float, float, float, float] | None = None
    """Extent in CRS84, degrees, longitude then latitude; None if unknown or empty.

    West is greater than east if it crosses the antimeridian.
    """
    turns: tuple[int, ...] = ()
    """Whole turns around the Earth by which longitudes of rows lie beyond ±180: 1 for those from 180 to 540."""
    crosses: bool = False
    """For a geography: whether edges may cross the antimeridian, the short way."""
    partial: bool = False
    """Whether rows may lie outside longitude and latitude, also after whole turns."""
    as_stored: bool = False
    """Whether features have longitudes as stored, also beyond ±180."""
    not_null: bool = False
    row_srids: tuple[int, ...] = ()
    """SRIDs of the rows of a column that declares none, smallest first, 0 for rows without one; empty if unknown."""
    crs_offered: bool = True
    """Whether features may be requested in the CRS that they are stored in: not where it has three axes."""
    has_heights: bool = False
    """Whether the column declares heights (Z)."""

    def __hash__(self) -> int:
        return hash((self.name, self.type, self.srid))

    @property
    def is_mixed(self) -> bool:
        """Whether each row may have its own SRID; PostGIS lets it also where the column declares a type."""
        return self.srid == 0 and not self.is_geography and self.row_srids != (0,)

    @property
    def may_have_heights(self) -> bool:
        """Whether rows may have a third dimension; of a column of any type nothing says so."""
        return self.dimensions > 2 or self.type == "Geometry"

    @property
    def is_cut(self) -> bool:
        """Whether responses may cut features in two at the antimeridian."""
        return bool(self.turns) or self.crosses

    @property
    def dimension(self) -> int | None:
        """Topological dimension: 0 points, 1 lines, 2 polygons; None for mixtures."""
        return _DIMENSIONS.get(self.type.removeprefix("Multi"))


@dataclass(frozen=True, slots=True)
class TimeColumn:
    """A column of dates, timestamps or ranges of these, with its extent in RFC 3339 if known."""

    name: str
    sql_type: str
    start: str | None = None
    end: str | None = None
    nulls: bool = False
    """Whether rows without a value are known to exist."""
    usual: bool = True
    """True for the time of features; False for other times, such as the last change of a row."""

    @property
    def is_period(self) -> bool:
        """Whether it is a range of time."""
        return column_type(self.sql_type).kind is Kind.PERIOD


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a function that is a collection."""

    name: str
    sql_type: str
    type: str
    """JSON Schema type."""
    format: str | None = None
    default: str | None = None
    """Its default as an SQL expression; None if a value is required."""


@dataclass(frozen=True, slots=True)
class Publisher:
    """The publisher of features of a collection, as its loader records it."""

    title: str
    licence: str
    """Licence in words."""
    licence_url: str | None
    attribution: str
    rhythm_seconds: int
    """Interval between publications of new data, in seconds."""
    updated: str
    """Time when the loader last changed features of this publisher, RFC 3339."""
    issued: str | None = None
    """Time of issue of the newest document, RFC 3339; None if its documents have none."""
    is_silent: bool = False
    """Whether the loader has not reached the publisher for three intervals and an hour."""


@dataclass(frozen=True, slots=True)
class Collection:
    """One collection: a table, view or function in a configured schema. `id` is `schema.name`."""

    id: str
    schema: str
    name: str
    oid: int
    kind: str
    """One of table, partitioned table, view, materialized view, foreign table, function."""
    title: str
    description: str | None
    columns: tuple[Column, ...]
    geometries: tuple[GeometryColumn, ...] = ()
    times: tuple[TimeColumn, ...] = ()
    time_end: str | None = None
    """The datetime column with the end of a feature that starts at the first of `times`; None if features are moments.
    """
    time_issued: str | None = None
    """The datetime column with the issue time of a feature; None if none is configured."""
    key: str | None = None
    """The column with the feature id: a single-column primary key."""
    composite_key: tuple[str, ...] = ()
    """The columns that form the feature id together, if no single column does."""
    key_repeats: bool = False
    """Whether rows may share an id: in a table with children (INHERITS), or without a guarantee of uniqueness."""
    suggested_key: str | None = None
    """For features without ids: a column that may identify them, judging by its name."""
    row_security: bool = False
    """Whether policies hide rows from the services."""
    rows: int | None = None
    """Estimated number of rows."""
    item_count: int | None = None
    """Number of rows, counted since they last changed; None if unknown."""
    row_bytes: int | None = None
    """Estimated size of a stored row in bytes, geometries included."""
    large_rows: bool = False
    """Whether geometries may have thousands of corners: some are stored out of line, or this is unknown."""
    sources: tuple[int, ...] = field(default=())
    """Relations (oids) whose changes change this collection; none where they are unknown."""
    product_source: int | None = None
    """Relation (oid) that lists the events with products of this service; None without such properties or a list."""
    impact_source: int | None = None
    """Relation (oid) with the impacts of events; None for features without events, or without such a relation."""
    arguments: tuple[Argument, ...] = ()
    """Arguments of a function."""
    sort: tuple[str, ...] = ()
    """Default order of items, as in `sortby`; the key breaks ties."""
    importance: tuple[str, ...] = ()
    """Priority of features if a tile has too many, as in `sortby`."""
    minzoom: int | None = None
    """First zoom (of WebMercatorQuad) that is worth drawing, as configured; None: computed from the data."""
    maxzoom: int | None = None
    tile_properties: tuple[tuple[int, int, tuple[str, ...]], ...] = ()
    """First zoom, last zoom, names: the properties of tiles at these zooms if the request names none."""
    srids: tuple[int, ...] = USUAL_SRIDS
    """SRIDs of the CRSs in which features are available, besides CRS84 and their own."""
    overview: bool = True
    """Whether maps and tiles of all collections include it, unless a request names collections."""
    item_links: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    """Relation type, and pairs of properties that find the linked features.

    A pair is a property of theirs, and the property of this feature with the same value.
    """
    keywords: tuple[str, ...] = ()
    license: str | None = None
    """Address of the licence."""
    part_licenses: tuple[tuple[str, str], ...] = ()
    """Licences of parts of the data: the part in words, and the address."""
    attribution: str | None = None
    look: OwnLook | None = None
    """How the operator wants it to be drawn; None: by its properties."""
    publishers: tuple[Publisher, ...] = ()
    """Publishers of live data; empty if unknown."""
    history: History | None = None
    """None if earlier versions of its rows are not kept."""
    past: str | None = None
    """The time of whose rows this is the collection, RFC 3339; None: of the present ones."""
    shape: str = ""
    """Changes whenever columns, their types, or texts in responses do."""
    _hash: int = field(default=0, init=False, repr=False, compare=False)

    def __hash__(self) -> int:
        if self._hash:
            return self._hash
        # nearly as good as a hash of all members, which takes as long as a small query. It includes values that change
        # with the data: otherwise the versions of an hour would collide in a hash table
        moments = tuple([(time.start, time.end) for time in self.times])
        boxes = tuple([geometry.bbox for geometry in self.geometries])
        object.__setattr__(
            self, "_hash", hash((self.id, self.shape, self.rows, self.item_count, moments, boxes, self.past)) or 1
        )
        return self._hash

    @property
    def type(self) -> str:
        """The contract's collection type."""
        return "Function" if self.kind == "function" else "Table"

    @property
    def id_columns(self) -> tuple[Column, ...]:
        """The columns that form the feature id; empty if features have no ids."""
        names = (self.key,) if self.key else self.composite_key
        columns = tuple(column for name in names if (column := self.column(name)) is not None)
        return columns if len(columns) == len(names) else ()

    @property
    def row_address(self) -> tuple[str, ...]:
        """System columns that identify its rows within a statement; empty if none do."""
        if not self.sources or self.kind not in ("table", "materialized view", "partitioned table"):
            return ()
        # a child table (INHERITS) or a partition has its own row locations
        return ("ctid",) if self.sources == (self.oid,) else ("tableoid", "ctid")

    @property
    def pages_start_behind_rows(self) -> bool:
        """Whether its rows have an identity that lasts until they are changed; else pages go by offset."""
        if self.kind in ("table", "materialized view", "foreign table"):
            return True
        # a view without sources depends on the clock, as far as is known: its rows change by themselves
        return bool(self.id_columns and not self.key_repeats) or bool(self.sources and self.kind != "function")

    def column(self, name: str) -> Column | None:
        """Return the property of that name."""
        return next((column for column in self.columns if column.name == name), None)

    def geometry(self, name: str | None = None) -> GeometryColumn | None:
        """Return the geometry column of that name; without a name, the default."""
        if name is None:
            return self.geometries[0] if self.geometries else None
        return next((geometry for geometry in self.geometries if geometry.name == name), None)

    def time(self, name: str | None = None) -> TimeColumn | None:
        """Return the datetime column of that name; without one, the first that says when features were."""
        if name is None:
            return next((time for time in self.times if time.usual), None)
        return next((time for time in self.times if time.name == name), None)

    def period_columns(self) -> tuple[TimeColumn, TimeColumn] | None:
        """The datetime columns with the start and end of a feature; None if features are moments."""
        start, end = self.time(), self.time(self.time_end) if self.time_end else None
        return (start, end) if start and end and not (start.is_period or end.is_period) else None

    def as_of(self) -> str | None:
        """Time of the newest data, in RFC 3339: the latest issue time; if unknown, the latest start of a feature.

        Never an end: a forecast issued yesterday for next week is from yesterday.
        """
        issued, time = self.time(self.time_issued) if self.time_issued else None, self.time()
        return (issued and issued.end) or (time.end if time else None)

    def temporal_extent(self) -> tuple[str | None, str | None]:
        """First and last moment in RFC 3339, None if open or unknown.

        For features with start and end, open at the end if some have none yet; it starts with the earliest known start.
        """
        pair = self.period_columns()
        if pair is None:
            time = self.time()
            return (time.start, time.end) if time else (None, None)
        start, end = pair
        starts = [moment for moment in (start.start, end.start) if moment]
        ends = [moment for moment in (start.end, end.end) if moment]
        return (
            min(starts, key=parse_instant) if start.start else None,
            max(ends, key=parse_instant) if end.end and not end.nulls else None,
        )

    def bbox(self) -> BBox | None:
        """Extent of the default geometry."""
        geometry = self.geometry()
        return BBox(*geometry.bbox) if geometry and geometry.bbox else None

    def storage_crs(self) -> str | None:
        """Identifier of the default geometry's CRS, if all rows have the same one."""
        geometry = self.geometry()
        if geometry is None or not geometry.crs_offered:
            return None
        return CRS84 if geometry.srid == 4326 else crs_uri(geometry.srid)

    def crs(self) -> tuple[str, ...]:
        """Identifiers of the CRSs in which features are available; only CRS84 if they have no geometry."""
        if not self.geometries:
            return (CRS84,)
        with_heights = (CRS84H,) if self.geometries[0].has_heights else ()
        uris = (CRS84, *with_heights, *map(crs_uri, self.srids), self.storage_crs())
        return tuple(dict.fromkeys(uri for uri in uris if uri is not None))

    def to_json(self) -> dict[str, Any]:
        """Return the collection for the internal catalogue."""
        value = asdict(self)
        del value["_hash"]
        return value

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Invert `to_json`."""
        return cls(
            **{
                **value,
                "columns": tuple(
                    Column(**{**column, "enum": tuple(column["enum"]) if column["enum"] else None})
                    for column in value["columns"]
                ),
                "geometries": tuple(
                    GeometryColumn(
                        **{
                            **entry,
                            "bbox": tuple(entry["bbox"]) if entry["bbox"] else None,
                            "turns": tuple(entry["turns"]),
                            "row_srids": tuple(entry["row_srids"]),
                        }
                    )
                    for entry in value["geometries"]
                ),
                "times": tuple(TimeColumn(**entry) for entry in value["times"]),
                "sources": tuple(value["sources"]),
                "publishers": tuple(Publisher(**entry) for entry in value.get("publishers", ())),
                "history": History.from_json(value["history"]) if value.get("history") else None,
                "look": OwnLook.from_json(value["look"]) if value.get("look") else None,
                "part_licenses": tuple((words, address) for words, address in value.get("part_licenses", ())),
                "arguments": tuple(Argument(**entry) for entry in value["arguments"]),
                "item_links": tuple(
                    (rel, tuple((name, own) for name, own in found_by)) for rel, found_by in value["item_links"]
                ),
                "tile_properties": tuple(
                    (first, last, tuple(names)) for first, last, names in value["tile_properties"]
                ),
                **{name: tuple(value[name]) for name in ("composite_key", "sort", "importance", "srids", "keywords")},
            }
        )

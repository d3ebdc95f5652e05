"""A collection, its columns and extents, as frozen values that travel as JSON between the services."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from libs.ogc.bbox import BBox
from libs.ogc.crs import CRS84, USUAL_SRIDS, crs_uri
from libs.ogc.temporal import parse_instant
from libs.pg.column_types import Kind, column_type


@dataclass(frozen=True, slots=True)
class Column:
    """A column that is a property: neither geometry nor hidden."""

    name: str
    sql_type: str
    """As `format_type` spells it, such as `timestamp with time zone`."""
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
    """A btree index starts with it, so that sorting and the ends of its range are cheap."""
    not_null: bool = False
    items: str | None = None
    """JSON Schema type of the members of an array; None where they may be of any."""

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
    """`Point`, ..., `GeometryCollection`, or `Geometry` where rows may hold any."""
    srid: int
    is_geography: bool = False
    dimensions: int = 2
    bbox: tuple[float, float, float, float] | None = None
    """Extent in CRS84, degrees, longitude then latitude; None where unknown or empty.

    West is greater than east where it crosses the antimeridian.
    """
    turns: tuple[int, ...] = ()
    """Whole turns around the Earth by which longitudes of rows lie beyond ±180: 1 for those from 180 to 540."""
    crosses: bool = False
    """Of a geography: whether edges may cross the antimeridian, the short way."""
    partial: bool = False
    """Whether rows may lie where neither longitude and latitude nor a turn leads."""
    as_stored: bool = False
    """Whether features are to have longitudes as they are stored, be they beyond ±180 or not."""
    not_null: bool = False
    crs_offered: bool = True
    """Whether features may be requested in the CRS that they are stored in: not where it has three axes."""

    def __hash__(self) -> int:
        return hash((self.name, self.type, self.srid))

    @property
    def may_have_heights(self) -> bool:
        """Whether rows may have a third dimension; of a column of any type nothing says so."""
        return self.dimensions > 2 or self.type == "Geometry"

    @property
    def is_cut(self) -> bool:
        """Whether features may be cut in two at the antimeridian on the way out."""
        return bool(self.turns) or self.crosses

    @property
    def dimension(self) -> int | None:
        """Topological dimension: 0 points, 1 lines, 2 polygons; None for mixtures."""
        return _DIMENSIONS.get(self.type.removeprefix("Multi"))


@dataclass(frozen=True, slots=True)
class TimeColumn:
    """A column of dates, timestamps or ranges of these, with its extent in RFC 3339 where it is known."""

    name: str
    sql_type: str
    start: str | None = None
    end: str | None = None
    nulls: bool = False
    """Whether rows without a value are known of."""

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
    """Its default as an SQL expression; None where a value must be given."""


@dataclass(frozen=True, slots=True)
class Publisher:
    """Who publishes features of a collection, as its loader notes it."""

    title: str
    licence: str
    """In words."""
    licence_url: str | None
    attribution: str
    rhythm_seconds: int
    """How often new data are published."""
    updated: str
    """When the loader last changed features of this publisher, RFC 3339."""


@dataclass(frozen=True, slots=True)
class Collection:
    """One collection: a table or the like in a configured schema. `id` is `schema.name`."""

    id: str
    schema: str
    name: str
    oid: int
    kind: str
    """table, partitioned table, view, materialized view, foreign table, function."""
    title: str
    description: str | None
    columns: tuple[Column, ...]
    geometries: tuple[GeometryColumn, ...] = ()
    times: tuple[TimeColumn, ...] = ()
    time_end: str | None = None
    """The datetime column at which a feature ends that starts at the first of `times`; None where it is a moment."""
    time_issued: str | None = None
    """The datetime column that says when a feature was issued; None where none is named."""
    key: str | None = None
    """The column whose value is the feature id: a single-column primary key."""
    composite_key: tuple[str, ...] = ()
    """The columns whose values are the feature id together, where no single one is."""
    key_repeats: bool = False
    """Whether rows may share an id: those of a table and of its children (INHERITS), or nobody vouches for it."""
    suggested_key: str | None = None
    """Where features have no ids: a column that may tell them apart, for all that its name says."""
    row_security: bool = False
    """Whether policies hide rows from the services."""
    rows: int | None = None
    """Estimated number of rows."""
    item_count: int | None = None
    """Number of rows, counted since they last changed; None where it is not known."""
    row_bytes: int | None = None
    """Estimated size of a row as it is stored, geometries included."""
    large_rows: bool = False
    """Whether rows may have geometries of thousands of corners: some are stored out of line, or that is not known."""
    sources: tuple[int, ...] = field(default=())
    """Relations (oids) whose changes change this collection; none where they are unknown."""
    arguments: tuple[Argument, ...] = ()
    """Of a function."""
    sort: tuple[str, ...] = ()
    """Default order of items, as in `sortby`; the key breaks ties."""
    importance: tuple[str, ...] = ()
    """Which features come first where a tile has too many, as in `sortby`."""
    minzoom: int | None = None
    """First zoom (of WebMercatorQuad) that is worth drawing, as configured; None: worked out from the data."""
    maxzoom: int | None = None
    tile_properties: tuple[tuple[int, int, tuple[str, ...]], ...] = ()
    """First zoom, last zoom, names: what tiles hold there where the request names no properties."""
    srids: tuple[int, ...] = USUAL_SRIDS
    """Of the CRSs in which features may be asked for, beside CRS84 and their own."""
    overview: bool = True
    """Whether it is one of those that maps and tiles of all collections show, unless a request names some."""
    item_links: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    """Relation type, and by which properties the features that it leads to are found: a property of theirs, and the one
    of this feature whose value they have."""
    keywords: tuple[str, ...] = ()
    license: str | None = None
    """Address of the licence."""
    part_licenses: tuple[tuple[str, str], ...] = ()
    """Of parts of the data that have another: what it is of, in words, and its address."""
    attribution: str | None = None
    publishers: tuple[Publisher, ...] = ()
    """Of live data; none where nobody says."""
    shape: str = ""
    """Changes whenever columns, their types, or texts that answers show do."""
    _hash: int = field(default=0, init=False, repr=False, compare=False)

    def __hash__(self) -> int:
        if self._hash:
            return self._hash
        # nearly as good as that of all members, which takes as long as a small query; what changes with the data is in
        # it, or the collections of an hour would all be in one place of a table
        moments = tuple([(time.start, time.end) for time in self.times])
        boxes = tuple([geometry.bbox for geometry in self.geometries])
        object.__setattr__(self, "_hash", hash((self.id, self.shape, self.rows, self.item_count, moments, boxes)) or 1)
        return self._hash

    @property
    def type(self) -> str:
        """The contract's collection type."""
        return "Function" if self.kind == "function" else "Table"

    @property
    def id_columns(self) -> tuple[Column, ...]:
        """The columns that the feature id is made of; none where features have no ids."""
        names = (self.key,) if self.key else self.composite_key
        columns = tuple(column for name in names if (column := self.column(name)) is not None)
        return columns if len(columns) == len(names) else ()

    @property
    def row_address(self) -> tuple[str, ...]:
        """System columns that tell its rows apart within a statement; none where they do not."""
        if not self.sources or self.kind not in ("table", "materialized view", "partitioned table"):
            return ()
        # a child (INHERITS) or a partition numbers its rows by itself
        return ("ctid",) if self.sources == (self.oid,) else ("tableoid", "ctid")

    @property
    def pages_start_behind_rows(self) -> bool:
        """Whether something tells its rows apart for as long as nobody changes them; else pages go by offset."""
        if self.kind in ("table", "materialized view", "foreign table"):
            return True
        # a view without sources follows the clock, as far as is known: its rows change by themselves
        return bool(self.id_columns and not self.key_repeats) or bool(self.sources and self.kind != "function")

    def column(self, name: str) -> Column | None:
        """The property of that name."""
        return next((column for column in self.columns if column.name == name), None)

    def geometry(self, name: str | None = None) -> GeometryColumn | None:
        """The geometry column of that name; without one, the default."""
        if name is None:
            return self.geometries[0] if self.geometries else None
        return next((geometry for geometry in self.geometries if geometry.name == name), None)

    def time(self, name: str | None = None) -> TimeColumn | None:
        """The datetime column of that name; without one, the default."""
        if name is None:
            return self.times[0] if self.times else None
        return next((time for time in self.times if time.name == name), None)

    def lasting(self) -> tuple[TimeColumn, TimeColumn] | None:
        """The datetime columns between which a feature lasts; None where each is a moment."""
        start, end = self.time(), self.time(self.time_end) if self.time_end else None
        return (start, end) if start and end and not (start.is_period or end.is_period) else None

    def as_of(self) -> str | None:
        """How new the data are, in RFC 3339: the newest issue; where none is known, the newest start of a feature.

        Never an end: what was said yesterday of next week is of yesterday.
        """
        issued, time = self.time(self.time_issued) if self.time_issued else None, self.time()
        return (issued and issued.end) or (time.end if time else None)

    def temporal_extent(self) -> tuple[str | None, str | None]:
        """First and last moment in RFC 3339, None where open or not known.

        Of features that last, open at the end where some are known to have none yet; it starts with the first start
        that is known.
        """
        pair = self.lasting()
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
        """The identifier of the CRS of the default geometry, where it is one for all rows and has one."""
        geometry = self.geometry()
        if geometry is None or not geometry.crs_offered:
            return None
        return CRS84 if geometry.srid == 4326 else crs_uri(geometry.srid)

    def crs(self) -> tuple[str, ...]:
        """The identifiers of the CRSs in which features may be asked for; CRS84 alone where they have no geometry."""
        if not self.geometries:
            return (CRS84,)
        uris = (CRS84, *map(crs_uri, self.srids), self.storage_crs())
        return tuple(dict.fromkeys(uri for uri in uris if uri is not None))

    def to_json(self) -> dict[str, Any]:
        """For the internal catalogue."""
        value = asdict(self)
        del value["_hash"]
        return value

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`."""
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
                        }
                    )
                    for entry in value["geometries"]
                ),
                "times": tuple(TimeColumn(**entry) for entry in value["times"]),
                "sources": tuple(value["sources"]),
                "publishers": tuple(Publisher(**entry) for entry in value.get("publishers", ())),
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

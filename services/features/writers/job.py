"""The description of a file for the process that writes it."""

from dataclasses import dataclass

NO_PLACE = 3
"""Exit status if a geometry is missing and the format requires one."""

TOO_LARGE = 4
"""Exit status if the file would exceed its maximum size."""

OTHER_KINDS = 5
"""Exit status if geometries have other kinds than the job names; the process prints them as JSON."""

COLUMNS = "columns.csv"
"""Name of the file with the columns of all Shapefiles of a bundle."""


@dataclass(frozen=True, slots=True)
class Field:
    """A column of the file."""

    name: str
    kind: str
    """int64, float64, bool, timestamp, moment (a time as text), date or text."""
    place: int
    """Index in a row."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The geometry column, in WKB."""

    name: str
    type: str
    """Type of all geometries, such as `Point Z`; empty if they differ or are unknown."""
    place: int
    """Index in a row."""
    crs: str
    """Identifier of the CRS, such as `EPSG:25832`."""
    projjson: dict[str, object] | None = None
    """The CRS as PROJJSON; None for longitude and latitude."""
    kinds: frozenset[str] | None = None
    """Kinds of all geometries, for a format whose header has to name them; None for other formats."""


@dataclass(frozen=True, slots=True)
class Job:
    """One file."""

    writer: str
    """Module of this package that writes it."""
    driver: str
    """GDAL's name of the format, if GDAL writes it."""
    path: str
    layer: str
    fields: tuple[Field, ...]
    shape: Shape | None
    most_bytes: int
    indexed: bool = True
    """Whether the file is to have a spatial index."""

    @property
    def width(self) -> int:
        """Number of values of a row that the job needs."""
        places = [field.place for field in self.fields]
        return 1 + max([*places, -1 if self.shape is None else self.shape.place], default=-1)

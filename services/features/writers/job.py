"""The description of a file for the process that writes it."""

from dataclasses import dataclass

NO_PLACE = 3
"""Exit status if a geometry is missing and the format requires one."""

TOO_LARGE = 4
"""Exit status if the file would exceed its maximum size."""

OTHER_KINDS = 5
"""Exit status if geometries have other kinds than the job names; the process prints them as JSON."""


@dataclass(frozen=True, slots=True)
class Field:
    """A column of the file."""

    name: str
    kind: str
    """One of int64, float64, bool, timestamp, date and text."""
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
    """Whether the file gets a spatial index."""

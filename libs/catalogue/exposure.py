"""The section `exposure` of the collections file: the people, areas and facilities that impacts are computed with.

exposure:
  population:                    # people per cell, instead of the people of listed places
    raster: /data/population.tif # GeoTIFF in WGS 84 degrees; a path, or an address that answers requests for ranges
    title: GHS-POP R2023A
    source: European Commission, Joint Research Centre
    licence: CC BY 4.0
    licence_url: https://creativecommons.org/licenses/by/4.0/
    vintage: "2025"
  units:                         # areas instead of the packaged ones of the same countries
    - {table: public.districts, country_code: iso2, country: country, province: name, title: ..., source: ...}
  facilities:
    - {table: public.hospitals, kind: hospital, class: level, code: id, name: name, title: ..., source: ...}
"""

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from libs.ogc.link import is_web_address


def _web_address(text: str) -> str:
    if not is_web_address(text):
        raise ValueError("must be an address (https://…)")
    return text


def _vintage(text: str) -> str:
    if not re.match(r"\d{4}\b", text):
        raise ValueError("must begin with the year of the data, such as 2025")
    return text


def _text(value: object) -> object:
    """Accept a year that YAML reads as a number."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _table(text: str) -> str:
    if text.count(".") != 1 or not all(text.split(".")):
        raise ValueError("must be schema.table")
    return text


PACKAGED_KINDS = ("airport", "port")
"""Kinds of facilities that packages have."""


def _kind(text: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9 _-]*", text) or text in PACKAGED_KINDS:
        raise ValueError("must be a word such as hospital, in lower case; airport and port are the packaged kinds")
    return text


Table = Annotated[str, AfterValidator(_table)]
Word = Annotated[str, Field(min_length=1)]


class Described(BaseModel):
    """A data set with its origin."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    title: Word
    source: Word
    licence: Word
    licence_url: Annotated[str, AfterValidator(_web_address)]
    vintage: Annotated[str, BeforeValidator(_text), AfterValidator(_vintage)]


class Population(Described):
    """A raster with the number of people in each cell."""

    raster: Word

    @property
    def is_remote(self) -> bool:
        """Return whether the raster is read by HTTP."""
        return is_web_address(self.raster)


class Units(Described):
    """A table of polygons; the other members name its columns. Without `province` a row is a whole country."""

    table: Table
    country_code: Word
    country: Word
    province: Word | None = None


class Facilities(Described):
    """A table of points, or of areas, of which a point is taken; `class_`, `code` and `name` are its columns."""

    table: Table
    kind: Annotated[str, AfterValidator(_kind)]
    class_: Annotated[Word | None, Field(alias="class")] = None
    code: Word
    name: Word


class ExposureConfig(BaseModel):
    """The section; without it the packaged data are used."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    population: Population | None = None
    units: tuple[Units, ...] = ()
    facilities: tuple[Facilities, ...] = ()

"""Changes that give a collection another shape without a change of the file, and parts of the file that do not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn, TimeColumn
from services.common.catalogue.configuration import CatalogueConfig, ConfigError

QUAKES = Collection(
    id="hazard.quakes",
    schema="hazard",
    name="quakes",
    oid=1,
    kind="table",
    title="Quakes",
    description="All of them",
    columns=(Column("id", "integer", "integer"), Column("magnitude", "real", "number"), Column("at", "date", "string")),
    geometries=(GeometryColumn("place", "Point", 4326), GeometryColumn("area", "Polygon", 4326)),
    times=(TimeColumn("at", "date"), TimeColumn("until", "date")),
    key="id",
    attribution="They",
    shape="as read",
)
PLACE, AREA = QUAKES.geometries


def _config(tmp_path: Path, said: str) -> CatalogueConfig:
    file = tmp_path / "collections.yaml"
    file.write_text(f"collections: {{hazard.quakes: {{{said}}}}}")
    return CatalogueConfig.load(file)


@pytest.mark.parametrize(
    "other",
    [
        {"shape": "another"},
        {"title": "Floods"},
        {"description": None},
        {"key": "magnitude"},
        {"key": None, "composite_key": ("id", "magnitude")},
        {"composite_key": ("id", "magnitude")},
        {"key_repeats": True},
        {"columns": QUAKES.columns[:2]},
        {"columns": (QUAKES.columns[1], QUAKES.columns[0], QUAKES.columns[2])},
        {"columns": (replace(QUAKES.columns[0], title="Number"), *QUAKES.columns[1:])},
        {"geometries": (AREA, PLACE)},
        {"geometries": (replace(PLACE, turns=(1,)), AREA)},
        {"geometries": (replace(PLACE, crosses=True), AREA)},
        {"geometries": (replace(PLACE, partial=True), AREA)},
        {"times": QUAKES.times[::-1]},
        {"attribution": "We"},
    ],
)
def test_whatever_the_database_says_that_answers_show_makes_another_shape(other: dict[str, object]) -> None:
    changed = CatalogueConfig().apply(replace(QUAKES, **other))  # type: ignore[arg-type]
    assert changed.shape != CatalogueConfig().apply(QUAKES).shape


@pytest.mark.parametrize(
    "other",
    [
        {"rows": 7},
        {"item_count": 7},
        {"geometries": (replace(PLACE, bbox=(1.0, 2.0, 3.0, 4.0)), AREA)},
        {"times": (replace(QUAKES.times[0], start="2020-01-01T00:00:00Z"), QUAKES.times[1])},
    ],
)
def test_what_changes_with_the_rows_does_not(other: dict[str, object]) -> None:
    changed = CatalogueConfig().apply(replace(QUAKES, **other))  # type: ignore[arg-type]
    assert changed.shape == CatalogueConfig().apply(QUAKES).shape


def test_what_the_file_does_not_say_stays_as_the_database_has_it(tmp_path: Path) -> None:
    for said in (CatalogueConfig(), _config(tmp_path, "maxzoom: 3")):
        found = said.apply(QUAKES)
        assert (found.title, found.description, found.attribution) == ("Quakes", "All of them", "They")
        assert (found.key, found.columns, found.geometries, found.times) == (
            "id",
            QUAKES.columns,
            QUAKES.geometries,
            QUAKES.times,
        )
        assert (found.time_end, found.time_issued, found.sort, found.overview) == (None, None, (), True)
        assert (found.keywords, found.license, found.part_licenses, found.item_links) == ((), None, (), ())


def test_all_that_is_not_excluded_is_offered_where_nothing_is_said_of_it() -> None:
    assert CatalogueConfig().offers("hazard.quakes", spatial=True)
    assert not CatalogueConfig(exclude=["*.quakes"]).offers("hazard.quakes", spatial=True)  # type: ignore[arg-type]


def test_addresses_and_relation_types_may_be_of_any_kind_that_there_is(tmp_path: Path) -> None:
    found = _config(tmp_path, "license: 'http://example.org/', item_links: {rel-2.x: {id: id}}").apply(QUAKES)
    assert (found.license, found.item_links) == ("http://example.org/", (("rel-2.x", (("id", "id"),)),))


@pytest.mark.parametrize(
    ("names", "importance"),
    [
        (("max_wind_kt", "magnitude"), ("-magnitude",)),
        (("severity", "area_km2"), ("-severity",)),
        (("area_km2", "wind_speed_kt", "wind_kt", "max_wind_kt"), ("-max_wind_kt",)),
        (("wind_speed_kt", "wind_kt"), ("-wind_kt",)),
        (("area_km2", "severity", "wind_speed_kt"), ("-wind_speed_kt",)),
        (("area_km2",), ("-area_km2",)),
        (("name",), ()),
    ],
)
def test_the_most_telling_column_comes_first(names: tuple[str, ...], importance: tuple[str, ...]) -> None:
    columns = tuple(Column(name, "real", "number") for name in names)
    assert CatalogueConfig().apply(replace(QUAKES, columns=columns)).importance == importance


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("id_column: code", r"id_column: there is no column 'code'; there are id, magnitude, at"),
        ("geometry_column: at", r"geometry_column: there is no column 'at'; there are place, area"),
        ("datetime_column: id", r"datetime_column: there is no column 'id'; there are at, until"),
        ("properties: [depth]", r"properties: there is no column 'depth'"),
        ("importance: [-depth]", r"importance: there is no column 'depth'"),
        ("sort: [--magnitude]", r"sort: there is no column '-magnitude'"),
        ("item_links: {next: {depth: id}}", r"item_links\.next: there is no column 'depth'"),
        # a property that is not shown cannot be used for links
        ("properties: [id], item_links: {next: {at: id}}", r"item_links\.next: there is no column 'at'; there are id"),
    ],
)
def test_each_member_names_columns_of_its_own(tmp_path: Path, said: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=rf"^collections\.hazard\.quakes\.{fault}"):
        _config(tmp_path, said).apply(QUAKES)


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("part_licenses: {a: 3}", "part_licenses must be a mapping from words to addresses"),
        ("part_licenses: {3: 'https://example.org/'}", "part_licenses must be a mapping from words to addresses"),
        ("item_links: {3: {at: at}}", "item_links: '3' is no relation type"),
        ("item_links: {next: {at: 3}}", "item_links.next must be a mapping of columns"),
        ("item_links: {next: {3: at}}", "item_links.next must be a mapping of columns"),
        ("item_links: {next: {}}", "item_links.next must be a mapping of columns"),
        ("item_links: {next!: {at: at}}", "item_links: 'next!' is no relation type"),
        ("minzoom: -1", "minzoom must be a whole number from 0 to 30"),
        ("minzoom: '3'", "minzoom must be a whole number from 0 to 30"),
        ("license: ftp://example.org/", "license must be an address"),
        ("tile_properties: {0-4: [3]}", "tile_properties.0-4 must be a list of texts"),
        ("tile_properties: {'0-4 ': [id]}", "'0-4 ' is not a zoom"),
        # digits are those of ASCII
        ("tile_properties: {'٣': [id]}", "'٣' is not a zoom"),
        ("crs: ['EPSG:٢٥٨٣٢']", "crs must be a list of CRSs"),
        ("item_links: {2nd: {at: at}}", "item_links: '2nd' is no relation type"),
        ("sort: [1]", "sort must be a list of texts"),
        # what else there is depends on where one is
        ("titel: x", r"titel is unknown \(there are attribution, .*title\)"),
        ("situation: {title: T, at_last: {}}", r"at_last is unknown \(there are at_least, days, title, unset\)"),
        # of YAML only what holds values: never what makes objects
        ("title: !!python/name:os.system x", "could not determine a constructor"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, said: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=fault):
        _config(tmp_path, said)


_ZOOM = "is not a zoom or a range of zooms such as 0-4"
_TWO = "must be a text, or a list of two columns: where features start and where they end"


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("part_licenses: [a]", "part_licenses must be a mapping from words to addresses (https://…)"),
        ("part_licenses: {a: x}", "part_licenses must be an address (https://…)"),
        ("datetime_column: [at]", f"datetime_column {_TWO}"),
        ("tile_properties: [id]", "tile_properties must be a mapping from zooms, such as 0-4, to lists of columns"),
        ("tile_properties: {4-0: [id]}", f"tile_properties: '4-0' {_ZOOM}"),
        ("tile_properties: {0-4: [id], 4-5: [id]}", "tile_properties: '4-5' overlaps another range"),
        ("tile_properties: {0-4: id}", "tile_properties.0-4 must be a list of texts"),
        ("crs: [EPSG:25832, 4326]", "crs must be a list of CRSs, such as EPSG:25832"),
        ("item_links: [at]", "item_links must be a mapping from relation types to mappings of columns"),
        ("item_links: {Next: {at: at}}", "item_links: 'Next' is no relation type such as predecessor-version"),
        ("item_links: {next: at}", "item_links.next must be a mapping of columns, such as event_id: event_id"),
        ("minzoom: 5, maxzoom: 4", ": minzoom is above maxzoom"),
        ("overview: 1", "overview must be true or false"),
        ("maxzoom: 31", "maxzoom must be a whole number from 0 to 30"),
        ("title: 3", "title must be a text"),
    ],
)
def test_a_fault_says_where_it_is_and_what_there_should_be(tmp_path: Path, said: str, fault: str) -> None:
    with pytest.raises(ConfigError) as refused:
        _config(tmp_path, said)
    place = f"{tmp_path / 'collections.yaml'}: collections.hazard.quakes"
    assert str(refused.value) == f"{place}{'' if fault.startswith(':') else '.'}{fault}"


def test_of_columns_that_there_are_the_first_forty_are_named_or_none(tmp_path: Path) -> None:
    config = _config(tmp_path, "sort: [depth]")
    many = tuple(Column(f"c{number}", "integer", "integer") for number in range(50))
    for columns, named in ((many, ", ".join(f"c{number}" for number in range(40))), ((), "none")):
        with pytest.raises(ConfigError) as refused:
            config.apply(replace(QUAKES, columns=columns))
        said = "collections.hazard.quakes.sort: there is no column 'depth'; there are"
        assert str(refused.value) == f"{said} {named}"
    # the others are there all the same
    assert _config(tmp_path, "sort: [-c49]").apply(replace(QUAKES, columns=many)).sort == ("-c49",)
    instants = _config(tmp_path, "situation: {title: T}")
    with pytest.raises(ConfigError) as refused:
        instants.apply(replace(QUAKES, times=()))
    assert str(refused.value) == (
        "collections.hazard.quakes.situation: `situation` needs a column of instants, and the collection has none"
    )


def test_a_file_that_is_not_there_or_no_text_is_refused_by_its_name(tmp_path: Path) -> None:
    odd = tmp_path / "odd.yaml"
    odd.write_bytes(b"title: \xff")
    for file in (tmp_path / "none.yaml", odd):
        with pytest.raises(ConfigError, match=file.name):
            CatalogueConfig.load(file)
    odd.write_text("[a]")
    with pytest.raises(ConfigError) as refused:
        CatalogueConfig.load(odd)
    assert str(refused.value) == f"{odd}: must be a mapping"
    odd.write_text("inclusive: []")
    with pytest.raises(ConfigError, match=r"is unknown \(there are collections, exclude, exposure, include\)"):
        CatalogueConfig.load(odd)

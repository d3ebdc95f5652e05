from pathlib import Path

import pytest

from libs.catalog.model import Collection, Column, GeometryColumn, TimeColumn
from services.common.collection_config import CatalogueConfig, ConfigError

QUAKES = Collection(
    id="hazard.quakes",
    schema="hazard",
    name="quakes",
    oid=1,
    kind="table",
    title="Quakes",
    description=None,
    columns=(Column("id", "integer", "integer"), Column("magnitude", "real", "number"), Column("at", "date", "string")),
    geometries=(GeometryColumn("place", "Point", 4326), GeometryColumn("area", "Polygon", 4326)),
    times=(TimeColumn("at", "date"),),
    key="id",
)


def load(tmp_path: Path, text: str) -> CatalogueConfig:
    file = tmp_path / "collections.yaml"
    file.write_text(text)
    return CatalogueConfig.load(file)


def test_what_is_said_is_applied(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        "collections: {hazard.quakes: {title: Earthquakes, geometry_column: area, properties: [magnitude, id],"
        " sort: [-at], maxzoom: 9, keywords: [earthquake]}}",
    )
    found = config.apply(QUAKES)
    assert found.title == "Earthquakes"
    assert [geometry.name for geometry in found.geometries] == ["area", "place"]
    assert [column.name for column in found.columns] == ["magnitude", "id"]
    assert (found.sort, found.maxzoom, found.keywords) == (("-at",), 9, ("earthquake",))


def test_importance_is_the_most_telling_column_unless_it_is_said(tmp_path: Path) -> None:
    assert CatalogueConfig().apply(QUAKES).importance == ("-magnitude",)
    assert load(tmp_path, "collections: {hazard.quakes: {importance: [at]}}").apply(QUAKES).importance == ("at",)


def test_another_title_is_another_shape_so_that_no_cache_serves_the_old_one(tmp_path: Path) -> None:
    plain = CatalogueConfig().apply(QUAKES)
    assert plain.shape == CatalogueConfig().apply(QUAKES).shape
    assert load(tmp_path, "collections: {hazard.quakes: {title: Other}}").apply(QUAKES).shape != plain.shape


def test_patterns_choose_what_is_offered(tmp_path: Path) -> None:
    config = load(tmp_path, 'include: ["hazard.*"]\nexclude: ["*.scratch_*"]')
    offered = [name for name in ("hazard.quakes", "hazard.scratch_1", "other.quakes") if config.offers(name)]
    assert offered == ["hazard.quakes"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("collections: {hazard.quakes: {titel: x}}", "titel is unknown"),
        ("collections: {hazard.quakes: {title: 3}}", "title must be a text"),
        ("collections: {hazard.quakes: {maxzoom: deep}}", "maxzoom must be a whole number"),
        ("collections: {hazard.quakes: {sort: magnitude}}", "sort must be a list"),
        ("collections: [a]", "collections must be a mapping"),
        ("colections: {}", "colections unknown"),
        ("a: [", "expected"),
    ],
)
def test_a_malformed_file_is_refused_with_the_place(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=fault):
        load(tmp_path, text)


def test_a_column_that_does_not_exist_is_named(tmp_path: Path) -> None:
    config = load(tmp_path, "collections: {hazard.quakes: {sort: [-depth]}}")
    with pytest.raises(ConfigError, match=r"no column 'depth'.*magnitude"):
        config.apply(QUAKES)

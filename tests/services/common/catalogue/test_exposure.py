"""The section of the collections file that the worker of impacts reads is checked with the rest of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.common.catalogue.configuration import CatalogueConfig, ConfigError


def load(folder: Path, text: str) -> CatalogueConfig:
    file = folder / "collections.yaml"
    file.write_text(text)
    return CatalogueConfig.load(file)


def test_documented_exposure_is_valid_and_faults_are_named(tmp_path: Path) -> None:
    text = (Path(__file__).parents[4] / "deploy" / "COLLECTIONS.md").read_text(encoding="utf-8")
    example = text.partition("## Exposure")[2].partition("```yaml\n")[2].partition("```")[0]
    exposure = load(tmp_path, example).exposure
    assert exposure.population is not None
    assert (exposure.population.vintage, exposure.units[0].province, exposure.facilities[0].class_) == (
        "2025",
        "district",
        "level",
    )
    for change, message in (
        (("vintage: 2025", "vintage: soon"), r"exposure\.population\.vintage must begin with the year"),
        (("table: public.hospitals", "table: hospitals"), r"exposure\.facilities\.0\.table must be schema\.table"),
        (("kind: hospital", "kind: airport"), r"exposure\.facilities\.0\.kind must be a word"),
        (("kind: hospital", "kind: port"), r"exposure\.facilities\.0\.kind must be a word"),
        (("      kind: hospital\n", ""), r"exposure\.facilities\.0\.kind is missing"),
        (("raster:", "rastr:"), r"exposure\.population\.rastr is unknown"),
    ):
        with pytest.raises(ConfigError, match=message):
            load(tmp_path, example.replace(*change))

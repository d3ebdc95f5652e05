"""The origin of demo data in the collections file, before and after the loader has loaded a collection."""

from dataclasses import replace
from pathlib import Path

import pytest

from libs.catalogue.model import Publisher
from tests.services.common.catalogue.test_configuration import QUAKES, load


@pytest.mark.parametrize(
    ("demo", "attribution", "licence"),
    [("simulated", "They", None), ("recorded", "Us; They", "https://example.org/us")],
)
def test_the_origin_of_demo_data_gives_way_to_publishers(
    tmp_path: Path, demo: str, attribution: str, licence: str | None
) -> None:
    said = f"attribution: Us, license: 'https://example.org/us', demo: {demo}"
    config = load(tmp_path, f"collections: {{hazard.quakes: {{{said}}}}}")
    alone = config.apply(QUAKES)
    assert (alone.attribution, alone.license) == ("Us", "https://example.org/us")
    they = Publisher("Theirs", "CC0", None, "They", 60, "2026-11-01T00:00:00Z")
    live = config.apply(replace(QUAKES, publishers=(they,), attribution="They"))
    assert (live.attribution, live.license) == (attribution, licence)

"""The last good part of each service outlives the gateway."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gateway.folder import KNOWN_PARTS
from gateway.parts.known import KnownParts
from libs.ogc.service_part import ServicePart
from tests.gateway.harness import make_part


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / KNOWN_PARTS).mkdir()
    return tmp_path


def part(service: str) -> ServicePart:
    return ServicePart.from_json(make_part(service))


def test_what_was_known_is_known_again(folder: Path) -> None:
    known = KnownParts(folder)
    assert known.parts == []
    known.remember([part("common"), part("tiles")])
    known.remember([part("common")])
    assert sorted(entry.name for entry in KnownParts(folder).parts) == ["common", "tiles"]
    assert part("tiles") in KnownParts(folder).parts


def test_a_part_that_has_changed_takes_the_place_of_the_old_one(folder: Path) -> None:
    known = KnownParts(folder)
    known.remember([part("tiles"), part("common")])
    changed = replace(part("tiles"), assets=("/new/",))
    with (folder / KNOWN_PARTS / "tiles.json").open() as being_read:
        known.remember([changed, part("common")])
        assert ServicePart.from_json(json.loads(being_read.read())) == part("tiles")
    assert known.parts == [changed, part("common")]
    assert changed in KnownParts(folder).parts


def test_what_is_as_it_was_is_not_written_again(folder: Path) -> None:
    known = KnownParts(folder)
    known.remember([part("tiles")])
    (folder / KNOWN_PARTS / "tiles.json").unlink()
    known.remember([part("tiles")])
    assert not (folder / KNOWN_PARTS / "tiles.json").exists()
    assert known.parts == [part("tiles")]


def test_services_that_are_there_come_first(folder: Path) -> None:
    known = KnownParts(folder)
    known.remember([part("common"), part("tiles")])
    known.remember([part("tiles")])
    assert [entry.name for entry in known.parts] == ["tiles", "common"]


def test_what_cannot_be_read_is_not_known(folder: Path) -> None:
    KnownParts(folder).remember([part("common"), part("tiles"), part("viewer")])
    (folder / KNOWN_PARTS / "features.json").mkdir()
    (folder / KNOWN_PARTS / "tiles.json").write_text("{")
    (folder / KNOWN_PARTS / "viewer.json").write_text('{"name": "viewer"}')
    assert [entry.name for entry in KnownParts(folder).parts] == ["common"]


@pytest.mark.parametrize(
    "broken",
    [
        [],
        {},
        {"broken": True},
        {**make_part("tiles"), "openapi": {}},
        {**make_part("tiles"), "openapi": {"paths": []}},
        {**make_part("tiles"), "assets": "/x/"},
        {**make_part("tiles"), "assets": [1]},
        {**make_part("tiles"), "landingLinks": [{"nothing": 1}]},
        {**make_part("tiles"), "collectionLinks": ["x"]},
    ],
)
def test_what_is_not_a_part_is_refused(broken: object) -> None:
    with pytest.raises(ValueError, match="the part"):
        ServicePart.from_json(broken)


def test_a_part_of_a_release_without_assets_has_none() -> None:
    value = make_part("tiles")
    del value["assets"]
    assert ServicePart.from_json(value).assets == ()

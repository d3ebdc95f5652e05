"""The parts that the service makes of its settings, and their start and end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from libs.catalogue.client import CatalogueClient
from libs.catalogue.versions import DataVersions
from services.features import resources as features_resources
from services.features.aggregation.facet_counts import FacetCounts
from services.features.exporting.exports import Exports
from services.features.exporting.folder import ExportFolder
from services.features.resources import EXPORTS, FACETS, HUB, STORE, VALUES
from services.features.rows.counts import Counts
from services.features.rows.value_ranges import ValueRanges
from services.features.streaming.hub import Hub
from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import services

Made = dict[str, dict[int | str, Any]]
PARTS = ("PoolSettings", "Counts", "FacetCounts", "ExportFolder", "Exports", "FeatureCache", "Hub", "WholePages")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    """Record the arguments with which each part is made from now on, by name."""
    found: Made = {}

    def noting(name: str, make: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any, **named: Any) -> Any:
            found[name] = {**dict(enumerate(args)), **named}  # type: ignore[dict-item]
            return make(*args, **named)

        return noted

    for name in PARTS:
        monkeypatch.setattr(features_resources, name, noting(name, getattr(features_resources, name)))
    return found


async def test_settings_bound_the_parts(hostile: HostileDatabase, made: Made, tmp_path: Path) -> None:
    said = {
        "DAMS_POOL_SIZE": "9",
        "DAMS_COLLECTION_SHARE_PERCENT": "70",
        "DAMS_FEATURES_KEPT_BYTES": "123",
        "DAMS_CHANGE_LISTENERS": "7",
        "DAMS_EXPORTS_AT_ONCE": "3",
        "DAMS_EXPORT_MAX_BYTES": "4000",
        "DAMS_EXPORT_KEPT_BYTES": "5000",
        "DAMS_EXPORT_KEPT_SECONDS": "60",
        "DAMS_STATE_DIR": str(tmp_path),
    }
    async with services() as started:
        await started.start("features", hostile.env(**said))
        app = started.apps["features"]
        assert {type(app[key]) for key in (EXPORTS, FACETS, HUB, STORE, VALUES)} >= {Exports, FacetCounts, Hub}
    database = made["Counts"][0]
    assert made["PoolSettings"] == {0: hostile.reader_url, 1: "dams-features", "size": 9, "share": 6}
    assert {name: made["Counts"][name] for name in ("seconds", "at_once", "of_collection")} == {
        "seconds": 0.5,
        "at_once": 4,
        "of_collection": 3,
    }
    assert made["FacetCounts"] == {**made["FacetCounts"], 0: database, "at_once": 4, "of_collection": 3}
    assert (made["FeatureCache"][0], made["FeatureCache"][3]) == (database, 123)
    assert made["ExportFolder"] == {0: tmp_path / "exports", "kept_bytes": 5000, "kept_seconds": 60.0}
    assert (made["Exports"]["at_once"], made["Exports"]["most_bytes"]) == (3, 4000)
    assert made["Exports"][0] is not database
    assert made["Hub"]["most"] == 7


async def test_of_few_connections_one_counts_and_nothing_is_kept_of_no_bytes(
    hostile: HostileDatabase, made: Made
) -> None:
    async with services() as started:
        await started.start(
            "features",
            hostile.env(DAMS_POOL_SIZE="1", DAMS_COLLECTION_SHARE_PERCENT="100", DAMS_FEATURES_KEPT_BYTES="0"),
        )
    assert (made["Counts"]["at_once"], made["Counts"]["of_collection"]) == (1, 1)
    assert (made["FacetCounts"]["at_once"], made["FacetCounts"]["of_collection"]) == (1, 1)
    assert "FeatureCache" not in made


async def test_all_that_is_under_way_ends_with_the_service(
    hostile: HostileDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []

    def noting(kind: type) -> None:
        close = kind.close  # type: ignore[attr-defined]

        def noted(part: Any, *args: Any) -> Any:
            ended.append(kind.__name__)
            return close(part, *args)

        monkeypatch.setattr(kind, "close", noted)

    for kind in (Exports, ValueRanges, FacetCounts, Counts, Hub):
        noting(kind)
    cleared: list[ExportFolder] = []
    monkeypatch.setattr(ExportFolder, "clear", lambda folder: cleared.append(folder))  # noqa: PLW0108 binds
    async with services() as started:
        await started.start("features", hostile.env())
        assert (len(cleared), ended) == (1, [])
    # streams end first: the process waits for what it has begun
    assert ended[0] == "Hub"
    assert set(ended) == {"Counts", "Exports", "FacetCounts", "Hub", "ValueRanges"}


async def test_it_says_how_the_parts_that_it_stands_on_are(
    hostile: HostileDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ill(_: object) -> str:
        return "it is ill"

    async with services() as started:
        await started.start("common", hostile.env())
        client = await started.start("features", hostile.env())
        with monkeypatch.context() as patched:
            patched.setattr(DataVersions, "trouble", "versions: some are old")
            answer = await client.get("/internal/health")
            assert (answer.status, answer.json()) == (200, {"status": "ok", "detail": ["versions: some are old"]})
        for part in (DataVersions, CatalogueClient):
            with monkeypatch.context() as patched:
                patched.setattr(part, "health", ill)
                answer = await client.get("/internal/health")
                assert (answer.status, answer.json()["detail"]) == (503, ["it is ill"])
        assert (await client.json("/internal/health")) == {"status": "ok"}


async def test_the_catalogue_is_known_again_where_it_was_before(hostile: HostileDatabase, tmp_path: Path) -> None:
    async with services() as started:
        await started.start("common", hostile.env())
        client = await started.start("features", hostile.env(DAMS_STATE_DIR=str(tmp_path)))
        await eventually(lambda: client.json("/collections/hostile.events/queryables"))
    assert (tmp_path / "features-catalogue.json").exists()
    async with services() as started:
        away = {"DAMS_CATALOGUE_URL": "http://127.0.0.1:9", "DAMS_STATE_DIR": str(tmp_path)}
        client = await started.start("features", hostile.env(**away))
        assert (await client.json("/collections/hostile.events/queryables"))["title"] == "Events"

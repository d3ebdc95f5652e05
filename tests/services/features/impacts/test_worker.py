"""While the worker is off or fails, documents and pages say so; none reads as zero people affected."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from tests.conftest import MakeDatabase
from tests.services.features.impacts.conftest import fill
from tests.services.in_process import Services, services

_LATE = "The worker that computes impacts has not run since 1 Jan 2020, 00:00 UTC. Later changes are not counted."


@pytest.fixture(scope="module")
async def url(make_database: MakeDatabase) -> str:
    return await make_database(fill)


@pytest.fixture(scope="module")
async def served(url: str) -> AsyncIterator[Services]:
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, {"DAMS_DATABASE_URL": url})
        yield running


async def _say(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(statement)
    await connection.close()


async def test_late_and_failing_workers_are_named(url: str, served: Services) -> None:
    features = served["features"]
    await _say(url, "UPDATE impact.worker SET seen = '2020-01-01'")
    computed, without, pending = [await features.json(f"/events/{event}/impact") for event in ("WP%2F1", "WP3", "WP4")]
    assert (computed["status"], computed["missing"]) == ("computed", [_LATE])
    assert without["reason"] == f"No collection has zones of this event. {_LATE}"
    assert pending["reason"] == f"The impact of this event is not computed yet. {_LATE}"
    for event, words in (
        ("WP%2F1", "1.2 million people"),
        ("WP3", "People in the zones of the event: there are no figures."),
        ("WP4", "People in the zones of the event: not computed yet."),
    ):
        page = (await features.get(f"/events/{event}", {"f": "html"})).body.decode()
        assert words in page
        assert _LATE in page
    assert _LATE in (await features.get("/events/WP%2F1/impact", {"f": "html"})).body.decode()
    await _say(url, "UPDATE impact.worker SET seen = now(), error = 'disk full'")
    document = await features.json("/events/WP%2F1/facilities")
    assert document["missing"] == [
        "The worker that computes impacts reports an error and tries again. The last changes are not counted."
    ]
    await _say(url, "UPDATE impact.worker SET error = NULL")
    assert (await features.json("/events/WP%2F1/impact"))["missing"] == []
    await _say(url, "DELETE FROM impact.worker")
    assert "has not run yet" in (await features.json("/events/WP4/impact"))["reason"]
    french = (await features.get("/events/WP4/impact", {"f": "html", "lang": "fr"})).body.decode()
    assert "Le programme qui calcule les impacts n’a pas encore été exécuté." in french
    # the schema of an earlier release has no such table
    await _say(url, "DROP TABLE impact.worker")
    assert (await features.json("/events/WP4/impact"))["reason"] == "The impact of this event is not computed yet."


async def test_estimates_are_told_from_lower_bounds(url: str, served: Services) -> None:
    await _say(
        url,
        """UPDATE impact.event SET
            headline = headline || '{"quality": "estimate", "data": "Grid", "year": "2020"}',
            impact = jsonb_set(jsonb_set(jsonb_set(impact, '{quality}', '"estimate"'),
                '{zones,0,quality}', '"estimate"'), '{zones,0,peopleElsewhere}', '17')
        WHERE event_id = 'WP/1'""",
    )
    features = served["features"]
    document = await features.json("/events/WP%2F1/impact")
    assert document["summary"]["text"].endswith("(estimate: Grid, data of 2020)")
    csv = (await features.get("/events/WP%2F1/impact", {"f": "csv"})).body.decode().splitlines()
    assert "#affected+estimate" in csv[1]
    assert any("Outside the known land" in line and ",17," in line for line in csv)
    page = (await features.get("/events/WP%2F1/impact", {"f": "html"})).body.decode()
    assert "An estimated 1,235,167 people, and 2 listed places" in page
    assert "17 of the people are in cells outside the known land." in page
    assert "People, estimated" in page

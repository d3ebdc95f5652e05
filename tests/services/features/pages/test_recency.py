"""What pages say about the age of features, and which come first."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from libs.catalogue.model import Collection, Column, TimeColumn
from libs.ogc.temporal import rfc3339
from services.features.pages.recency import age, end_of_validity, is_live, newest_first, tag_of_age
from tests.services.in_process import Client


def _at(hours: float) -> str:
    """From now: other tests may run for an hour between the import of this module and its tests."""
    return rfc3339(datetime.now(UTC) + timedelta(hours=hours))


ALERTS = Collection(
    id="s.alerts",
    schema="s",
    name="alerts",
    oid=1,
    kind="table",
    title="Alerts",
    description=None,
    columns=tuple(
        Column(name, "timestamp with time zone", "string", "date-time", indexed=name == "issued", not_null=True)
        for name in ("issued", "expires", "withdrawn")
    ),
    times=(
        TimeColumn("issued", "timestamptz", "2020-01-01", _at(-1)),
        TimeColumn("expires", "timestamptz", None, _at(9)),
    ),
    time_end="expires",
    time_issued="issued",
)
ARCHIVE = replace(ALERTS, times=tuple(replace(time, end="2018-02-01T00:00:00Z") for time in ALERTS.times))


def test_what_is_over_is_told_by_its_end_or_by_a_withdrawal() -> None:
    assert (is_live(ALERTS), is_live(ARCHIVE), is_live(replace(ALERTS, time_end=None))) == (True, False, False)
    assert end_of_validity(ALERTS, {"expires": _at(-3)}) is not None
    assert end_of_validity(ALERTS, {"expires": _at(3)}) is None
    assert end_of_validity(ALERTS, {"expires": None}) is None
    assert end_of_validity(ALERTS, {"expires": _at(3), "withdrawn": _at(-1)}) is not None
    # a day is over when it has passed
    assert end_of_validity(ALERTS, {"expires": f"{datetime.now(UTC):%Y-%m-%d}"}) is None
    assert end_of_validity(ARCHIVE, {"expires": "2018-02-01T00:00:00Z"}) is None


def test_how_long_ago_is_said() -> None:
    assert age(ALERTS, {"issued": _at(-3.5), "expires": _at(3)}) == "issued 3 h ago"
    assert age(ALERTS, {"issued": _at(-84), "expires": _at(-60)}) == "issued 3 days ago, ended 2 days ago"
    assert age(ALERTS, {"issued": _at(-3.5), "withdrawn": _at(-2.5)}) == "issued 3 h ago, withdrawn 2 h ago"
    events = replace(ARCHIVE, time_issued=None, time_end=None)
    assert age(events, {"issued": _at(-3.5)}) == "3 h ago"
    assert age(events, {"issued": "2018-02-01T00:00:00Z"}) == ""


def test_a_copy_of_such_a_page_is_of_its_minute() -> None:
    assert tag_of_age(ALERTS)
    assert tag_of_age(ARCHIVE) == ""


@pytest.mark.parametrize(
    ("collection", "order"),
    [
        (ALERTS, "-issued"),
        (replace(ALERTS, time_issued="expires"), None),
        (replace(ALERTS, time_issued="expires", item_count=900), "-expires"),
        (replace(ALERTS, sort=("expires",)), None),
        (replace(ALERTS, times=(), time_issued=None), None),
    ],
)
def test_the_newest_come_first_where_that_is_quick(collection: Collection, order: str | None) -> None:
    assert newest_first(collection) == order


async def test_a_page_has_the_newest_first_and_its_links_say_so(features: Client) -> None:
    path = "/collections/hostile.long_ago/items"
    answer = await features.get(path, {"f": "html", "limit": "1"})
    text = answer.body.decode()
    assert ("items/2?" in text, "items/1?" in text) == (True, False)
    assert "sortby=-at&amp;" in text
    assert "Remove all filters" not in text
    # of programs the order is the key's
    assert (await features.json(path, limit="1"))["features"][0]["id"] == 1

"""The resource of an alert: its tag, its sender, and features that are not alerts."""

from __future__ import annotations

import pytest
from lxml import etree

from libs.ogc.errors import Fault, Uncomputable
from services.features import alert as alert_handler
from services.features.resources import STORE
from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Answer, Client, Services, services

PATH = "/collections/alerting.alerts/items/2/cap"
HOST = {"Host": "example.org:81"}
CAP = {"cap": "urn:oasis:names:tc:emergency:cap:1.2"}


async def _as_said(hostile: HostileDatabase, alerting: Services, **said: str) -> Answer:
    """The alert of a service with other settings."""
    env = hostile.env(DAMS_COLLECTION_SCHEMAS="alerting,hostile", DAMS_CATALOGUE_URL=alerting["common"].base)
    async with services() as started:
        return await (await started.start("features", {**env, **said})).get(PATH, headers=HOST)


async def test_the_tag_is_of_all_that_the_alert_is_made_of(
    hostile: HostileDatabase, alerting: Services, alerts: Client
) -> None:
    settings = {"DAMS_CAP_STATUS": "Actual", "DAMS_CAP_SENDER": "floods@example.org"}

    async def differ() -> None:
        """Fail while PostgreSQL still counts earlier writes, which make other tags."""
        tag = (await alerts.get(PATH, headers=HOST)).headers["ETag"]
        tags = [
            (await _as_said(hostile, alerting, **{**settings, **other})).headers["ETag"]
            for other in ({}, {"DAMS_CAP_STATUS": "Test"}, {"DAMS_CAP_SENDER": "storms@example.org"})
        ]
        assert tags[0] == tag
        assert len(set(tags)) == 3

    await eventually(differ)


async def test_a_tag_that_matches_is_answered_before_the_row_is_looked_for(
    alerts: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    tag = (await alerts.get(PATH)).headers["ETag"]

    def selected(*_: object) -> None:
        raise AssertionError("selected")

    monkeypatch.setattr(alert_handler, "select", selected)
    unchanged = await alerts.get(PATH, headers={"If-None-Match": tag})
    assert (unchanged.status, unchanged.body) == (304, b"")


@pytest.mark.parametrize(("odd", "status"), [(True, 404), (False, 503)])
async def test_a_row_that_cannot_be_computed_is_none_where_ids_may_be_odd(
    alerting: Services, alerts: Client, monkeypatch: pytest.MonkeyPatch, odd: bool, status: int
) -> None:
    async def uncomputable(*_: object) -> None:
        raise Uncomputable([Fault(("query", "filter"), "division by zero")])

    monkeypatch.setattr(alerting.apps["features"][STORE], "row", uncomputable)
    monkeypatch.setattr(alert_handler, "has_odd_id", lambda _: odd)
    assert (await alerts.get(PATH)).status == status


async def test_sender_and_status_make_other_alerts(alerts: Client, hostile: HostileDatabase) -> None:
    real = await alerts.get(PATH, headers=HOST)
    async with services() as started:
        for name in ("common", "features"):
            await started.start(name, hostile.env(DAMS_COLLECTION_SCHEMAS="alerting"))
        test = await eventually(lambda: started["features"].get(PATH, headers=HOST))
        assert test.headers["ETag"] != real.headers["ETag"]
        root = etree.fromstring(test.body)
        # an alert is actual only if its data say so
        assert root.findtext("cap:status", namespaces=CAP) == "Test"
        assert root.findtext("cap:sender", namespaces=CAP) == "alerts@example.org:81"
        for wanted in (test.headers["ETag"], "*"):
            assert (await started["features"].get(PATH, headers={**HOST, "If-None-Match": wanted})).status == 304
        assert (await started["features"].get(f"{PATH}?limit=1", headers=HOST)).status == 422
    root = etree.fromstring(real.body)
    assert root.findtext("cap:sender", namespaces=CAP) == "floods@example.org"
    address = "http://example.org:81/collections/alerting.alerts/items/2"
    assert root.findtext("cap:info/cap:web", namespaces=CAP) == address
    missing = await alerts.get("/collections/alerting.alerts/items/none/cap", headers={"If-None-Match": "*"})
    assert missing.status == 404


async def test_without_a_sender_it_comes_from_the_host_of_the_public_address(
    hostile: HostileDatabase, alerting: Services
) -> None:
    answer = await _as_said(hostile, alerting, DAMS_PUBLIC_URL="https://maps.example.org:444/api/v1")
    assert etree.fromstring(answer.body).findtext("cap:sender", namespaces=CAP) == "alerts@maps.example.org:444"

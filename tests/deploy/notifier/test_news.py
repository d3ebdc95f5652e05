"""What is news: new, upgraded and cancelled events, each told once."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.deploy.notifier.conftest import Running, Start
from tests.deploy.notifier.receivers import FakeService, Hook

LEVELS = {"property": "alert_level", "steps": ["Orange", "Red"]}
CAP = "{urn:oasis:names:tc:emergency:cap:1.2}"


async def begun(start: Start, hook: Hook, **members: object) -> Running:
    """A notifier that has looked once."""
    running: Running = await start(webhook={"url": hook.address, "allow_private": True}, **members)
    await running.round()
    return running


def told(hook: Hook) -> list[tuple[str, str]]:
    return [(event["type"].removeprefix("dams.event."), event["subject"]) for event in hook.received]


async def test_new_upgraded_and_cancelled_events_are_told_once(start: Start, service: FakeService, hook: Hook) -> None:
    service.put("old", alert_level="Orange")
    running = await begun(start, hook, severity=LEVELS)
    service.put("mild", alert_level="Green")
    service.put("a", alert_level="Orange", title="Flood in A")
    await running.round()
    await running.round()
    assert told(hook) == [("new", "a")]
    service.put("a", alert_level="Red", title="Flood in A")
    await running.round()
    # neither a lower level nor the same one again is news
    service.put("a", alert_level="Orange", title="Flood in A")
    await running.round()
    service.put("a", alert_level="Red", title="Flood in A")
    await running.round()
    service.put("a", alert_level="Red", title="Flood in A", withdrawn="2026-11-29T10:00:00Z")
    await running.round()
    await running.round()
    assert told(hook) == [("new", "a"), ("upgraded", "a"), ("cancelled", "a")]


async def test_an_event_follows_the_standard(start: Start, service: FakeService, hook: Hook) -> None:
    running = await begun(start, hook, severity=LEVELS)
    service.put("a", alert_level="Red", title="Flood in A")
    service.people["E-a"] = 12_000
    await running.round()
    [event] = hook.received
    assert hook.requests[0].headers["Content-Type"] == "application/cloudevents+json; charset=utf-8"
    assert {name: event[name] for name in ("specversion", "id", "source", "type", "subject", "time")} == {
        "specversion": "1.0",
        "id": "duty.a.1",
        "source": "https://maps.example.org/api/collections/public.alerts",
        "type": "dams.event.new",
        "subject": "a",
        "time": "2026-11-29T10:00:00Z",
    }
    data = event["data"]
    assert (data["title"], data["summary"], data["severity"]) == ("Flood in A", "a: 12,000 people", "Red")
    assert (data["people"], data["feature"]["id"]) == (12_000, "a")


async def test_an_event_is_news_when_its_people_are_known(start: Start, service: FakeService, hook: Hook) -> None:
    running = await begun(start, hook, severity=LEVELS, people=[10_000, 100_000])
    service.put("a", alert_level="Orange")
    await running.round()
    assert told(hook) == []
    service.people["E-a"] = 20_000
    await running.round()
    service.people["E-a"] = 200_000
    await running.round()
    assert told(hook) == [("new", "a"), ("upgraded", "a")]


async def test_numbers_have_steps(start: Start, service: FakeService, hook: Hook) -> None:
    running = await begun(start, hook, severity={"property": "magnitude", "steps": [6, 7]})
    for magnitude in (5.9, 6.1, 6.9, 7):
        service.put("a", magnitude=magnitude)
        await running.round()
    assert told(hook) == [("new", "a"), ("upgraded", "a")]


async def test_a_deleted_event_is_cancelled_after_a_while(start: Start, service: FakeService, hook: Hook) -> None:
    running = await begun(start, hook)
    service.put("a")
    service.put("b")
    await running.round()
    kept = dict(service.features)
    # a table is emptied and loaded again
    service.features.clear()
    await running.round()
    running.wait(minutes=5)
    service.features.update(kept)
    await running.round()
    del service.features["b"]
    await running.round()
    running.wait(minutes=11)
    assert told(hook) == [("new", "a"), ("new", "b")]
    await running.round()
    assert told(hook)[2:] == [("cancelled", "b")]
    assert hook.received[2]["data"]["feature"] is None


async def test_an_event_that_ends_is_not_cancelled(start: Start, service: FakeService, hook: Hook) -> None:
    running = await begun(start, hook)
    service.put("a")
    await running.round()
    service.present = set()
    for _ in range(3):
        running.wait(hours=1)
        await running.round()
    # its source takes it back later
    service.put("a", status="cancelled")
    running.wait(hours=1)
    await running.round()
    assert told(hook) == [("new", "a"), ("cancelled", "a")]


async def test_a_restart_repeats_nothing(start: Start, service: FakeService, hook: Hook) -> None:
    running = await begun(start, hook, severity=LEVELS)
    service.put("a", alert_level="Orange")
    await running.round()
    service.put("b", alert_level="Orange")
    again = await begun(start, hook, severity=LEVELS)
    await again.round()
    assert told(hook) == [("new", "a"), ("new", "b")]


async def test_a_changed_selection_begins_in_silence(start: Start, service: FakeService, hook: Hook) -> None:
    running = await begun(start, hook, severity=LEVELS)
    service.put("a", alert_level="Yellow")
    await running.round()
    again = await begun(start, hook, severity={"property": "alert_level", "steps": ["Yellow", "Orange"]})
    assert told(hook) == []
    service.put("a", alert_level="Orange")
    await again.round()
    assert told(hook) == [("upgraded", "a")]


async def test_a_look_without_changes_is_one_request(start: Start, service: FakeService, hook: Hook) -> None:
    service.put("a")
    running = await begun(start, hook)
    await running.round()
    before = len(service.requests)
    await running.round()
    assert [request.path for request in service.requests[before:]] == ["/collections/public.alerts/feed"]


async def test_all_pages_are_read(start: Start, service: FakeService, hook: Hook) -> None:
    running = await begun(start, hook)
    service.page_size = 2
    for item in "abcde":
        service.put(item)
    await running.round()
    assert told(hook) == [("new", item) for item in "abcde"]


async def test_an_outage_of_the_service_cancels_nothing(start: Start, service: FakeService, hook: Hook) -> None:
    running = await begun(start, hook)
    service.put("a")
    await running.round()
    service.is_down = True
    running.wait(hours=1)
    await running.round()
    assert "503" in running.lines[-1]
    service.is_down = False
    service.put("b")
    await running.round()
    assert told(hook) == [("new", "a"), ("new", "b")]


@pytest.mark.parametrize("is_deleted", [True, False])
async def test_alerts_refer_to_the_one_before(
    start: Start, service: FakeService, hook: Hook, tmp_path: Path, *, is_deleted: bool
) -> None:
    folder = tmp_path / "alerts"
    folder.mkdir()
    running = await begun(start, hook, severity=LEVELS, cap={"folder": str(folder)})
    service.put("a", alert_level="Orange")
    await running.round()
    running.wait(minutes=1)
    service.put("a", alert_level="Red")
    await running.round()
    if is_deleted:
        del service.features["a"]
        await running.round()
        running.wait(minutes=11)
    else:
        service.put("a", alert_level="Red", status="deleted")
    await running.round()
    found = {file.name: ET.parse(file).getroot() for file in folder.iterdir()}  # noqa: S314 - written here
    first, second, third = (found[f"public.alerts.a{end}.xml"] for end in ("", ";2", ";3"))
    kinds = [each.findtext(f"{CAP}msgType") for each in (first, second, third)]
    assert kinds == ["Alert", "Update", "Cancel"]
    assert first.find(f"{CAP}references") is None
    assert second.findtext(f"{CAP}references") == "alerts@example.org,public.alerts.a,2026-11-29T10:00:00-00:00"
    assert third.findtext(f"{CAP}references") == "alerts@example.org,public.alerts.a;2,2026-11-29T10:01:00-00:00"
    assert second.findtext(f"{CAP}info/{CAP}headline") == "Red"
    # in the order of the schema
    assert [each.tag.removeprefix(CAP) for each in second][-3:] == ["note", "references", "info"]

"""Flood alerts of national services become rows of hazard_fl_alerts."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import asyncpg
import pytest

from deploy.loader.source import Document, DocumentError, Findings
from deploy.loader.sources import cap_alerts
from tests.deploy.loader.alert_documents import NOW, alert, item, reference, rss
from tests.deploy.loader.conftest import Load, Publisher
from tests.deploy.loader.flood_documents import document, rows_of
from tests.deploy.loader.test_mutations import MUTATIONS, SEED, VALUES

SOURCE = cap_alerts.SOURCE
FRENCH = "<cap:info><cap:language>fr</cap:language><cap:event>Inondation</cap:event></cap:info>"


def read(folder: Path, *texts: str) -> tuple[list[Any], Findings]:
    return rows_of(SOURCE, *(document(folder, f"{place}.xml", text) for place, text in enumerate(texts)))


def test_an_alert_becomes_a_row(tmp_path: Path) -> None:
    (row,), findings = read(tmp_path, alert(info=FRENCH))
    assert (row.alert_id, row.title, row.alert_level) == (
        "CAP-urn:oid:2.49.0.1.50.0.2026.1",
        "Flood warning 1",
        "Orange",
    )
    assert (row.source, row.country) == ("Meteorological Department (CAP)", "Bangladesh")
    assert row.geom.bounds == (90, 23, 91, 24)
    assert findings.issued == row.issued < NOW < row.expires


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"event": "Heat", "headline": "Heat wave"}, "no flood"),
        ({"status": "Exercise"}, "Exercise"),
        ({"area": "<cap:geocode><cap:valueName>ISO</cap:valueName></cap:geocode>"}, "codes only"),
        ({"expires": "2026-05-31T00:00:00Z"}, "ended"),
    ],
)
def test_other_alerts_are_left_out(tmp_path: Path, changed: dict[str, Any], why: str) -> None:
    rows, findings = read(tmp_path, alert(**changed), alert(2))
    assert [row.title for row in rows] == ["Flood warning 2"]
    assert [why in each.reason for each in findings.left_out] == [True]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"severity": "Biblical"}, "severity"),
        ({"sent": "soon"}, "soon"),
        ({"sent": "2030-01-01T00:00:00Z"}, "future"),
        ({"area": "<cap:polygon>23,90 24,90</cap:polygon>"}, "three positions"),
        ({"area": "<cap:polygon>93,90 24,90 24,91 93,90</cap:polygon>"}, "no place"),
        ({"area": "<cap:circle>23,90 0</cap:circle>"}, "radius"),
    ],
)
def test_an_implausible_alert_is_rejected(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    rows, findings = read(tmp_path, alert(**changed), alert(2))
    assert [row.title for row in rows] == ["Flood warning 2"]
    assert [said in each.reason for each in findings.rejected] == [True]


@pytest.mark.parametrize("word", ["Inundaciones", "Crue rapide", "Hochwasser", "洪水", "فيضان", "Наводнение", "Banjir"])
def test_floods_are_known_in_other_languages(tmp_path: Path, word: str) -> None:
    rows, _ = read(tmp_path, alert(event=word, headline=word, language="xx"))
    assert [row.title for row in rows] == [word]


def test_a_circle_and_the_thai_calendar_are_understood(tmp_path: Path) -> None:
    circle = "<cap:circle>15.0,100.0 50</cap:circle>"
    (row,), _ = read(
        tmp_path, alert(area=circle, sent="2569-05-31T23:00:00+00:00", expires="2569-06-02T00:00:00+00:00")
    )
    assert row.issued == datetime(2026, 5, 31, 23, tzinfo=UTC)
    assert row.area_km2 == pytest.approx(7815, rel=0.01)
    east, _ = read(tmp_path, alert(area="<cap:circle>-17.0,179.9 50</cap:circle>"))
    assert len(east[0].geom.geoms) == 2


async def test_the_list_leads_to_new_alerts_only(owner: asyncpg.Connection, run: Load, publisher: Publisher) -> None:
    future = {"expires": "2999-01-01T00:00:00Z"}
    publisher.publish("/v2/cap-alerts/bd-bmd-en/1.xml", alert(1, **future))
    publisher.publish("/v2/cap-alerts/bd-bmd-en/2.xml", alert(2, **future))
    first, second = (item(f"bd-bmd-en/{number}.xml") for number in (1, 2))
    others = [item("x/3.xml", event="Heat", headline=""), item("x/4.xml", expires="2020-01-01T00:00:00Z")]
    address = publisher.publish("/list", {"items": [first, *others, None]})
    source = replace(SOURCE, addresses=lambda _since: [address])
    assert (await run(source)).counts.inserted == 1
    publisher.publish("/list", {"items": [first, second, *others]})
    assert (await run(source)).counts.inserted == 1
    asked = [request.path for request in publisher.asked if "cap-alerts" in request.path]
    assert asked == ["/v2/cap-alerts/bd-bmd-en/1.xml", "/v2/cap-alerts/bd-bmd-en/2.xml"]
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_fl_alerts WHERE expires > now()") == 2


async def test_an_update_and_a_cancellation_end_alerts(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    future = {"expires": "2999-01-01T00:00:00Z"}
    addresses = [publisher.publish(f"/{number}.xml", alert(number, **future)) for number in (1, 2)]
    source = replace(SOURCE, addresses=lambda _since: [publisher.publish("/rss", rss(*addresses))])
    await run(source)
    update = alert(3, msgType="Update", severity="Extreme", references=reference(1), **future)
    addresses += [
        publisher.publish("/3.xml", update),
        publisher.publish("/4.xml", alert(4, msgType="Cancel", references=reference(2))),
    ]
    await run(source)
    valid = "SELECT title, alert_level FROM hazard.hazard_fl_alerts WHERE withdrawn IS NULL"
    assert [tuple(row) for row in await owner.fetch(valid)] == [("Flood warning 3", "Red")]
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_fl_alerts WHERE expires <= now()") == 2


def test_a_document_of_another_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="no list of items"):
        list(cap_alerts.list_alerts(document(tmp_path, "list.json", {"itemCount": 0})))
    with pytest.raises(DocumentError, match="not XML, or not whole"):
        list(cap_alerts.list_alerts(document(tmp_path, "rss", rss("https://a/1.xml")[:-20])))


def mutated_xml(text: str, chance: random.Random) -> str:
    """Return the document with one element gone or with another text, or cut."""
    if chance.random() < 0.1:
        return text[: chance.randrange(len(text))]
    root = ElementTree.fromstring(text)  # noqa: S314 - our own
    parents = [(parent, child) for parent in root.iter() for child in parent]
    parent, child = chance.choice(parents)
    if chance.random() < 0.3:
        parent.remove(child)
    else:
        child.text = str(chance.choice([value for value in VALUES if "\0" not in str(value) and value != "\udcff"]))
    return ElementTree.tostring(root, encoding="unicode")


def test_a_mutated_alert_hides_no_other(tmp_path: Path) -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    for _ in range(MUTATIONS):
        texts = {"1.xml": mutated_xml(alert(1), chance), "2.xml": alert(2)}
        for name, text in texts.items():
            (tmp_path / name).write_text(text)
        given = [Document(tmp_path / name, f"https://a/{name}", NOW) for name in texts]
        rows, _ = rows_of(SOURCE, *given)
        assert "Flood warning 2" in {row.title for row in rows}

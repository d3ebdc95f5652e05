"""Alerts of one event form a chain: an alert, updates that name the alerts before, and cancellations."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from tests.services.in_process import Client

_SCHEMA = etree.XMLSchema(etree.parse(str(Path(__file__).parent / "cap-1.2.xsd")))
_CAP = {"cap": "urn:oasis:names:tc:emergency:cap:1.2"}
_ID, _SENDER = "alerting.chains", "floods@example.org"


def _reference(number: int, clock: str) -> str:
    return f"{_SENDER},{_ID}.{number},2026-03-01T{clock}:00-00:00"


@pytest.mark.parametrize(
    ("number", "identifier", "sent", "kind", "references"),
    [
        (1, "1", "10:00", "Alert", []),
        (2, "2", "12:00", "Update", [_reference(1, "10:00")]),
        (3, "3;cancelled", "13:30", "Cancel", [_reference(3, "13:00")]),
        # without the one that was cancelled
        (4, "4", "14:00", "Update", [_reference(1, "10:00"), _reference(2, "12:00")]),
        (5, "5;20260301T150000Z", "15:00", "Update", [_reference(5, "14:00")]),
    ],
)
async def test_an_alert_names_those_that_it_updates_or_cancels(  # noqa: PLR0917 the elements of an alert
    alerts: Client, number: int, identifier: str, sent: str, kind: str, references: list[str]
) -> None:
    answer = await alerts.get(f"/collections/{_ID}/items/{number}/cap")
    root = etree.fromstring(answer.body)
    _SCHEMA.assertValid(root)

    def text(name: str) -> str:
        return str(root.findtext(f"cap:{name}", "", _CAP))

    assert text("identifier") == f"{_ID}.{identifier}"
    assert text("sent") == f"2026-03-01T{sent}:00-00:00"
    assert text("msgType") == kind
    assert text("references").split() == references

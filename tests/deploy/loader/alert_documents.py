"""Alerts in the Common Alerting Protocol and lists of them, in the forms of the WMO. Values are simulated."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

NOW = datetime(2026, 6, 1, tzinfo=UTC)
POLYGON = "23.0,90.0 24.0,90.0 24.0,91.0 23.0,91.0 23.0,90.0"


def alert(number: int = 1, *, area: str | None = None, info: str = "", language: str = "en-GB", **changed: str) -> str:
    """Return an alert; `changed` are elements of it or of its information, `area` the shape as XML."""
    said = {
        "identifier": f"urn:oid:2.49.0.1.50.0.2026.{number}", "sender": "warning@bmd.example",
        "sent": (NOW - timedelta(hours=1)).isoformat(), "status": "Actual", "msgType": "Alert", "references": "",
        "event": "Flood warning", "severity": "Severe", "expires": (NOW + timedelta(hours=23)).isoformat(),
        "headline": f"Flood warning {number}", "senderName": "Meteorological Department", "areaDesc": "Dhaka Division",
    } | changed  # fmt: skip
    shape = f"<cap:polygon>{POLYGON}</cap:polygon>" if area is None else area
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<cap:alert xmlns:cap="urn:oasis:names:tc:emergency:cap:1.2">
  <cap:identifier>{said["identifier"]}</cap:identifier>
  <cap:sender>{said["sender"]}</cap:sender>
  <cap:sent>{said["sent"]}</cap:sent>
  <cap:status>{said["status"]}</cap:status>
  <cap:msgType>{said["msgType"]}</cap:msgType>
  <cap:scope>Public</cap:scope>
  <cap:references>{said["references"]}</cap:references>
  {info}
  <cap:info>
    <cap:language>{language}</cap:language>
    <cap:category>Met</cap:category>
    <cap:event>{said["event"]}</cap:event>
    <cap:urgency>Expected</cap:urgency>
    <cap:severity>{said["severity"]}</cap:severity>
    <cap:certainty>Likely</cap:certainty>
    <cap:expires>{said["expires"]}</cap:expires>
    <cap:senderName>{said["senderName"]}</cap:senderName>
    <cap:headline>{said["headline"]}</cap:headline>
    <cap:area><cap:areaDesc>{said["areaDesc"]}</cap:areaDesc>{shape}</cap:area>
  </cap:info>
</cap:alert>"""


def reference(number: int) -> str:
    return f"warning@bmd.example,urn:oid:2.49.0.1.50.0.2026.{number},{(NOW - timedelta(hours=1)).isoformat()}"


def item(path: str, **changed: Any) -> dict[str, Any]:
    """Return an entry of the WMO's list."""
    usual = {
        "id": "066_2d5b", "mid": "066", "event": "Flood warning", "headline": "Flood warning", "s": 3, "u": 2, "c": 3,
        "sent": "2026-06-01T00:00:00Z", "expires": "2999-06-02T00:00:00Z", "capURL": path, "areaDesc": "Dhaka Division",
    }  # fmt: skip
    return usual | changed


def rss(*links: str, title: str = "Flood warning") -> str:
    """Return a feed of a national service."""
    items = "".join(f"<item><title>{title}</title><link>{link}</link><guid>{link}</guid></item>" for link in links)
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>Latest alerts</title>{items}</channel></rss>'

"""Writes news as CloudEvents, mail and alerts of the Common Alerting Protocol. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any
from xml.etree import ElementTree as ET

import orjson

from deploy.notifier.deciding import Change
from libs.ogc.cap import CAP, Kind, Message, reference_to, set_message
from libs.ogc.temporal import rfc3339

EVENT_TYPE = "application/cloudevents+json; charset=utf-8"
CAP_TYPE = "application/cap+xml"


@dataclass(frozen=True, slots=True)
class News:
    """A change of an event, with all that a message says. feature: None if it was deleted."""

    subscription: str
    change: Change
    collection: str
    item: str
    revision: int
    title: str
    summary: str
    severity: Any
    people: int | None
    address: str
    time: datetime
    feature: Mapping[str, Any] | None

    @property
    def key(self) -> str:
        """Return the identifier of the message: the same whenever it is sent."""
        return f"{self.subscription}.{self.item}.{self.revision}"


def cloud_event(news: News) -> str:
    """Return the news in the JSON format of CloudEvents 1.0."""
    data = {
        "change": news.change,
        "title": news.title,
        "summary": news.summary,
        "severity": news.severity,
        "people": news.people,
        "collectionId": news.collection,
        "itemId": news.item,
        "links": [{"rel": "item", "type": "application/geo+json", "href": f"{news.address}?f=geojson"}],
        "feature": news.feature,
    }
    event = {
        "specversion": "1.0",
        "id": news.key,
        "source": news.address.partition("/items/")[0],
        "type": f"dams.event.{news.change}",
        "subject": news.item,
        "time": rfc3339(news.time.replace(microsecond=0)),
        "datacontenttype": "application/json",
        "data": data,
    }
    return orjson.dumps(event).decode()


def mail_text(news: News, kind: str) -> str:
    """Return subject and text of a mail as JSON, as they wait for their delivery. The subject begins with `kind`."""
    lines = [news.summary or news.title, "", f"{news.address}?f=html", ""]
    lines.append(f"You receive this because of the subscription {news.subscription}.")
    subject = " ".join(f"{kind}: {news.title}".split())
    return orjson.dumps({"subject": subject, "text": "\n".join(lines)}).decode()


def mail(body: str, key: str, *, sender: str, recipients: tuple[str, ...], created: datetime) -> EmailMessage:
    """Return the mail of a text from `mail_text`; its Message-ID is the same at each attempt."""
    said = orjson.loads(body)
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, ", ".join(recipients), said["subject"]
    message["Date"] = format_datetime(created.astimezone(UTC))
    safe = "".join(each if each.isascii() and (each.isalnum() or each in "-_.") else f"_{ord(each):x}" for each in key)
    message["Message-ID"] = f"<{safe}@{sender.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(said["text"])
    return message


def new_alert(alert: str, news: News) -> str:
    """Return the alert of the service; with another identifier if an earlier one was cancelled."""
    root = ET.fromstring(alert)  # noqa: S314 - from the own service
    if news.revision > 1:
        set_message(root, _message(root, news, "Alert"))
    return _text(root)


def later_alert(alert: str, before: str, news: News) -> str:
    """Return an alert that updates or cancels the one sent before. `alert` has the present content."""
    root = ET.fromstring(alert)  # noqa: S314 - from the own service, or made here
    earlier = ET.fromstring(before)  # noqa: S314 - made here
    kind: Kind = "Cancel" if news.change == Change.CANCELLED else "Update"
    set_message(root, _message(root, news, kind, reference_to(earlier)))
    return _text(root)


def alert_identifier(alert: str) -> str:
    """Return the identifier of an alert."""
    return ET.fromstring(alert).findtext(f"{{{CAP}}}identifier", "alert")  # noqa: S314 - made here


def _message(root: ET.Element, news: News, kind: Kind, *references: str) -> Message:
    """Return the message with its own identifier and time of sending."""
    first = root.findtext(f"{{{CAP}}}identifier", "").partition(";")[0]
    return Message(f"{first};{news.revision}", news.time, kind, references)


def _text(root: ET.Element) -> str:
    return ET.tostring(root, encoding="unicode")

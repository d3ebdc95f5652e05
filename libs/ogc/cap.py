"""The identifier and kind of an alert (OASIS CAP 1.2), and the alerts that it updates or cancels. Pure.

The service and the notifier build their messages with it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal
from xml.etree import ElementTree as ET

from libs.ogc.temporal import moment_of

CAP = "urn:oasis:names:tc:emergency:cap:1.2"
ET.register_namespace("cap", CAP)

_CANCELLED = frozenset({"cancelled", "canceled", "deleted", "withdrawn"})
"""Values of `status` of an event that its source took back; the time of this may also be in `withdrawn`."""
_UPDATED = ("updated", "updated_at", "last_updated", "modified")
_BEFORE_REFERENCES = frozenset(
    {"identifier", "sender", "sent", "status", "msgType", "source", "scope", "restriction", "addresses", "code", "note"}
)
"""Elements that precede `references` in an alert."""

Kind = Literal["Alert", "Update", "Cancel"]


@dataclass(frozen=True, slots=True)
class Message:
    """The message of an alert. references: those that it updates or cancels, as `reference` returns them."""

    identifier: str
    sent: datetime
    kind: Kind
    references: tuple[str, ...] = ()


def is_cancelled(properties: Mapping[str, Any]) -> bool:
    """Return whether the source took the event back."""
    return properties.get("withdrawn") not in (None, False) or str(properties.get("status")).lower() in _CANCELLED


def cap_time(moment: datetime) -> str:
    """Return a time as CAP requires: to the second, with `-00:00` for UTC, not `Z` (section 3.3.2)."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}-00:00"


def reference(sender: str, identifier: str, sent: datetime) -> str:
    """Return the reference to an alert."""
    return f"{sender},{identifier},{cap_time(sent)}"


def reference_to(alert: ET.Element) -> str:
    """Return the reference to an alert that was sent."""
    return ",".join(alert.findtext(f"{{{CAP}}}{name}", "") for name in ("sender", "identifier", "sent"))


def message_of(
    identifier: str, sent: datetime, sender: str, properties: Mapping[str, Any], earlier: Sequence[str]
) -> Message:
    """Return the message of a feature as it is now.

    identifier: that of its first alert. earlier: references to the alerts of its event that it replaces.
    """
    first = reference(sender, identifier, sent)
    moments = [moment for name in _UPDATED if (moment := moment_of(properties.get(name))) is not None]
    if is_cancelled(properties):
        withdrawn = moment_of(properties.get("withdrawn")) or max([sent, *moments])
        return Message(f"{identifier};cancelled", withdrawn, "Cancel", (first,))
    updated = max(moments, default=sent)
    if cap_time(updated) > cap_time(sent):
        return Message(f"{identifier};{updated.astimezone(UTC):%Y%m%dT%H%M%SZ}", updated, "Update", (*earlier, first))
    return Message(identifier, sent, "Update" if earlier else "Alert", tuple(earlier))


def set_message(alert: ET.Element, message: Message) -> None:
    """Give an alert its identifier, time, kind and references."""
    for name, text in (
        ("identifier", message.identifier),
        ("sent", cap_time(message.sent)),
        ("msgType", message.kind),
    ):
        element = alert.find(f"{{{CAP}}}{name}")
        if element is not None:
            element.text = text
    for old in alert.findall(f"{{{CAP}}}references"):
        alert.remove(old)
    if message.references:
        references = ET.Element(f"{{{CAP}}}references")
        references.text = " ".join(message.references)
        place = sum(each.tag.rpartition("}")[2] in _BEFORE_REFERENCES for each in alert)
        alert.insert(place, references)

"""The page that shows the impacts of several events side by side."""

from collections.abc import Mapping, Sequence
from typing import Any

from libs.web.impact_sentence import sentence, zone_name
from services.features.pages.impact_page import most_people, zone_table
from services.features.rows.event_impacts import Impact

_STRENGTH = {f"{wind} kt": wind for wind in (64, 50, 34, 25, 15)} | {
    name: rank for rank, name in enumerate(("IV", "V", "VI", "VII", "VIII", "IX"), start=1)
}
"""Order of the zones of one hazard; others are 0."""


def comparison_context(events: Sequence[tuple[str, Impact | None]]) -> dict[str, Any]:
    """Return what the template needs: a column for each event, a row for each zone that one of them has."""
    columns = [_column(event, impact) for event, impact in events]
    # bars of all tables have one scale
    most = max((most_people(column["shown"]) for column in columns if column["shown"]), default=0)
    for column in columns:
        column["table"] = zone_table(column["shown"], most) if column["shown"] else None
    named = {key: zone for column in columns for key, zone in column["zones"].items()}
    # observed zones before those of forecasts, the strongest first
    keys = sorted(named, key=lambda key: (key[1] == "forecast", -_STRENGTH.get(key[0], 0), key))
    rows = [{"label": _label(named[key]), "cells": [column["zones"].get(key) for column in columns]} for key in keys]
    return {"columns": columns, "rows": rows}


def _column(event: str, impact: Impact | None) -> dict[str, Any]:
    document = (impact.document if impact else None) or {"title": event, "zones": [], "missing": [], "simulated": False}
    head = impact.headline if impact else None
    zones = {(zone["zone"], zone["kind"]): zone for zone in document["zones"]}
    shown = zones.get((head["zone"], head["kind"])) if head else None
    return {
        "id": event,
        "title": document["title"],
        "simulated": document["simulated"],
        "is_estimate": document.get("quality") == "estimate",
        "sentence": sentence(head, document["title"]) if head else None,
        "is_computed": impact is not None,
        "missing": document["missing"],
        "zones": zones,
        "shown": shown,
    }


def _label(zone: Mapping[str, Any]) -> str:
    name = zone_name(zone)
    return name[:1].upper() + name[1:]

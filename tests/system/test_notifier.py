"""News of an event reach webhook, mailbox and folder from a commit in the database, through the gateway."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree as ET

import asyncpg
import pytest
import yaml
from aiohttp import web
from aiohttp.test_utils import TestServer

from deploy.notifier.configuration import read
from deploy.notifier.service import Service
from deploy.notifier.state import State
from deploy.notifier.watching import Notifier
from tests.deploy.notifier.receivers import Hook, Mailbox
from tests.eventually import eventually
from tests.running_stack import RunningStack

pytestmark = pytest.mark.system

EVENT = "NOTIFIED-1"
INSERT = """
INSERT INTO hazard.hazard_fl_alerts (event_id, title, alert_level, issued, expires, country, source, geom)
VALUES ($1, 'Alert of the test', 'Orange', now() - interval '1 minute', now() + interval '1 day', 'Nowhere', 'test',
    ST_Multi(ST_SetSRID(ST_MakeEnvelope(-30, -40, -20, -30), 4326)))
"""
CAP = "{urn:oasis:names:tc:emergency:cap:1.2}"


async def test_a_commit_reaches_all_subscribers(stack: RunningStack, tmp_path: Path) -> None:
    hook, mailbox, folder = Hook(), Mailbox(), tmp_path / "alerts"
    folder.mkdir()
    app = web.Application()
    app.router.add_post("/hook", hook.receive)
    server = await asyncio.start_server(mailbox.talk, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with TestServer(app) as hooks, server:
        file = tmp_path / "subscriptions.yaml"
        subscription = {
            "name": "duty",
            "collection": "hazard.hazard_fl_alerts",
            "bbox": [-40, -45, -10, -25],
            "filter": "source = 'test'",
            "severity": {"property": "alert_level", "steps": ["Orange", "Red"]},
            "webhook": {"url": str(hooks.make_url("/hook")), "allow_private": True},
            "mail": {"to": ["duty@example.org"]},
            "cap": {"folder": str(folder)},
        }
        mail = {"server": "127.0.0.1", "port": port, "security": "none", "sender": "alerts@example.org"}
        file.write_text(yaml.safe_dump({"service": stack.base_url, "mail": mail, "subscriptions": [subscription]}))
        database = await asyncpg.connect(stack.owner_url("dams"))
        lines: list[str] = []
        with closing(State(tmp_path / "state.sqlite")) as state:
            async with Service(stack.base_url) as service:
                notifier = Notifier(read(file), service, state, lines.append)

                async def told(number: int) -> bool:
                    await notifier.look()
                    await notifier.send()
                    return len(hook.received) == number

                try:
                    await notifier.look()
                    await database.execute(INSERT, EVENT)
                    await eventually(lambda: told(1))
                    await database.execute(
                        "UPDATE hazard.hazard_fl_alerts SET alert_level = 'Red' WHERE event_id = $1", EVENT
                    )
                    await eventually(lambda: told(2))
                    await database.execute(
                        "UPDATE hazard.hazard_fl_alerts SET withdrawn = now() WHERE event_id = $1", EVENT
                    )
                    await eventually(lambda: told(3))
                finally:
                    await database.execute("DELETE FROM hazard.hazard_fl_alerts WHERE event_id = $1", EVENT)
                    await database.close()
        assert [line for line in lines if line.startswith("error")] == []
    kinds = [event["type"].removeprefix("dams.event.") for event in hook.received]
    assert kinds == ["new", "upgraded", "cancelled"]
    assert hook.received[0]["data"]["feature"]["properties"]["event_id"] == EVENT
    assert [mail["Subject"].partition(":")[0] for mail in mailbox.mails] == ["New", "Upgraded", "Cancelled"]
    alerts = sorted(folder.iterdir(), key=lambda alert: len(alert.name))
    kinds = [ET.parse(alert).getroot().findtext(f"{CAP}msgType") or "" for alert in alerts]  # noqa: S314 - ours
    assert sorted(kinds) == ["Alert", "Cancel", "Update"]

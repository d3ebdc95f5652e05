"""A service with a few features, and receivers of webhooks and mail."""

from __future__ import annotations

import asyncio
import email
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import Message
from typing import Any
from xml.sax.saxutils import escape

from aiohttp import web

COLLECTION = "public.alerts"
CAP = """<alert xmlns="urn:oasis:names:tc:emergency:cap:1.2"><identifier>public.alerts.{item}</identifier>
<sender>alerts@example.org</sender><sent>2026-11-29T10:00:00-00:00</sent><status>Test</status><msgType>Alert</msgType>
<scope>Public</scope><note>n</note><info><event>Flood</event><headline>{title}</headline></info></alert>"""
_SCHEMA = {
    "properties": {
        "geom": {"format": "geometry-point"},
        "id": {"type": "string", "x-ogc-role": "id"},
        "event_id": {"type": "string"},
        "alert_level": {"type": ["string", "null"]},
        "magnitude": {"type": "number"},
        "issued": {"type": "string", "format": "date-time", "x-ogc-role": "primary-interval-start"},
        "expires": {"type": "string", "format": "date-time", "x-ogc-role": "primary-interval-end"},
    }
}


@dataclass
class FakeService:
    """Features by id, as the service returns them. present: those within the time of a request; None is all."""

    features: dict[str, dict[str, Any]] = field(default_factory=dict)
    people: dict[str, int] = field(default_factory=dict)
    present: set[str] | None = None
    requests: list[web.Request] = field(default_factory=list)
    page_size: int = 500
    is_down: bool = False
    address: str = ""

    def put(self, item: str, **properties: Any) -> None:
        self.features[item] = {
            "type": "Feature",
            "id": item,
            "geometry": {"type": "Point", "coordinates": [90, 23]},
            "properties": {"event_id": f"E-{item}", **properties},
        }

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._count])
        app.router.add_get("/", self._landing)
        app.router.add_get("/impacts", self._impacts)
        app.router.add_get(f"/collections/{COLLECTION}/schema", self._schema)
        app.router.add_get(f"/collections/{COLLECTION}/feed", self._feed)
        app.router.add_get(f"/collections/{COLLECTION}/items/{{item}}", self._item)
        app.router.add_get(f"/collections/{COLLECTION}/items/{{item}}/cap", self._cap)
        return app

    @web.middleware
    async def _count(self, request: web.Request, handler: Callable[[web.Request], Any]) -> web.StreamResponse:
        self.requests.append(request)
        if self.is_down:
            return web.Response(status=503)
        response: web.StreamResponse = await handler(request)
        return response

    async def _landing(self, _request: web.Request) -> web.Response:
        return web.json_response({"links": [{"rel": "self", "href": "https://maps.example.org/api/?f=json"}]})

    async def _schema(self, _request: web.Request) -> web.Response:
        return web.json_response(_SCHEMA)

    async def _impacts(self, request: web.Request) -> web.Response:
        events = request.query["events"].split(",")
        found = [
            {"id": each, "summary": {"people": self.people[each]} if each in self.people else None} for each in events
        ]
        return web.json_response({"impacts": found})

    async def _feed(self, request: web.Request) -> web.Response:
        ids = request.query.get("ids")
        wanted = (
            ids.split(",") if ids else [item for item in self.features if self.present is None or item in self.present]
        )
        found = [self.features[item] for item in wanted if item in self.features]
        if request.query["f"] == "atom":
            entries = "".join(
                f"<entry><title>{escape(each['properties'].get('title', each['id']))}</title>"
                f"<summary>{escape(each['id'])}: 12,000 people</summary></entry>"
                for each in found
            )
            return web.Response(text=f'<feed xmlns="http://www.w3.org/2005/Atom">{entries}</feed>')
        tag = f'"{hash(str((wanted, self.features, self.people))):x}"'
        if request.headers.get("If-None-Match") == tag:
            return web.Response(status=304)
        start = int(request.query.get("cursor", "0"))
        end = start + self.page_size
        links = [{"rel": "next", "href": f"https://maps.example.org/api/feed?cursor={end}"}] if len(found) > end else []
        return web.json_response({"features": found[start:end], "links": links}, headers={"ETag": tag})

    async def _item(self, request: web.Request) -> web.Response:
        found = self.features.get(request.match_info["item"])
        return web.json_response(found, status=200 if found else 404)

    async def _cap(self, request: web.Request) -> web.Response:
        found = self.features.get(request.match_info["item"])
        if found is None:
            return web.Response(status=404)
        return web.Response(text=CAP.format(item=found["id"], title=found["properties"].get("alert_level")))


@dataclass
class Hook:
    """A receiver of webhooks. statuses: those of the next responses, then 204."""

    statuses: list[int] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    received: list[dict[str, Any]] = field(default_factory=list)
    requests: list[web.Request] = field(default_factory=list)
    address: str = ""

    async def receive(self, request: web.Request) -> web.Response:
        self.requests.append(request)
        status = self.statuses.pop(0) if self.statuses else 204
        if status == 204:
            text = await request.text()
            self.received.append(await request.json() if text.startswith("{") else {"text": text})
        return web.Response(status=status, headers=self.headers)


@dataclass
class Mailbox:
    """A mail server. refused: recipients that it does not accept."""

    mails: list[Message] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    is_broken: bool = False
    port: int = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"421 later\r\n" if self.is_broken else b"220 hello\r\n")
        while not self.is_broken and (line := (await reader.readline()).decode().strip()):
            word = line.partition(" ")[0].upper()
            if word == "RCPT":
                is_refused = any(each in line for each in self.refused)
                writer.write(b"550 unknown\r\n" if is_refused else b"250 ok\r\n")
            elif word == "DATA":
                writer.write(b"354 go on\r\n")
                text = await reader.readuntil(b"\r\n.\r\n")
                self.mails.append(email.message_from_bytes(text[:-5]))
                writer.write(b"250 accepted\r\n")
            elif word == "QUIT":
                writer.write(b"221 bye\r\n")
                break
            else:
                writer.write(b"250 ok\r\n")
        writer.close()

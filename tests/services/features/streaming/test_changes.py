"""Streams of changes: what a listener hears, what it hears again, and how a stream ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import jsonschema
import orjson
import pytest
from aiohttp import ClientResponse

from libs.catalogue.versions import DataVersions
from services.features.streaming.hub import Hub, Listener
from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client, services
from tests.services.tiles.cache import metric

EVENTS = "/collections/hostile.events/changes"
ALL = "/changes"


class Stream:
    """The events of a stream, one by one, as an EventSource reads them."""

    def __init__(self, response: ClientResponse) -> None:
        self.response = response
        self.last_id = ""

    async def next(self) -> tuple[str, Any]:
        """Name and data of the next event; heartbeats are passed over. Raises EOFError at the end."""
        name, data = "message", ""
        while True:
            line = await asyncio.wait_for(self.response.content.readline(), 20)
            if not line:
                raise EOFError
            field, _, value = line.decode().rstrip("\n").partition(": ")
            if field == "id":
                self.last_id = value
            elif field == "event":
                name = value
            elif field == "data":
                data += value
            elif not field and data:
                return name, orjson.loads(data)

    async def until_ready(self) -> None:
        """Until the stream says where it is."""
        while not self.last_id:
            line = await asyncio.wait_for(self.response.content.readline(), 20)
            if line.startswith(b"id: "):
                self.last_id = line[4:-1].decode()


@asynccontextmanager
async def listening(
    client: Client, path: str, last_id: str | None = None, *, in_address: bool = False
) -> AsyncIterator[Stream]:
    headers = {"Accept": "text/event-stream", "Accept-Encoding": "gzip"}
    if in_address:
        path += f"?last-event-id={last_id}"
    elif last_id:
        headers["Last-Event-ID"] = last_id
    async with client.session.get(f"{client.base}{path}", headers=headers) as response:
        assert response.status == 200, await response.read()
        assert response.headers["Content-Type"] == "text/event-stream"
        assert "Content-Encoding" not in response.headers
        # nothing between keeps it back, or for others
        assert {name: response.headers[name] for name in ("Cache-Control", "X-Accel-Buffering", "Vary")} == {
            "Cache-Control": "no-store",
            "X-Accel-Buffering": "no",
            "Vary": "Accept",
        }
        stream = Stream(response)
        if last_id is None:
            await stream.until_ready()
        yield stream


async def _touch(owner: asyncpg.Connection, table: str = "hostile.events") -> None:
    await owner.execute(f"UPDATE {table} SET id = id WHERE id = 1")  # noqa: S608


async def test_a_change_is_told_after_its_commit(features: Client, owner: asyncpg.Connection) -> None:
    async with listening(features, EVENTS) as one, listening(features, ALL) as all_:
        before = one.last_id
        await _touch(owner, "hostile.parted")
        await _touch(owner)
        name, event = await one.next()
        assert name == "message"
        assert event["type"] == "org.ogc.api.collection.update"
        assert (event["specversion"], event["subject"]) == ("1.0", "collections/hostile.events")
        assert event["data"]["version"] == one.last_id != before
        heard: set[str | None] = set()
        # views of these tables have changed, too
        while not heard > {"hostile.events", "hostile.parted"}:
            # the stream may also report a table that another test has dropped
            heard.add((await all_.next())[1].get("data", {}).get("collectionId"))
    now = await features.json(EVENTS)
    assert now["changes"][0]["data"]["version"] == one.last_id


@pytest.mark.parametrize("path", [EVENTS, ALL])
async def test_who_comes_back_hears_what_was_missed(features: Client, owner: asyncpg.Connection, path: str) -> None:
    async with listening(features, path) as stream:
        left_at = stream.last_id

    async def version() -> str:
        found = (await features.json(EVENTS))["changes"][0]["data"]["version"]
        assert isinstance(found, str)
        return found

    before = await version()
    await _touch(owner)

    async def is_new() -> None:
        assert await version() != before

    await eventually(is_new)
    await asyncio.sleep(1.1)  # the task that notes changes has its turn once a second
    async with listening(features, path, left_at) as again:
        # views of the table have changed, too
        missed = [await again.next() for _ in range(1 if path == EVENTS else 2)]
        assert {name for name, _ in missed} == {"message"}
        assert await version() in {event["data"]["version"] for _, event in missed}
        left_at = again.last_id
    async with listening(features, path, left_at) as still:
        await _touch(owner)
        assert (await still.next())[1]["data"]["collectionId"].startswith("hostile.event")
    async with listening(features, path, "of-another-time") as stranger:
        name, _ = await stranger.next()
        assert name == "reload"
        assert stranger.last_id != "of-another-time"
    async with listening(features, path, "of-another-time", in_address=True) as stranger:
        assert (await stranger.next())[0] == "reload"


async def test_the_process_ends_its_streams_before_it_waits(hostile: HostileDatabase) -> None:
    async with services() as started:
        await started.start("common", hostile.env())
        client = await started.start("features", hostile.env(DAMS_CHANGE_LISTENERS="2"))
        await eventually(lambda: client.json(ALL))
        async with listening(client, ALL) as one, listening(client, EVENTS) as other:
            refused = await client.get(ALL, headers={"Accept": "text/event-stream"})
            assert refused.status == 503
            assert int(refused.headers["Retry-After"]) > 0
            assert (await client.get(ALL)).status == 200
            closing = asyncio.create_task(started.servers["features"].close())
            for stream in (one, other):
                with pytest.raises(EOFError):
                    await stream.next()
            await asyncio.wait_for(closing, 5)


async def test_listeners_that_are_gone_leave_room(hostile: HostileDatabase) -> None:
    async with services() as started:
        await started.start("common", hostile.env())
        client = await started.start("features", hostile.env(DAMS_CHANGE_LISTENERS="1"))
        await eventually(lambda: client.json(ALL))
        async with listening(client, ALL):
            pass

        async def has_room() -> None:
            async with listening(client, ALL):
                pass

        await eventually(has_room)


async def test_what_has_no_version_has_no_changes(features: Client) -> None:
    assert (await features.get("/collections/hostile.nothing/changes")).status == 404
    everything = await features.json(ALL)
    assert {change["data"]["collectionId"] for change in everything["changes"]} > {"hostile.events", "hostile.many"}
    document = await features.json("/asyncapi")
    assert document["asyncapi"] == "3.0.0"
    assert {channel["address"] for channel in document["channels"].values()} == {
        "/changes",
        "/collections/{collectionId}/changes",
    }


@pytest.mark.parametrize("path", [EVENTS, ALL])
async def test_the_versions_of_this_moment_are_there_without_a_stream(features: Client, path: str) -> None:
    answer = await features.get(path)
    assert (answer.type, answer.headers["Cache-Control"]) == ("application/json", "no-cache")
    change = next(each for each in answer.json()["changes"] if each["subject"] == "collections/hostile.events")
    assert (change["source"], change["type"]) == (f"{features.base}/", "org.ogc.api.collection.update")
    assert change["id"] == f"{change['data']['version']}.hostile.events"
    assert datetime.fromisoformat(change["time"]) <= datetime.now(UTC) + timedelta(seconds=1)
    stream, about = "Event stream of new versions", f"{features.base}/asyncapi"
    assert answer.json()["links"] == [
        {"rel": "self", "href": f"{features.base}{path}?f=json", "type": "application/json"},
        {"rel": "related", "href": f"{features.base}{path}?f=sse", "title": stream},
        {"rel": "service-meta", "href": about, "title": "Streams of changes (AsyncAPI)"},
    ]
    again = await features.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status in (200, 304)
    assert (await features.get(path, {"limit": "1"})).status == 422
    assert (path == EVENTS) is ({each["subject"] for each in answer.json()["changes"]} == {change["subject"]})


@pytest.mark.parametrize("f", ["json", "sse"])
async def test_where_nothing_tells_of_changes_there_are_none(
    features: Client, monkeypatch: pytest.MonkeyPatch, f: str
) -> None:
    monkeypatch.setattr(DataVersions, "version", lambda *_: None)
    answer = await features.get(EVENTS, {"f": f})
    sentence = "Nothing tells when collection 'hostile.events' changes: it has no data version."
    assert (answer.status, answer.json()) == (404, {"detail": sentence})
    # of all of them there may be some tomorrow
    assert (await features.json(ALL))["changes"] == []
    assert (await features.get(ALL, headers={"Accept": "text/event-stream"}, method="HEAD")).status == 200
    monkeypatch.setattr(DataVersions, "server", None)
    refused = 'dams_unavailable_total{cause="database"'
    before = await metric(features, refused)
    for path in (EVENTS, ALL):
        answer = await features.get(path, {"f": f})
        sentence = "The database cannot be reached at the moment; try again."
        assert (answer.status, answer.json()) == (503, {"detail": sentence})
    assert await metric(features, refused) == before + 2


@pytest.mark.parametrize("in_address", [True, False])
async def test_of_what_a_listener_had_last_as_much_is_read_as_an_id_has(
    features: Client, monkeypatch: pytest.MonkeyPatch, in_address: bool
) -> None:
    heard: list[str | None] = []
    listen = Hub.listen

    async def noted(hub: Hub, listener: Listener, last_id: str | None) -> None:
        heard.append(last_id)
        await listen(hub, listener, last_id)

    monkeypatch.setattr(Hub, "listen", noted)
    async with listening(features, EVENTS, "x" * 101, in_address=in_address) as stream:
        assert (await stream.next())[0] == "reload"
    async with listening(features, EVENTS):
        pass
    assert heard == ["x" * 100, None]


@pytest.mark.parametrize("path", [EVENTS, ALL])
async def test_head_of_a_stream_ends(features: Client, path: str) -> None:
    answer = await features.get(path, headers={"Accept": "text/event-stream"}, method="HEAD")
    assert (answer.status, answer.type, answer.body) == (200, "text/event-stream", b"")


async def test_where_the_streams_are_is_told_to_programs(features: Client) -> None:
    answer = await features.get("/asyncapi", headers={"Host": "example.org:81"})
    document = answer.json()
    assert answer.type.startswith("application/asyncapi+json")
    assert document["servers"]["public"] == {"host": "example.org:81", "pathname": "/", "protocol": "http"}
    for operation, channel in (("sendChanges", "changes"), ("sendCollectionChanges", "collectionChanges")):
        assert document["operations"][operation]["channel"] == {"$ref": f"#/channels/{channel}"}
        assert document["operations"][operation]["action"] == "send"
        (message,) = document["channels"][channel]["messages"].values()
        *_, name = message["$ref"].split("/")
        assert document["components"]["messages"][name]["contentType"] == "application/cloudevents+json"
    payload = document["components"]["messages"]["change"]["payload"]
    event = (await features.json(EVENTS))["changes"][0]
    jsonschema.validate(event, {**payload, "additionalProperties": False})
    assert jsonschema.Draft202012Validator(payload).is_valid({**event, "type": "org.ogc.api.collection.delete"})
    for wrong in ({"type": "other"}, {"specversion": "0.3"}, {"id": None}):
        assert not jsonschema.Draft202012Validator(payload).is_valid({**event, **wrong})
    assert set(payload["required"]) == {"specversion", "id", "type", "source"}
    assert (await features.get("/asyncapi", {"limit": "1"})).status == 422
    assert (
        await features.get("/asyncapi", headers={"Host": "example.org:81", "If-None-Match": answer.headers["ETag"]})
    ).status == 304


async def test_features_that_are_named_as_they_change_are_told(features: Client, owner: asyncpg.Connection) -> None:
    async with listening(features, EVENTS) as stream:
        event: Any = {"data": {}}
        # named changes are read from the first tick with a listener on
        while "items" not in event["data"]:
            async with owner.transaction():
                await _touch(owner)
                await owner.execute(
                    "INSERT INTO dams.changed_item (relation, item, action)"
                    " VALUES ('hostile.events'::regclass, '1', 'update')"
                )
            event = (await stream.next())[1]
    assert event["data"]["items"] == [{"itemId": "1", "change": "update"}]
    assert event["data"]["itemsComplete"] is True


async def test_who_comes_back_says_where_from_in_so_many_letters(
    features: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tuple[str | None, str, str | None]] = []

    async def noted(_: Hub, listener: Listener, last_id: str | None) -> None:
        heard.append((listener.collection, listener.base, last_id))

    monkeypatch.setattr(Hub, "listen", noted)
    accept = {"Accept": "text/event-stream"}
    for path, headers in (
        (EVENTS, {}),
        (ALL, {"Last-Event-ID": "x" * 101}),
        (f"{ALL}?last-event-id={'y' * 100}", {}),
        # a reconnecting EventSource knows better than its address
        (f"{ALL}?last-event-id=old", {"Last-Event-ID": "new"}),
    ):
        answer = await features.get(path, headers={**accept, **headers})
        assert (answer.status, answer.body) == (200, b"")
    base = features.base
    assert heard == [
        ("hostile.events", base, None),
        (None, base, "x" * 100),
        (None, base, "y" * 100),
        (None, base, "new"),
    ]


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_without_its_database_nobody_knows_of_changes(
    features: Client, monkeypatch: pytest.MonkeyPatch, accept: str
) -> None:
    monkeypatch.setattr(DataVersions, "server", None)
    for path in (EVENTS, ALL):
        answer = await features.get(path, headers={"Accept": accept})
        assert (answer.status, answer.json()) == (
            503,
            {"detail": "The database cannot be reached at the moment; try again."},
        )


async def test_the_document_of_the_streams_is_this(features: Client) -> None:
    document = await features.json("/asyncapi")
    text, http = {"type": "string"}, {"http": {"method": "GET", "bindingVersion": "0.3.0"}}
    change = {"change": {"$ref": "#/components/messages/change"}}
    assert document["info"] == {
        "title": "Disaster Analysis and Mapping Service",
        "version": "1.0.0",
        "description": "Which collections have a new version, as Server-Sent Events (`Accept: text/event-stream`).",
    }
    assert document["defaultContentType"] == "application/cloudevents+json"
    assert document["channels"] == {
        "changes": {"address": "/changes", "title": "Changes of all collections", "messages": change},
        "collectionChanges": {
            "address": "/collections/{collectionId}/changes",
            "title": "Changes of a collection",
            "parameters": {"collectionId": {"description": "Identifier of the collection"}},
            "messages": change,
        },
    }
    assert document["operations"] == {
        f"send{name[0].upper()}{name[1:]}": {
            "action": "send",
            "channel": {"$ref": f"#/channels/{name}"},
            "bindings": http,
        }
        for name in ("changes", "collectionChanges")
    }
    (message,) = document["components"]["messages"].values()
    assert message["summary"] == "A collection has another version, or is gone"
    assert message["payload"] == {
        "type": "object",
        "required": ["specversion", "id", "type", "source"],
        "properties": {
            "specversion": {"const": "1.0"},
            "id": text,
            "type": {"enum": ["org.ogc.api.collection.update", "org.ogc.api.collection.delete"]},
            "source": {**text, "format": "uri"},
            "subject": {**text, "description": "collections/{collectionId}"},
            "time": {**text, "format": "date-time", "description": "Time when the service noticed the version"},
            "datacontenttype": text,
            "data": {
                "type": "object",
                "properties": {
                    "collectionId": text,
                    "version": text,
                    "links": {"type": "array"},
                    "items": {
                        "type": "array",
                        "description": "Features that changed, where that is known",
                        "items": {
                            "type": "object",
                            "properties": {"itemId": text, "change": {"enum": ["create", "update", "delete"]}},
                        },
                    },
                    "itemsComplete": {"type": "boolean", "description": "Whether `items` are all that changed"},
                },
            },
        },
    }

"""GET /asyncapi: the streams of changes as an AsyncAPI 3.0 document (OGC 25-030, draft)."""

from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from libs.web.app import Call
from libs.web.base_url import SETTINGS, base_url
from libs.web.conditional import conditional
from libs.web.respond import json_response
from services.features.part import ASYNCAPI_TYPE
from services.features.streaming.cloud_events import DELETE, UPDATE

_STRING = {"type": "string"}
_PAYLOAD: dict[str, Any] = {
    "type": "object",
    "required": ["specversion", "id", "type", "source"],
    "properties": {
        "specversion": {"const": "1.0"},
        "id": _STRING,
        "type": {"enum": [UPDATE, DELETE]},
        "source": {"type": "string", "format": "uri"},
        "subject": {"type": "string", "description": "collections/{collectionId}"},
        "time": {"type": "string", "format": "date-time", "description": "Time when the service noticed the version"},
        "datacontenttype": _STRING,
        "data": {
            "type": "object",
            "properties": {
                "collectionId": _STRING,
                "version": _STRING,
                "links": {"type": "array"},
                "items": {
                    "type": "array",
                    "description": "Features that changed, where that is known",
                    "items": {
                        "type": "object",
                        "properties": {"itemId": _STRING, "change": {"enum": ["create", "update", "delete"]}},
                    },
                },
                "itemsComplete": {"type": "boolean", "description": "Whether `items` are all that changed"},
            },
        },
    },
}


async def get_asyncapi(call: Call) -> web.StreamResponse:
    """Return the document: the streams of changes, and the content of a message."""
    call.query.check()
    document = _document(base_url(call.request), call.request.app[SETTINGS].site_title)
    return conditional(call.request, json_response(document, media_type=ASYNCAPI_TYPE))


def _document(base: str, title: str) -> dict[str, Any]:
    address = urlsplit(base)
    message = {"change": {"$ref": "#/components/messages/change"}}
    http = {"bindings": {"http": {"method": "GET", "bindingVersion": "0.3.0"}}}

    def operation(channel: str) -> dict[str, Any]:
        return {"action": "send", "channel": {"$ref": f"#/channels/{channel}"}, **http}

    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": title,
            "version": "1.0.0",
            "description": "Which collections have a new version, as Server-Sent Events (`Accept: text/event-stream`).",
        },
        "defaultContentType": "application/cloudevents+json",
        "servers": {
            "public": {"host": address.netloc, "pathname": address.path or "/", "protocol": address.scheme},
        },
        "channels": {
            "changes": {"address": "/changes", "title": "Changes of all collections", "messages": message},
            "collectionChanges": {
                "address": "/collections/{collectionId}/changes",
                "title": "Changes of a collection",
                "parameters": {"collectionId": {"description": "Identifier of the collection"}},
                "messages": message,
            },
        },
        "operations": {"sendChanges": operation("changes"), "sendCollectionChanges": operation("collectionChanges")},
        "components": {
            "messages": {
                "change": {
                    "contentType": "application/cloudevents+json",
                    "summary": "A collection has another version, or is gone",
                    "payload": _PAYLOAD,
                }
            }
        },
    }

"""Parameters of a search that are sent as members of a JSON body, because they are too long for an address."""

from typing import Any

import orjson
from aiohttp import web

from libs.ogc.errors import Fault, MalformedRequest

MOST_BYTES = 256 * 1024
"""Maximum size of a body, in bytes; the gateway refuses larger ones, too."""


async def body_parameters(request: web.Request) -> list[tuple[str, str]]:
    """Return the members as names and texts, like the parameters of an address. Raises MalformedRequest.

    A list becomes its members with commas between them, so none of them may have one; an object becomes its JSON. A
    member that is null counts as absent.
    """
    try:
        body = orjson.loads(await request.read() or b"{}")
    except orjson.JSONDecodeError as error:
        raise _fault(f"the body is not JSON: {error}") from None
    if not isinstance(body, dict):
        raise _fault("the body must be a JSON object with the parameters as its members")
    if isinstance(body.get("filter"), dict):
        # only one language has objects
        body.setdefault("filter-lang", "cql2-json")
    return [(name, _text(value)) for name, value in body.items() if value is not None]


def _fault(message: str, kind: str = "json_invalid") -> MalformedRequest:
    return MalformedRequest([Fault(("body",), message, None, kind)])


def _member(value: Any) -> str:
    if isinstance(value, str) and "," in value:
        raise _fault(
            f"{value!r} has a comma, which would divide it into two members; send it without the comma", "value_error"
        )
    return _text(value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ",".join(_member(member) for member in value)
    return orjson.dumps(value).decode()

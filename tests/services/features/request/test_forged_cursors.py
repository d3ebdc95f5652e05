"""Cursors that the service did not issue: an error of the request, even if the database cannot read their values."""

from __future__ import annotations

import base64
from hashlib import blake2b

import orjson
import pytest

from tests.services.in_process import Client

EVENTS = "/collections/hostile.events/items"


def forged(token: str, *values: str | None) -> str:
    """A cursor of the same query with other values, and the right checksum."""
    content = orjson.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))[:-6])
    text = orjson.dumps([*content[:2], *values])
    return base64.urlsafe_b64encode(text + blake2b(text, digest_size=6).digest()).rstrip(b"=").decode()


@pytest.mark.faults
@pytest.mark.parametrize("value", ["x", "", "1e400", "99999999999999999999", "1; DROP TABLE x"])
@pytest.mark.parametrize("limit", ["2", "5000"])
async def test_values_that_are_none_of_the_columns_type(features: Client, value: str, limit: str) -> None:
    link = (await features.get(EVENTS, {"limit": "2"})).link("next")
    assert link is not None
    token = link.partition("cursor=")[2].partition("&")[0]
    answer = await features.get(EVENTS, {"limit": limit, "cursor": forged(token, value)})
    assert answer.status == 422, answer.body
    assert answer.json()["detail"][0]["loc"] == ["query", "cursor"]

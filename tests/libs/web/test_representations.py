"""Links to a resource in each of its formats."""

from __future__ import annotations

import pytest

from libs.ogc.media_type import MediaType
from libs.web.respond import representations

OFFERS = (MediaType.JSON, MediaType.HTML, MediaType.SCHEMAJSON)


@pytest.mark.parametrize(("address", "joined"), [("https://a.example/x", "?"), ("https://a.example/x?limit=2", "&")])
def test_what_is_sent_comes_first_as_self(address: str, joined: str) -> None:
    found = representations(address, MediaType.HTML, OFFERS)
    assert [(link.rel, link.href, link.type) for link in found] == [
        ("self", f"{address}{joined}f=html", "text/html"),
        ("alternate", f"{address}{joined}f=json", "application/json"),
        ("alternate", f"{address}{joined}f=schemajson", "application/schema+json"),
    ]
    assert [link.title for link in found] == [f"This document as {name}" for name in ("html", "json", "schemajson")]

"""A service's description of itself follows from its current state, and is made once for each state."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from libs.ogc.service_part import ServicePart
from libs.web.conditional import NotModified
from libs.web.part import PresentPart
from libs.web.settings import WebSettings

PART = ServicePart("test", {"info": {"title": "test"}, "paths": {}}, ("core",))


def answer(part: PresentPart, **headers: str) -> web.Response:
    response = part.answer(make_mocked_request("GET", "/internal/part", headers))
    assert isinstance(response, web.Response)
    return response


@pytest.mark.parametrize("place", [0, 1])
def test_value_is_rebuilt_if_its_source_is_another_object(place: int) -> None:
    part = PresentPart(PART, WebSettings.from_env({"DAMS_PORT": "1"}))
    before = answer(part).body
    state: list[Any] = [["a"], ["b"]]
    amended: list[tuple[object, ...]] = []

    def amend(part: ServicePart, first: list[str], second: list[str]) -> ServicePart:
        amended.append((first, second))
        return replace(part, conforms_to=(*part.conforms_to, *first, *second))

    part.follow(lambda: tuple(state), amend)
    found = [answer(part) for _ in range(3)]
    assert len({response.body for response in found}) == 1
    assert found[0].body != before
    assert len(amended) == 1
    tag = found[0].headers["ETag"]
    with pytest.raises(NotModified):
        answer(part, **{"If-None-Match": tag})
    state[place] = ["c"]
    other = answer(part, **{"If-None-Match": tag})
    assert amended[1:] == [tuple(state)]
    assert other.headers["ETag"] != tag
    assert isinstance(other.body, bytes)
    assert b'"c"' in other.body


def test_it_has_the_name_of_the_site_and_the_status_that_is_set() -> None:
    operation = {"operationId": "get", "responses": {"200": {}, "422": {}}}
    openapi: dict[str, Any] = {
        "info": {"title": "test", "description": "Of the part."},
        "paths": {"/": {"get": operation}},
    }
    settings = WebSettings.from_env(
        {
            "DAMS_PORT": "1",
            "DAMS_SITE_TITLE": "Ours",
            "DAMS_SITE_DESCRIPTION": "Of the site.",
            "DAMS_INVALID_PARAMETER_STATUS": "400",
        }
    )
    response = answer(PresentPart(replace(PART, openapi=openapi), settings))
    assert isinstance(response.body, bytes)
    document = json.loads(response.body)["openapi"]
    assert document["info"] == {"title": "Ours", "description": "Of the site. Of the part."}
    assert set(document["paths"]["/"]["get"]["responses"]) == {"200", "400"}
    assert response.headers["Cache-Control"] == "public, max-age=0"
    assert openapi["info"]["title"] == "test"

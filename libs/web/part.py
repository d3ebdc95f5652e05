"""The current description of a service at `/internal/part`."""

from collections.abc import Callable
from dataclasses import replace

from aiohttp import web

from libs.ogc.service_part import ServicePart
from libs.web.conditional import check_preconditions, weak_etag
from libs.web.openapi import with_status_of_invalid
from libs.web.respond import body_response, json_bytes
from libs.web.settings import WebSettings


class PresentPart:
    """A service's part with its site's name, encoded once for each state of its inputs.

    A gateway polls each process every second, and encoding a document with the columns of a thousand tables takes long.
    """

    def __init__(self, part: ServicePart, settings: WebSettings) -> None:
        self._part = part
        self._settings = settings
        self._state: Callable[[], tuple[object, ...]] = tuple
        self._amend: Callable[..., ServicePart] = lambda part: part
        self._encoded: tuple[tuple[object, ...], bytes, dict[str, str]] | None = None

    def follow(self, state: Callable[[], tuple[object, ...]], amend: Callable[..., ServicePart]) -> None:
        """Rebuild the part with `amend` from itself and the objects that `state` returns.

        The part is rebuilt when one of them is another object than before.
        """
        self._state, self._amend, self._encoded = state, amend, None

    def answer(self, request: web.Request) -> web.StreamResponse:
        """Return the part as JSON. Raises NotModified."""
        body, headers = self._present()
        check_preconditions(request, headers)
        return body_response(body, media_type="application/json", headers=headers)

    def _present(self) -> tuple[bytes, dict[str, str]]:
        state = self._state()
        if self._encoded is None or any(now is not then for now, then in zip(state, self._encoded[0], strict=True)):
            body = json_bytes(self._amend(self._add_titles(), *state).to_json())
            self._encoded = state, body, {"ETag": weak_etag(body), "Cache-Control": "public, max-age=0"}
        return self._encoded[1:]

    def _add_titles(self) -> ServicePart:
        info = {**self._part.openapi["info"], "title": self._settings.site_title}
        if "description" in info:
            info["description"] = f"{self._settings.site_description} {info['description']}"
        document = with_status_of_invalid(self._part.openapi, self._settings.invalid_parameter_status)
        return replace(self._part, openapi={**document, "info": info})

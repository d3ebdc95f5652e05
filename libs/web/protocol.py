"""Answer bytes that are not valid HTTP in our own error format, without an error in the log.

aiohttp itself answers with plain text and logs a traceback: anyone could fill the log.
"""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from aiohttp import web, web_server
from aiohttp.web_protocol import RequestHandler

from libs.ogc.media_type import MediaType
from libs.web.respond import json_response

_LOG = logging.getLogger("dams.error")

MALFORMED = (
    "The request is no HTTP that this service understands: perhaps a header has a control character, or the address a"
    " blank."
)


class _Protocol(RequestHandler):
    """aiohttp's protocol with another response to bytes that it cannot parse."""

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = HTTPStatus.INTERNAL_SERVER_ERROR,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        if not HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR or request.writer.output_size > 0:
            return super().handle_error(request, status, exc, message)
        _LOG.info("malformed", extra={"fields": {"status": status, "cause": str(exc)}})
        body: dict[str, Any] = {"detail": MALFORMED}
        response = json_response(body, media_type=MediaType.JSON, status=status, headers={"Cache-Control": "no-store"})
        response.force_close()
        return response


def install() -> None:
    """Make all later servers use this protocol: aiohttp has no setting for it."""
    web_server.RequestHandler = _Protocol  # type: ignore[attr-defined]

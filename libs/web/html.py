"""HTML pages: one Jinja2 environment, one base template, every value escaped."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
from aiohttp import web

from libs.ogc.media_type import MediaType
from libs.web.assets import asset_path
from libs.web.base_url import base_url
from libs.web.page_text import FILTERS
from libs.web.respond import body_response

_TEMPLATES = Path(__file__).parent / "templates"

ENVIRONMENT = web.AppKey("templates", jinja2.Environment)

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "worker-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)


def setup_templates(app: web.Application, folder: Path | None) -> None:
    """Make the shared templates, and those in a service's own `folder`, available to `page_response`."""
    folders = [folder, _TEMPLATES] if folder else [_TEMPLATES]
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(FILTERS)
    for template in environment.list_templates(extensions=["html"]):
        # now, not when they are first used: by then an upgrade may have put newer ones in their place
        environment.get_template(template)
    app[ENVIRONMENT] = environment


def page_response(
    request: web.Request,
    template: str,
    context: Mapping[str, Any],
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """Render `template` with `context` and the names every page has (`base`, `asset`, `url`)."""
    base = base_url(request)
    text = (
        request.app[ENVIRONMENT]
        .get_template(template)
        .render(
            base=base,
            url=f"{base}{request.path}",
            query=request.query_string,
            asset=lambda name: f"{base}/assets/{asset_path(name)}",
            **context,
        )
    )
    return body_response(
        text.encode(),
        media_type=MediaType.HTML,
        status=status,
        headers={
            "Content-Security-Policy": CONTENT_SECURITY_POLICY,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "strict-origin-when-cross-origin",
            **(headers or {}),
        },
    )

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


def make_environment(site_title: str, folder: Path | None = None) -> jinja2.Environment:
    """The templates that all services share, and those in a service's own `folder`, with what the site is called."""
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
    environment.globals["site_title"] = site_title
    for template in environment.list_templates(extensions=["html"]):
        # now, not when they are first used: by then an upgrade may have put newer ones in their place
        environment.get_template(template)
    return environment


def render(environment: jinja2.Environment, template: str, base: str, context: Mapping[str, Any]) -> str:
    """`template` with `context` and the names that every page has: `base`, the service's base address, and `asset`."""
    return environment.get_template(template).render(
        base=base, asset=lambda name: f"{base}/assets/{asset_path(name)}", **context
    )


def page_response(
    request: web.Request,
    template: str,
    context: Mapping[str, Any],
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """Render `template` with `context` and the names that every page of a service has (`base`, `asset`, `url`)."""
    base = base_url(request)
    context = {"url": f"{base}{request.path}", "query": request.query_string, **context}
    text = render(request.app[ENVIRONMENT], template, base, context)
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

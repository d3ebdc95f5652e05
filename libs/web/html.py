"""HTML pages: one Jinja2 environment, one base template, every value escaped."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import jinja2
from aiohttp import web
from markupsafe import escape

from libs.ogc.media_type import MediaType
from libs.web.accept_language import LANGUAGES, PARAMETER
from libs.web.assets import asset_path
from libs.web.base_url import SETTINGS, base_url
from libs.web.languages import current, gettext, load, ngettext
from libs.web.page_text import FILTERS
from libs.web.query_params import is_tracking
from libs.web.respond import body_response, vary

_TEMPLATES = Path(__file__).parent / "templates"

ENVIRONMENT = web.AppKey("templates", jinja2.Environment)

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "worker-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)


def content_security_policy(public_url: str | None, **opened: list[str]) -> str:
    """Return the policy of a page, with the origin of `public_url` beside 'self', and more sources by directive.

    A page that is opened under another name than `DAMS_PUBLIC_URL`, such as 127.0.0.1, has addresses of that in it.
    `opened` has underscores for hyphens: `img_src=["https://tiles.example.org"]`.
    """
    ours = [_origin(public_url)] if public_url else []
    policy = []
    for name, *sources in (directive.split() for directive in CONTENT_SECURITY_POLICY.split(";")):
        public = ours if "'self'" in sources else []
        policy.append(" ".join([name, *sources, *public, *opened.get(name.replace("-", "_"), [])]))
    return "; ".join(policy)


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def asset_folder(path: str, base: str, *, fixed: bool) -> str:
    """Return the address of the folder of assets, for a page at `path` below the base address `base`.

    Where the base address is `fixed` by a setting it is relative, as the page may be opened under another name, and a
    script that starts workers must be of the page's own origin. The first page has two addresses, with and without a
    slash at the end, and an absolute one.
    """
    depth = path.count("/") - 1
    return f"{'../' * depth}assets" if fixed and path != "/" else f"{base}/assets"


_PAGES = ("/map", "/docs", "/map.html")
"""Path endings of pages without another format."""
_AS_HTML = re.compile(r"(?:^|&amp;|&)f=html(?:&|$)")
_FORM = '<input type="hidden" name="f" value="html">'


@cache
def make_environment(site_title: str, folder: Path | None = None) -> jinja2.Environment:
    """Return the templates that all services share, those in a service's own `folder`, and the site's title.

    Compiled once per process, because tests make many applications: treat it as immutable.
    """
    folders = [folder, _TEMPLATES] if folder else [_TEMPLATES]
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        extensions=["jinja2.ext.i18n"],
    )
    load()
    environment.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]
    environment.filters.update(FILTERS)
    environment.globals["site_title"] = site_title
    for template in environment.list_templates(extensions=["html"]):
        # compile now, not at first use: an upgrade may have replaced the files by then
        environment.get_template(template)
    return environment


def render(
    environment: jinja2.Environment, template: str, base: str, context: Mapping[str, Any], *, assets: str | None = None
) -> str:
    """`template` with `context` and the names that every page has: `base`, the service's base address, and `asset`.

    `assets` is the address of the folder of assets, below `base` unless it is given. In the language of what is being
    answered; `languages` are those to choose from, if the request is known.
    """
    return environment.get_template(template).render(
        base=base,
        assets=assets or f"{base}/assets",
        asset=lambda name: f"{assets or f'{base}/assets'}/{asset_path(name)}",
        language=current(),
        **{"languages": (), **context},
    )


def _keep_language(text: str, base: str) -> str:
    """Return the page with the chosen language in all links and forms that lead to pages."""
    beginning = re.escape(escape(base))
    query = f"{PARAMETER}={current().tag}"

    def add_language(found: re.Match[str]) -> str:
        address, hash_ = found[1], found[2] or ""
        path, mark, others = address.partition("?")
        is_page = path.endswith(_PAGES) or _AS_HTML.search(others)
        if not is_page or f"{PARAMETER}=" in others:
            return found[0]
        return f'href="{path}?{others}{"&amp;" if mark else ""}{query}{hash_}"'

    text = re.sub(rf'(?<=\s)href="({beginning}/[^"#]*)(#[^"]*)?"', add_language, text)
    return text.replace(_FORM, f'{_FORM}<input type="hidden" name="{PARAMETER}" value="{current().tag}">')


def _languages(request: web.Request, url: str) -> list[dict[str, Any]]:
    """Return the languages with the address of this page in each."""
    others = [(name, text) for name, text in request.query.items() if name != PARAMETER and not is_tracking(name)]
    return [
        {"language": language, "href": f"{url}?{urlencode([*others, (PARAMETER, language.tag)])}"}
        for language in LANGUAGES.values()
    ]


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
    # escaped like the client's: a slash within an id does not separate two parts
    url = f"{base}{request.rel_url.raw_path}"
    context = {"url": url, "query": request.query_string, "languages": _languages(request, url), **context}
    public_url = request.app[SETTINGS].public_url
    assets = asset_folder(request.rel_url.raw_path, base, fixed=public_url is not None)
    text = render(request.app[ENVIRONMENT], template, base, context, assets=assets)
    if PARAMETER in request.query:
        text = _keep_language(text, base)
    return body_response(
        text.encode(),
        media_type=MediaType.HTML,
        status=status,
        headers={
            "Content-Security-Policy": content_security_policy(public_url),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "strict-origin-when-cross-origin",
            "Content-Language": current().tag,
            **(headers or {}),
            "Vary": vary(MediaType.HTML),
        },
    )

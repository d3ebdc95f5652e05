"""The policy of the map pages, which an operator may open to the origin of a basemap and to pages that hold the map."""

from collections.abc import Sequence

from libs.web.basemap import Basemap
from libs.web.html import CONTENT_SECURITY_POLICY


def content_security_policy(basemap: Basemap | None, embed_origins: Sequence[str] = ()) -> str:
    """The policy of all pages; an operator's basemap adds its origin to images and requests, and `embed_origins` are
    those whose pages may show this one within them (CSP 3, `frame-ancestors`). Nothing else is opened.
    """
    opened = {"img-src": [basemap.origin], "connect-src": [basemap.origin]} if basemap else {}
    directives = (directive.split() for directive in CONTENT_SECURITY_POLICY.split(";"))
    policy = {name: [*sources, *opened.get(name, [])] for name, *sources in directives}
    if embed_origins:
        policy["frame-ancestors"] = list(embed_origins)
    return "; ".join(" ".join([name, *sources]) for name, sources in policy.items())

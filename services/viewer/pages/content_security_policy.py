"""The policy of the map pages. An operator may allow the origin of a basemap, and pages that embed the map."""

from collections.abc import Sequence

from libs.web.basemap import Basemap
from libs.web.html import CONTENT_SECURITY_POLICY


def content_security_policy(basemap: Basemap | None, embed_origins: Sequence[str] = ()) -> str:
    """Return the policy of all pages.

    An operator's basemap adds its origin to images and requests. Pages of `embed_origins` may embed this one (CSP 3,
    `frame-ancestors`). Nothing else is allowed.
    """
    opened = {"img-src": [basemap.origin], "connect-src": [basemap.origin]} if basemap else {}
    directives = (directive.split() for directive in CONTENT_SECURITY_POLICY.split(";"))
    policy = {name: [*sources, *opened.get(name, [])] for name, *sources in directives}
    if embed_origins:
        policy["frame-ancestors"] = list(embed_origins)
    return "; ".join(" ".join([name, *sources]) for name, sources in policy.items())

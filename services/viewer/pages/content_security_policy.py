"""The policy of the map pages. An operator may allow the origin of a basemap, and pages that embed the map."""

from collections.abc import Sequence

from libs.web import html
from libs.web.basemap import Basemap


def content_security_policy(
    basemap: Basemap | None, embed_origins: Sequence[str] = (), *, public_url: str | None = None
) -> str:
    """The policy of all pages; an operator's basemap adds its origin to images and requests, and `embed_origins` are
    those whose pages may show this one within them (CSP 3, `frame-ancestors`). All other sources stay closed.
    """
    opened = {"img_src": [basemap.origin], "connect_src": [basemap.origin]} if basemap else {}
    policy = html.content_security_policy(public_url, **opened)
    if embed_origins:
        policy = policy.replace("frame-ancestors 'none'", f"frame-ancestors {' '.join(embed_origins)}")
    return policy

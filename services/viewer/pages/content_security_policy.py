"""The policy of the map pages, which an operator's basemap opens to one origin."""

from libs.web.basemap import Basemap
from libs.web.html import CONTENT_SECURITY_POLICY


def content_security_policy(basemap: Basemap | None) -> str:
    """The policy of all pages; an operator's basemap adds its origin to images and requests, and to nothing else."""
    if basemap is None:
        return CONTENT_SECURITY_POLICY
    directives = (directive.strip() for directive in CONTENT_SECURITY_POLICY.split(";"))
    opened = ("img-src ", "connect-src ")
    return "; ".join(f"{each} {basemap.origin}" if each.startswith(opened) else each for each in directives)

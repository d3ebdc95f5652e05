"""f=html: a page for people, which the handlers and `pages/` make."""

from libs.ogc.media_type import MediaType
from services.features.formats.format import Format


class Html(Format):
    """What is said about the page."""

    name = "html"
    media_type = MediaType.HTML
    label = "HTML"
    title = "Features as a page"
    has_links = True


FORMAT = Html()

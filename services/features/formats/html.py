"""f=html: a page for people, rendered by the handlers and `pages/`."""

from libs.ogc.media_type import MediaType
from services.features.formats.format import Format


class Html(Format):
    """The description of the page format."""

    name = "html"
    media_type = MediaType.HTML
    label = "HTML"
    title = "Features as a page"
    has_links = True


FORMAT = Html()

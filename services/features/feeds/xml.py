"""XML that is always well-formed: elements by namespace, texts without what XML 1.0 cannot hold."""

import re
from xml.etree import ElementTree as ET

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML may have, escaped or not; the library writes them as they are."""


def clean(text: str) -> str:
    """The text with U+FFFD for what XML cannot hold."""
    return _FORBIDDEN.sub("\ufffd", text)


def add(parent: ET.Element, name: str, text: str | None = None, **attributes: str) -> ET.Element:
    """A new last child; `name` is `{namespace}local`."""
    element = ET.SubElement(parent, name, {key: clean(value) for key, value in attributes.items()})
    if text is not None:
        element.text = clean(text)
    return element


def document(root: ET.Element) -> bytes:
    """The document in UTF-8, with its declaration."""
    body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return body

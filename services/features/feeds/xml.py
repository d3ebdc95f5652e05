"""Write XML that is always well-formed: elements by namespace, texts without characters that XML 1.0 forbids."""

import re
from xml.etree import ElementTree as ET

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML forbids even when escaped; the library writes them unchanged."""


def clean(text: str) -> str:
    """Return the text with U+FFFD for each character that XML forbids."""
    return _FORBIDDEN.sub("\ufffd", text)


def add(parent: ET.Element, name: str, text: str | None = None, **attributes: str) -> ET.Element:
    """Append a child element and return it; `name` is `{namespace}local`."""
    element = ET.SubElement(parent, name, {key: clean(value) for key, value in attributes.items()})
    if text is not None:
        element.text = clean(text)
    return element


def document(root: ET.Element) -> bytes:
    """Return the document in UTF-8, with its declaration."""
    body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return body

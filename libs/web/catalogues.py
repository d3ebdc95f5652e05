"""The texts of pages in their languages: a gettext catalogue for each (`translations`)."""

from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

FOLDER = Path(__file__).parent / "translations"


def catalogue(tag: str) -> Catalog:
    """Return the texts of a language. Raises OSError if there are none."""
    with (FOLDER / f"{tag}.po").open("rb") as file:
        return read_po(file, locale=tag)

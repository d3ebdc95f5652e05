"""Names on the basemap in the languages of the pages: of countries from Unicode CLDR, of seas from the catalogues.

Towns and provinces keep the names of their source, which has no others by language.
"""

import json
from pathlib import Path

from babel import Locale

from libs.web.catalogues import catalogue, marked
from services.viewer.build.names import numeric_codes

_ATLAS = Path(__file__).parents[1] / "node_modules/world-atlas/countries-50m.json"
_WITHOUT_NUMBER = {"Kosovo": "XK", "Gibraltar": "GI", "Tuvalu": "TV"}
"""Countries without an ISO 3166-1 number in the atlas, or that another atlas has (atlas/extract.mjs)."""

SEAS = (
    marked("Pacific Ocean"),
    marked("Atlantic Ocean"),
    marked("Indian Ocean"),
    marked("Southern Ocean"),
    marked("Arctic Ocean"),
    marked("Arabian Sea"),
    marked("Bay of Bengal"),
    marked("Caribbean Sea"),
    marked("Gulf of Mexico"),
    marked("Mediterranean Sea"),
    marked("Philippine Sea"),
    marked("South China Sea"),
    marked("Coral Sea"),
    marked("Tasman Sea"),
    marked("Bering Sea"),
    marked("Sea of Okhotsk"),
    marked("Norwegian Sea"),
    marked("Greenland Sea"),
    marked("Barents Sea"),
    marked("Kara Sea"),
    marked("Laptev Sea"),
    marked("Labrador Sea"),
    marked("Hudson Bay"),
    marked("Baffin Bay"),
    marked("Beaufort Sea"),
    marked("Weddell Sea"),
    marked("Ross Sea"),
    marked("Scotia Sea"),
    marked("Gulf of Alaska"),
    marked("Gulf of Guinea"),
    marked("Mozambique Channel"),
    marked("Black Sea"),
    marked("Caspian Sea"),
    marked("Red Sea"),
    marked("Persian Gulf"),
    marked("Gulf of Aden"),
    marked("Andaman Sea"),
    marked("Gulf of Thailand"),
    marked("Java Sea"),
    marked("Banda Sea"),
    marked("Celebes Sea"),
    marked("Sulu Sea"),
    marked("Timor Sea"),
    marked("Arafura Sea"),
    marked("Solomon Sea"),
    marked("Bismarck Sea"),
    marked("East China Sea"),
    marked("Yellow Sea"),
    marked("Sea of Japan"),
    marked("North Sea"),
    marked("Baltic Sea"),
    marked("Bay of Biscay"),
    marked("Great Australian Bight"),
    marked("Sargasso Sea"),
    marked("Chukchi Sea"),
    marked("East Siberian Sea"),
)
"""Names in atlas/seas.json."""


def place_labels(tag: str) -> dict[str, str]:
    """Return the names of countries and seas in a language, by the English names that tiles and features have."""
    territories, texts = Locale(tag).territories, {message.id: message.string for message in catalogue(tag)}
    english = {name: code for code, name in Locale("en").territories.items() if code.isalpha()}
    countries = {
        name: str(territories[code]) for name, code in {**english, **_countries()}.items() if code in territories
    }
    return {**countries, **{name: str(texts[name]) for name in SEAS}}


def _countries() -> dict[str, str]:
    """Return the ISO 3166-1 alpha-2 codes of countries, by their names in the atlas."""
    found = json.loads(_ATLAS.read_text(encoding="utf-8"))["objects"]["countries"]["geometries"]
    codes = numeric_codes()
    numbered = {each["properties"]["name"]: codes.get(int(each["id"]), "") for each in found if each.get("id")}
    return {**numbered, **_WITHOUT_NUMBER}

"""Names on the basemap in the languages of the pages: of countries from Unicode CLDR, of seas from the catalogues.

town_names.py has those of towns. Provinces keep the names of their source: no package has others by language.
"""

import json
from pathlib import Path

from babel import Locale

from libs.web.accept_language import mark
from libs.web.catalogues import catalogue
from services.viewer.build.names import english_names, numeric_codes

_ATLAS = Path(__file__).parents[1] / "node_modules/world-atlas/countries-50m.json"
_WITHOUT_NUMBER = {"Kosovo": "XK", "Gibraltar": "GI", "Tuvalu": "TV"}
"""Countries without an ISO 3166-1 number in the atlas, or that another atlas has (atlas/extract.mjs)."""

SEAS = (
    mark("Pacific Ocean"),
    mark("Atlantic Ocean"),
    mark("Indian Ocean"),
    mark("Southern Ocean"),
    mark("Arctic Ocean"),
    mark("Arabian Sea"),
    mark("Bay of Bengal"),
    mark("Caribbean Sea"),
    mark("Gulf of Mexico"),
    mark("Mediterranean Sea"),
    mark("Philippine Sea"),
    mark("South China Sea"),
    mark("Coral Sea"),
    mark("Tasman Sea"),
    mark("Bering Sea"),
    mark("Sea of Okhotsk"),
    mark("Norwegian Sea"),
    mark("Greenland Sea"),
    mark("Barents Sea"),
    mark("Kara Sea"),
    mark("Laptev Sea"),
    mark("Labrador Sea"),
    mark("Hudson Bay"),
    mark("Baffin Bay"),
    mark("Beaufort Sea"),
    mark("Weddell Sea"),
    mark("Ross Sea"),
    mark("Scotia Sea"),
    mark("Gulf of Alaska"),
    mark("Gulf of Guinea"),
    mark("Mozambique Channel"),
    mark("Black Sea"),
    mark("Caspian Sea"),
    mark("Red Sea"),
    mark("Persian Gulf"),
    mark("Gulf of Aden"),
    mark("Andaman Sea"),
    mark("Gulf of Thailand"),
    mark("Java Sea"),
    mark("Banda Sea"),
    mark("Celebes Sea"),
    mark("Sulu Sea"),
    mark("Timor Sea"),
    mark("Arafura Sea"),
    mark("Solomon Sea"),
    mark("Bismarck Sea"),
    mark("East China Sea"),
    mark("Yellow Sea"),
    mark("Sea of Japan"),
    mark("North Sea"),
    mark("Baltic Sea"),
    mark("Bay of Biscay"),
    mark("Great Australian Bight"),
    mark("Sargasso Sea"),
    mark("Chukchi Sea"),
    mark("East Siberian Sea"),
)
"""Names in atlas/seas.json."""


def place_labels(tag: str) -> dict[str, str]:
    """Return the names of countries and seas in a language, by the English names that tiles and features have."""
    territories, texts = Locale(tag).territories, {message.id: message.string for message in catalogue(tag)}
    english = {name: code for code, name in Locale("en").territories.items() if code.isalpha()}
    countries = {
        name: str(territories[code])
        for name, code in {**english_names(), **english, **_countries()}.items()
        if code in territories
    }
    return {**countries, **{name: str(texts[name]) for name in SEAS}}


def _countries() -> dict[str, str]:
    """Return the ISO 3166-1 alpha-2 codes of countries, by their names in the atlas."""
    found = json.loads(_ATLAS.read_text(encoding="utf-8"))["objects"]["countries"]["geometries"]
    codes = numeric_codes()
    numbered = {each["properties"]["name"]: codes.get(int(each["id"]), "") for each in found if each.get("id")}
    return {**numbered, **_WITHOUT_NUMBER}

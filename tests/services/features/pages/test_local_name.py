"""Names of features in the language of the page."""

from collections.abc import Iterator

import pytest

from libs.catalogue.model import Collection, Column, TimeColumn
from libs.web.accept_language import ENGLISH, LANGUAGES
from libs.web.languages import gettext, speak
from libs.web.local_title import country_name
from services.features.pages.items_html import readable
from services.features.pages.local_name import local_name

_COLUMNS = ("title", "magnitude", "basin", "alert_level", "main_cause", "country")
_ALERTS = Collection(
    *("h.alerts", "h", "alerts", 1, "table", "Alerts", None),
    tuple(Column(name, "text", "string") for name in _COLUMNS),
    times=(TimeColumn("issued", "timestamptz"), TimeColumn("expires", "timestamptz")),
    time_end="expires",
)
_DAYS = {"issued": "2018-02-06T15:50:00Z", "expires": "2018-02-08T15:50:00Z"}


@pytest.fixture(autouse=True)
def _french() -> Iterator[None]:
    speak(LANGUAGES["fr"])
    yield
    speak(ENGLISH)


@pytest.mark.parametrize(
    ("properties", "name"),
    [
        (
            {"title": "M 6.4 - near", "magnitude": 6.4, "nearest_place": "Hualien", "nearest_place_km": 22.2}
            | {"nearest_place_bearing": "NNE", "nearest_place_population": 350000},
            "M 6.4 - à 22 km NNE de Hualien",
        ),
        (
            {"title": "C5, North Atlantic", "basin": "NA", "max_wind_kt": 155} | _DAYS,
            "Atlantique Nord, 6 févr. 2018 – 8 févr. 2018, 155 kt",
        ),
        ({"title": "Red alert, Spain", "alert_level": "Red", "country": "Spain"}, "Alerte : Rouge, Espagne"),
        ({"title": "Rain", "main_cause": "Heavy rain", "country": "Nowhere"}, "Fortes pluies, Nowhere"),
        ({"title": "Known by its title alone"}, "Known by its title alone"),
    ],
)
def test_names_are_composed_from_properties(properties: dict[str, object], name: str) -> None:
    assert local_name(_ALERTS, 1, properties).replace("\u202f", " ") == name
    speak(ENGLISH)
    assert local_name(_ALERTS, 1, properties) in (properties["title"], "North Atlantic, 6–8 Feb 2018, 155 kt")


def test_countries_have_their_names() -> None:
    assert (country_name("Germany"), country_name("GERMANY"), country_name("Atlantis")) == (
        "Allemagne",
        "Allemagne",
        "Atlantis",
    )
    others = ("United States of America", "Antigua and Barbuda", "Saint Kitts and Nevis")
    spelled = ("Democratic Republic of the Congo", "Turkey", "Côte d'Ivoire", "Myanmar")
    assert [country_name(name)[:10] for name in spelled] == ["Congo-Kins", "Turquie", "Côte d’Ivo", "Myanmar (B"]
    assert [country_name(name) for name in others] == ["États-Unis", "Antigua-et-Barbuda", "Saint-Christophe-et-Niévès"]


def test_values_are_in_the_language_of_the_page() -> None:
    assert readable("earthquake", has_words=True)["text"] == "séisme"
    for name in ("country", "other_country"):
        assert readable("Spain", name, has_words=True)["text"] == "Espagne"
    # the value of another column stays, and so does an address
    assert readable("Spain", "title", has_words=True)["text"] == "Spain"
    assert readable("https://example.org/", has_words=True)["href"] == "https://example.org/"
    speak(ENGLISH)
    assert readable("earthquake", has_words=True)["text"] == "earthquake"


def test_values_of_other_collections_stay() -> None:
    # both are words of pages
    assert gettext("Map") == "Carte"
    assert readable("Map")["text"] == "Map"
    assert readable("Spain", "country")["text"] == "Spain"

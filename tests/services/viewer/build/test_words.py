"""The translations for the scripts are complete, with the plurals of the catalogues."""

import json
import re
import shutil
import subprocess
from gettext import c2py
from pathlib import Path
from typing import Any

import pytest

from deploy.loader.places.gazetteer import BEARINGS
from libs.catalogue.modules import _MODULES
from libs.web.accept_language import ENGLISH, LANGUAGES
from libs.web.catalogues import catalogue
from services.tiles.styling.hazard import look_of
from services.tiles.styling.palette import HAZARDS
from services.viewer.build import terms
from services.viewer.build.property_words import DESCRIPTIONS
from services.viewer.build.words import SCRIPTS, write_words

_OTHERS = [tag for tag in LANGUAGES if tag != ENGLISH.tag]
_NUMBERS = range(201)
_READ = """
await import(process.argv[1]);
const { plural, ...words } = globalThis.damsWords;
console.log(JSON.stringify({ ...words, forms: Array.from({ length: 201 }, (_, n) => plural(n)) }));
"""


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Return the scripts' texts by language, as a browser reads them."""
    folder = tmp_path_factory.mktemp("words")
    node = shutil.which("node")
    assert node
    return {
        name: json.loads(
            subprocess.run(
                [node, "--input-type=module", "-e", _READ, str(folder / file)], check=True, capture_output=True
            ).stdout
        )
        for name, file in write_words(folder).items()
        if not name.endswith("-descriptions.js")
    }


@pytest.mark.parametrize("tag", _OTHERS)
def test_each_language_has_its_words(words: dict[str, dict[str, Any]], tag: str) -> None:
    said = words[f"words/{tag}.js"]
    assert (said["language"], said["fromRight"]) == (tag, LANGUAGES[tag].direction == "rtl")
    form = c2py(catalogue(tag).plural_expr)
    assert said["forms"] == [form(number) for number in _NUMBERS]
    assert said["texts"].keys() >= {*terms.TERMS, "Loading…", "{number} feature"}
    # and not those of pages
    assert "Breadcrumbs" not in said["texts"]
    assert len(said["texts"]["{number} feature"]) == catalogue(tag).num_plurals
    assert len(json.dumps(said["texts"])) > 10_000


@pytest.mark.parametrize(
    ("tag", "germany", "bengal"),
    [
        ("es", "Alemania", "Golfo de Bengala"),
        ("fr", "Allemagne", "Golfe du Bengale"),
        ("ar", "ألمانيا", "خليج البنغال"),
    ],
)
def test_countries_and_seas_have_names(words: dict[str, dict[str, Any]], tag: str, germany: str, bengal: str) -> None:
    places = words[f"words/{tag}.js"]["places"]
    assert (places["Germany"], places["Bay of Bengal"]) == (germany, bengal)
    seas = json.loads((SCRIPTS.parent / "build/atlas/seas.json").read_text("utf-8"))
    assert {name for name, *_ in seas} <= places.keys()
    # abbreviated names and countries without a number too
    assert {"Dem. Rep. Congo", "Kosovo", "Tuvalu", "Antarctica"} <= places.keys()
    assert len(places) > 280


@pytest.mark.parametrize("tag", _OTHERS)
def test_descriptions_of_properties_have_a_script_of_their_own(tmp_path: Path, tag: str) -> None:
    names = write_words(tmp_path)
    script = (tmp_path / names[f"words/{tag}-descriptions.js"]).read_text("utf-8")
    described = json.loads(script.removeprefix("export default").removesuffix(";\n"))
    assert described.keys() == set(DESCRIPTIONS)
    assert described["Magnitude and place."] == next(
        each.string for each in catalogue(tag) if each.id == "Magnitude and place."
    )
    # each page knows where it is
    assert names[f"words/{tag}-descriptions.js"] in (tmp_path / names[f"words/{tag}.js"]).read_text("utf-8")


def test_no_call_is_missed() -> None:
    # Babel reads JavaScript with a simple lexer: if it misread a file, texts would be missing without an error
    sources = [file.read_text("utf-8") for file in SCRIPTS.rglob("*.js")]
    called = {
        json.loads(f'"{text}"')
        for source in sources
        for text in re.findall(r'\bsay(?:Many)?\(\s*"((?:[^"\\]|\\.)*)"', source)
    }
    assert len(called) > 200
    for tag in _OTHERS:
        known = {message.id if isinstance(message.id, str) else message.id[0] for message in catalogue(tag)}
        assert called - known == set()


def test_what_other_services_say_is_among_the_terms() -> None:
    assert {title for _, title in _MODULES} == set(terms.HAZARDS)
    # texts that the loader writes into the data, and that pages and the map translate
    assert list(BEARINGS) == list(terms.BEARINGS)
    scales = [scale for scales in HAZARDS.values() for scale in scales]
    legends = [entry for name in ("a_disturbance", "any") for entry in look_of(name, "Point", {}).legend]
    labels = {item.label for scale in scales for item in scale.classes} | {
        item["label"] for entry in legends for item in entry["classes"]
    }
    # numbers and codes are the same everywhere
    words = {label for label in labels if re.search("[a-z]{3}", label)}
    assert {*words, *(scale.title for scale in scales), "Magnitude"} <= set(terms.LEGENDS)


def test_scripts_say_nothing_but_through_the_catalogues() -> None:
    literal = re.compile(
        r"""(?:\b(?:text|title|placeholder|label)|"aria-label"|textContent):?\s*[:=]\s*(?:"[A-Za-z]{2}|`[A-Z][a-z]+ )"""
    )
    found = [
        f"{file.relative_to(SCRIPTS)}: {line.strip()}"
        for file in SCRIPTS.rglob("*.js")
        for line in file.read_text("utf-8").splitlines()
        if literal.search(line) and not line.lstrip().startswith(("*", "//"))
    ]
    assert [line for line in found if not any(name in line for name in _NAMES)] == []


_NAMES = ('text: "GeoJSON"', 'placeholder: "Taipei"', "INPUT_TYPES", '"UTC"')
"""Texts that are equal in all languages, or not shown at all."""

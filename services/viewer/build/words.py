"""The scripts' texts in other languages than English: one script per language, from the catalogues of all pages.

Pages in English need none of them.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir

from libs.web.accept_language import ENGLISH, LANGUAGES, Language
from libs.web.catalogues import catalogue
from services.viewer.build.place_labels import place_labels
from services.viewer.build.property_words import DESCRIPTIONS
from services.viewer.build.terms import TERMS

SCRIPTS = Path(__file__).parents[1] / "browser"
KEYWORDS = {"say": None, "sayMany": (1, 2)}
"""The functions of words/say.js, and which of their arguments are texts."""


def write_words(target: Path) -> dict[str, str]:
    """Write the texts of each language to the folder `target`; return name to hashed name.

    `words/fr.js` is for each page, `words/fr-descriptions.js` for filters.
    """
    wanted = _texts_of_scripts() | set(TERMS)
    names = {}
    for language in LANGUAGES.values():
        if language is ENGLISH:
            continue
        texts = catalogue(language.tag)
        known = {message.id: str(message.string) for message in texts}
        described = {text: known[text] for text in DESCRIPTIONS}
        descriptions = _write(f"{language.tag}-descriptions", f"export default{_compact(described)};\n", target)
        names[f"words/{language.tag}-descriptions.js"] = descriptions
        names[f"words/{language.tag}.js"] = _write(language.tag, _script(language, texts, wanted, descriptions), target)
    return names


def _write(name: str, script: str, target: Path) -> str:
    content = script.encode()
    hashed = f"words-{name}-{blake2b(content, digest_size=6).hexdigest()}.js"
    (target / hashed).write_bytes(content)
    return hashed


def _texts_of_scripts() -> set[str]:
    """Return the English texts; of those with plural forms, the singular."""
    found = extract_from_dir(SCRIPTS, method_map=[("**.js", "javascript")], keywords=KEYWORDS)
    return {message if isinstance(message, str) else message[0] for _, _, message, _, _ in found}


def _script(language: Language, texts: Catalog, wanted: set[str], descriptions: str) -> str:
    """Return `globalThis.damsWords` in the form that words/say.js reads."""
    said = {}
    for message in texts:
        one = message.id if isinstance(message.id, str) else message.id[0]
        if one in wanted and message.string:
            said[one] = message.string
    words = {
        "language": json.dumps(language.tag),
        "fromRight": json.dumps(language.direction == "rtl"),
        # gettext writes the plural rule as a C expression, which is valid JavaScript
        "plural": f"(n)=>Number{texts.plural_expr}",
        "texts": _compact(said),
        "places": _compact(place_labels(language.tag)),
        "descriptions": json.dumps(f"./{descriptions}"),
    }
    return f"globalThis.damsWords={{{','.join(f'{name}:{value}' for name, value in words.items())}}};\n"


def _compact(values: Mapping[str, str | Sequence[str]]) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))

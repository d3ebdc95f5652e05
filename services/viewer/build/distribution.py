"""`dist/`, everything except pages that browsers get from the service.

`dist/manifest.json` has the hashed names for the service. The build compares it to see whether it must run.
"""

import json
import shutil
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

from libs.web.catalogues import FOLDER
from services.viewer.build.assets import build_assets
from services.viewer.build.basemap import populated_places, read_atlas, write_tiles
from services.viewer.build.compression import compress
from services.viewer.build.fonts import ITALIC, REGULAR, write_fonts
from services.viewer.build.gazetteer import write_gazetteer

_VIEWER = Path(__file__).parents[1]
DIST = _VIEWER / "dist"
PLACES = "places.tsv"
_SEAS = Path(__file__).parent / "atlas" / "seas.json"

_FONTS = {"inter-regular.woff2": REGULAR, "inter-italic.woff2": ITALIC}


def build(target: Path = DIST) -> bool:
    """Update `target`; return whether it was outdated.

    A failed build leaves the last one in place. Raises subprocess.CalledProcessError, or FileNotFoundError if a library
    is missing.
    """
    if is_current(target):
        return False
    inputs = _inputs_digest()
    scratch = target.with_name(f"{target.name}.new")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    fonts = scratch / "fonts"
    write_fonts(fonts)
    built = build_assets(scratch / "assets", fonts)
    _write_basemap(scratch / "basemap", fonts)
    shutil.rmtree(fonts)
    compress(scratch)
    (scratch / "manifest.json").write_text(
        json.dumps({"inputs": inputs, "assets": built["names"], "parts": built["parts"]}, indent=1), encoding="utf-8"
    )
    shutil.rmtree(target, ignore_errors=True)
    scratch.rename(target)
    return True


def is_current(target: Path = DIST) -> bool:
    """Return whether `target` was built from these sources. Raises FileNotFoundError if a library is missing."""
    manifest = target / "manifest.json"
    return manifest.is_file() and json.loads(manifest.read_text(encoding="utf-8")).get("inputs") == _inputs_digest()


def _write_basemap(target: Path, fonts: Path) -> None:
    node = shutil.which("node")
    if node is None:
        raise FileNotFoundError("node is not installed")
    (target / "fonts").mkdir(parents=True)
    atlas = read_atlas(node)
    write_tiles(node, atlas, target)
    write_gazetteer(populated_places(), atlas["regions"], _SEAS, target.parent / PLACES)
    for name, source in _FONTS.items():
        shutil.copyfile(fonts / source, target / "fonts" / name)


def _inputs() -> Iterator[Path]:
    yield from (_VIEWER / "package-lock.json", *(_VIEWER / "build").glob("*.py"))
    for folder in (*(_VIEWER / name for name in ("browser", "build/atlas", "build/scripts")), FOLDER):
        yield from (file for file in folder.rglob("*") if file.is_file())


def _inputs_digest() -> str:
    digest = blake2b(digest_size=12)
    for file in sorted(_inputs()):
        digest.update(f"{file.relative_to(_VIEWER.parents[1])}\0".encode())
        digest.update(blake2b(file.read_bytes()).digest())
    digest.update(populated_places().read_bytes())
    return digest.hexdigest()

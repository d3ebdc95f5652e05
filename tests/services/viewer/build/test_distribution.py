"""The build: hashed names, compressed copies, no work twice."""

import gzip
import json
from hashlib import blake2b
from pathlib import Path

from services.viewer.build.distribution import build


def test_second_build_has_nothing_to_do(dist: Path) -> None:
    before = (dist / "manifest.json").stat().st_mtime_ns
    assert build() is False
    assert (dist / "manifest.json").stat().st_mtime_ns == before


def test_manifest_names_files_that_exist(dist: Path) -> None:
    names = json.loads((dist / "manifest.json").read_text("utf-8"))["assets"]
    assert {
        "map.js",
        "styles/map.css",
        "docs.js",
        "styles/docs.css",
        "engines/maplibre/worker.js",
        "swagger-ui.js",
    } <= names.keys()
    for name in names.values():
        assert (dist / "assets" / name).is_file()


def test_names_hold_the_hash_of_the_content(dist: Path) -> None:
    names = json.loads((dist / "manifest.json").read_text("utf-8"))["assets"]
    copied = dist / "assets" / names["swagger-ui.js"]
    assert copied.stem.rpartition("-")[2] == blake2b(copied.read_bytes(), digest_size=6).hexdigest()


def test_compressed_copies_are_the_same(dist: Path) -> None:
    # of tiles there are compressed copies only
    packed = [file for file in dist.rglob("*.gz") if not file.name.endswith(".mvt.gz")]
    assert len(packed) > 10
    for file in packed:
        assert gzip.decompress(file.read_bytes()) == file.with_suffix("").read_bytes()


def test_page_without_the_map_library_is_small(dist: Path) -> None:
    names = json.loads((dist / "manifest.json").read_text("utf-8"))["assets"]
    files = [
        dist / "assets" / f"{names[name]}.gz"
        for name in ("map.js", "styles/map.css", "engines/maplibre/engine-maplibre.js")
    ]
    fonts = [*(dist / "assets").glob("inter-*.woff2")]
    assert sum(file.stat().st_size for file in [*files, *fonts]) < 150_000


def test_nothing_in_the_assets_points_to_another_host(dist: Path) -> None:
    for file in (dist / "assets").glob("*.css"):
        text = file.read_text("utf-8").replace("http://www.w3.org", "")
        assert "url(http" not in text
        assert "@import" not in text

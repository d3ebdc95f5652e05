"""The build: hashed names, compressed copies, no work twice."""

import gzip
import json
import os
import re
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path

import brotli
import pytest
from fontTools.ttLib import TTFont

from services.viewer.build.distribution import build, is_current
from services.viewer.build.notices import write_notices


def test_second_build_has_nothing_to_do(dist: Path) -> None:
    before = (dist / "manifest.json").stat().st_mtime_ns
    assert build() is False
    assert (dist / "manifest.json").stat().st_mtime_ns == before


def test_the_check_builds_nothing(dist: Path, tmp_path: Path) -> None:
    assert is_current(dist) is True
    assert is_current(tmp_path) is False
    (tmp_path / "manifest.json").write_text('{"inputs": "of another release"}')
    assert is_current(tmp_path) is False
    # without Node.js, too
    check = [sys.executable, "-m", "services.viewer.build", "--check"]
    assert subprocess.run(check, check=False, env=os.environ | {"PATH": ""}).returncode == 0


def test_manifest_names_files_that_exist(dist: Path) -> None:
    names = json.loads((dist / "manifest.json").read_text("utf-8"))["assets"]
    assert {
        "map.js",
        "styles/map.css",
        "docs.js",
        "styles/docs.css",
        "engines/maplibre/library.js",
        "swagger-ui.js",
    } <= names.keys()
    for name in names.values():
        assert (dist / "assets" / name).is_file()


def test_names_hold_the_hash_of_the_content(dist: Path) -> None:
    names = json.loads((dist / "manifest.json").read_text("utf-8"))["assets"]
    copied = dist / "assets" / names["swagger-ui.js"]
    assert copied.stem.rpartition("-")[2] == blake2b(copied.read_bytes(), digest_size=6).hexdigest()


def test_compressed_copies_are_the_same(dist: Path) -> None:
    packed = [*(dist / "assets").glob("*.gz")]
    assert len(packed) > 5
    for file in packed:
        plain = file.with_suffix("").read_bytes()
        assert gzip.decompress(file.read_bytes()) == plain
        assert brotli.decompress(file.with_suffix(".br").read_bytes()) == plain
    # of tiles there are compressed copies only
    far = [*(dist / "basemap/WebMercatorQuad").glob("[0-3]/*/*.mvt.gz")]
    assert len(far) > 50
    for file in far:
        assert brotli.decompress(file.with_suffix(".br").read_bytes()) == gzip.decompress(file.read_bytes())


def test_page_is_small(dist: Path) -> None:
    manifest = json.loads((dist / "manifest.json").read_text("utf-8"))
    names = manifest["assets"]
    page = [names["map.js"], *manifest["parts"]["map.js"], names["styles/map.css"]]
    assert sum((dist / "assets" / f"{name}.br").stat().st_size for name in page) < 76_000
    assert (dist / "assets" / f"{names['engines/maplibre/library.js']}.br").stat().st_size < 240_000
    fonts = [*(dist / "assets").glob("inter-*.woff2")]
    assert len(fonts) == 3
    assert sum(font.stat().st_size for font in fonts) < 45_000


def test_fonts_have_all_letters_and_figures_of_one_width(dist: Path) -> None:
    whole = TTFont("services/viewer/node_modules/@fontsource/inter/files/inter-latin-400-normal.woff2")
    ours = TTFont(dist / "basemap/fonts/inter-regular.woff2")
    assert ours.getBestCmap().keys() == whole.getBestCmap().keys()
    assert {record.FeatureTag for record in ours["GSUB"].table.FeatureList.FeatureRecord} == {"tnum"}


def test_the_library_is_one_file_for_page_and_worker(dist: Path) -> None:
    names = json.loads((dist / "manifest.json").read_text("utf-8"))["assets"]
    text = (dist / "assets" / names["engines/maplibre/library.js"]).read_text("utf-8")
    assert not re.search(r"\bfrom ?\"\.|import ?\"\.|import\(\"\.", text)
    assert "BSD-3-Clause" in text


def test_nothing_in_the_assets_points_to_another_host(dist: Path) -> None:
    for file in (dist / "assets").glob("*.css"):
        text = file.read_text("utf-8").replace("http://www.w3.org", "")
        assert "url(http" not in text
        assert "@import" not in text


def test_notices_name_each_served_package_with_its_licence(dist: Path) -> None:
    name = json.loads((dist / "manifest.json").read_text("utf-8"))["assets"]["notices.txt"]
    text = (dist / "assets" / name).read_text("utf-8")
    for package, licence in {
        "maplibre-gl": "Mapbox",
        "ol": "OpenLayers Contributors",
        "proj4": "Mike Adair",
        "swagger-ui-dist": "SmartBear",
        "@fontsource/inter": "SIL OPEN FONT LICENSE",
        "world-atlas": "Michael Bostock",
    }.items():
        (notice,) = [part for part in text.split("-" * 80) if part.strip().startswith(f"{package} ")]
        assert licence.lower() in notice.lower(), package
    assert "Natural Earth" in text


def test_a_package_without_a_licence_is_not_served(tmp_path: Path) -> None:
    (tmp_path / "free").mkdir()
    (tmp_path / "free/package.json").write_text('{"name": "free", "version": "1.0.0"}')
    with pytest.raises(ValueError, match="free states no licence"):
        write_notices(tmp_path, ["free"], tmp_path)

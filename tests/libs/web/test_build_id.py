"""The identifiers depend on everything that determines the bytes, and only on that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from libs.web.build_id import build_id, page_build_id

Build = Callable[[], tuple[str, str]]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Sources of a product with two services, one of which requires a library of projections."""
    for name, text in {
        "libs/sql.py": "SELECT = 1",
        "libs/web/static/site.css": "a {}",
        "libs/web/static/site.js": "1",
        "libs/web/static/mark.svg": "<svg/>",
        "libs/web/templates/page.html": "<p>",
        "services/tiles/tile.py": "TILE = 1",
        "services/tiles/openapi.yaml": "openapi: 3.0.3",
        "services/tiles/queries.sql": "SELECT 1",
        "services/tiles/templates/tile.html": "<p>",
        "services/tiles/requirements.txt": "projections==1.0 --hash=sha256:0\n# via\n#   tests==1\nelsewhere==2 ; os\n",
        "services/features/items.py": "ITEMS = 1",
        "services/tiles/node_modules/x.py": "1",
        "services/tiles/README.md": "Tiles.",
    }.items():
        file = tmp_path / "tree" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "tree"


@pytest.fixture
def build(tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Both identifiers of the tiles service, as a process that starts now has them."""
    install(tmp_path, "1.0")
    monkeypatch.syspath_prepend(tmp_path / "installed")

    def read() -> tuple[str, str]:
        for identifier in (build_id, page_build_id):
            identifier.cache_clear()
        return build_id("tiles", top=tree), page_build_id("tiles", top=tree)

    return read


def install(tmp_path: Path, version: str) -> None:
    folder = tmp_path / "installed" / "projections.dist-info"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: projections\nVersion: {version}\n")


def test_they_are_the_same_in_every_process(build: Build) -> None:
    assert build() == build()


@pytest.mark.parametrize(
    ("name", "drops_tiles"),
    [
        ("libs/sql.py", True),
        ("services/tiles/tile.py", True),
        ("services/tiles/openapi.yaml", True),
        ("services/tiles/queries.sql", True),
        ("libs/web/static/site.css", False),
        ("libs/web/static/site.js", False),
        ("libs/web/static/mark.svg", False),
        ("libs/web/templates/page.html", False),
        ("services/tiles/templates/tile.html", False),
    ],
)
def test_a_source_drops_pages_and_most_drop_tiles(build: Build, tree: Path, name: str, drops_tiles: bool) -> None:
    tiles, pages = build()
    (tree / name).write_text("changed")
    after = build()
    assert (after[0] != tiles, after[1] != pages) == (drops_tiles, True)


@pytest.mark.parametrize(
    "name", ["services/features/items.py", "services/tiles/node_modules/x.py", "services/tiles/README.md"]
)
def test_what_the_service_is_not_made_of_drops_nothing(build: Build, tree: Path, name: str) -> None:
    before = build()
    (tree / name).write_text("changed")
    assert build() == before


def test_an_upgraded_library_drops_everything(build: Build, tmp_path: Path) -> None:
    tiles, pages = build()
    install(tmp_path, "1.1")
    after = build()
    assert (after[0] != tiles, after[1] != pages) == (True, True)


@pytest.mark.parametrize("service", ["common", "features", "tiles", "viewer"])
def test_each_service_has_its_own(service: str) -> None:
    others = {build_id(other) for other in ("common", "features", "tiles", "viewer") if other != service}
    assert build_id(service) not in {*others, page_build_id(service)}

"""Which tests are near a module."""

from __future__ import annotations

from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
_ALSO = {
    "libs/geo/shape_sql.py": [
        "tests/libs/cql/test_spatial.py",
        "tests/services/features/rows/test_geometry_sql.py",
    ],
    "libs/selection/ids.py": ["tests/services/features/test_ids.py"],
    "libs/selection/selection.py": ["tests/services/features/test_ids.py"],
    "services/features/request/items_query.py": [
        "tests/services/features/formats/test_links.py",
        "tests/services/features/test_functions.py",
        "tests/services/test_crs.py",
    ],
    "libs/catalogue/versions.py": ["tests/services/common/test_conditional_requests.py", "tests/services/tiles/store"],
    "services/tiles/archive/": ["tests/services/tiles/command/test_export.py"],
    "services/tiles/dataset/": [
        "tests/services/tiles/test_dataset_tiles.py",
        "tests/services/tiles/test_lasting_tiles.py",
        "tests/services/tiles/test_metadata.py",
    ],
}
"""Tests beside those in the folder that mirrors the source."""


def tests_near(module: str) -> list[str]:
    """Files and folders of tests: of the folder that mirrors the module's, or the next one above that there is."""
    folder = Path(module).parent
    while not (REPOSITORY / "tests" / folder).is_dir():
        folder = folder.parent
    also = [test for start, tests in _ALSO.items() if module.startswith(start) for test in tests]
    return [str(Path("tests") / folder), *(test for test in also if (REPOSITORY / test).exists())]

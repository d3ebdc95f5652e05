"""The table of conformance classes is that of the services."""

from __future__ import annotations

import re

from services.common.part import PART as COMMON
from services.features.part import PART as FEATURES
from services.tiles.part import PART as TILES
from services.viewer.part import PART as VIEWER
from tests.architecture.documents import REPOSITORY

_SPECIFICATIONS = "http://www.opengis.net/spec/"


def test_the_table_has_the_declared_classes_with_a_test_for_each() -> None:
    declared = {uri for part in (COMMON, FEATURES, TILES, VIEWER) for uri in part.conforms_to}
    text = (REPOSITORY / "docs/conformance.md").read_text(encoding="utf-8")
    table = text.partition("## Declared")[2].partition("## Not declared")[0]
    table = table.partition("## Declared by the STAC catalogue")[0]
    rows = dict(re.findall(r"^\| `([^`]+)`[^|]* \| (.+) \|$", table, re.MULTILINE))
    assert {f"{_SPECIFICATIONS}{name}" for name in rows} == declared
    for name, tests in rows.items():
        files = re.findall(r"`(tests/[^`]+)`", tests)
        assert files, name
        assert all((REPOSITORY / file).exists() for file in files), name

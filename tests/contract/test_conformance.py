"""The page about conformance lists what the running service declares, with a test for each class."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.architecture.documents import REPOSITORY
from tests.contract.conftest import Api

pytestmark = pytest.mark.system

_ROW = re.compile(r"^\| `([^`]+)`[^|]* \| (.+) \|$", re.MULTILINE)
_OGC, _STAC = "http://www.opengis.net/spec/", "https://api.stacspec.org/v1.0.0/"


def _listed(start: str, end: str) -> dict[str, str]:
    """Return the tests of each class between two headings of the page."""
    text = (REPOSITORY / "docs/conformance.md").read_text(encoding="utf-8")
    return dict(_ROW.findall(text.partition(f"## {start}\n")[2].partition(f"## {end}\n")[0]))


def _declared(api: Api, path: str) -> list[str]:
    found: Any = api.get(path, Accept="application/json").json()
    return sorted(found["conformsTo"])


def test_the_page_lists_what_the_service_declares(api: Api) -> None:
    listed = _listed("Declared", "Declared by the STAC catalogue")
    assert sorted(f"{_OGC}{name}" for name in listed) == _declared(api, "/conformance")


def test_the_page_lists_what_the_stac_catalogue_declares(api: Api) -> None:
    listed = _listed("Declared by the STAC catalogue", "Not declared")
    addresses = [f"{_OGC if '/' in name else _STAC}{name}" for name in listed]
    assert sorted(addresses) == _declared(api, "/stac/conformance")
    assert _declared(api, "/stac") == _declared(api, "/stac/conformance")


def test_each_class_has_a_test(api: Api) -> None:
    rows = _listed("Declared", "Declared by the STAC catalogue") | _listed(
        "Declared by the STAC catalogue", "Not declared"
    )
    assert len(rows) > 50
    for name, tests in rows.items():
        files = re.findall(r"`(tests/[^`]+)`", tests)
        assert files, name
        assert [file for file in files if not (REPOSITORY / file).exists()] == [], name

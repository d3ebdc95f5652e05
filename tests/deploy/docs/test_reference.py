"""The generated pages have every endpoint with its parameters, and every setting with type, limits and default."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.docs.reference import API_PAGE, SETTINGS_PAGE, write_reference
from libs.web.openapi import load_document
from tests.architecture.documents import REPOSITORY
from tests.architecture.programs import SERVICES, SETTINGS


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    write_reference(folder)
    return folder


@pytest.mark.parametrize("service", SERVICES)
def test_api_page_has_every_path_of_a_service(site: Path, service: str) -> None:
    _, _, rest = (site / API_PAGE).read_text().partition(f"\n## {service.capitalize()}\n")
    section = rest.partition("\n## ")[0].splitlines()
    paths = load_document(REPOSITORY / "services" / service / "openapi.yaml")["paths"]
    assert [line.strip("`") for line in section if line.startswith("`/")] == list(paths)


def test_api_page_describes_parameters(site: Path) -> None:
    text = (site / API_PAGE).read_text()
    assert "| `limit` | query | integer, at least 0, at most 1000 |  | Maximum number of collections" in text
    assert "| `collectionId` | path | string |  | Identifier of a collection from `/collections`. |" in text
    assert "| `f` | query | `json`, `html` |" in text


@pytest.mark.parametrize("program", SETTINGS)
def test_settings_page_has_every_variable_of_a_program(site: Path, program: str) -> None:
    _, _, rest = (site / SETTINGS_PAGE).read_text().partition(f"\n## {program.capitalize()}\n")
    rows = [line for line in rest.partition("\n## ")[0].splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == sorted(SETTINGS[program].variables())


def test_settings_page_has_types_limits_and_defaults(site: Path) -> None:
    text = (site / SETTINGS_PAGE).read_text()
    assert "| `DAMS_DATABASE_URL` | text | required |" in text
    assert "| `DAMS_TILE_QUEUE` | integer, at least 0, at most 100000 | `100` |" in text
    assert "| `DAMS_PURGE_METHOD` | `POST`, `PURGE`, `BAN`, `DELETE` | `POST` |" in text
    assert "| `DAMS_REDIS_URL` | text |  |" in text

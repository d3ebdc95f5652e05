"""stac-api-validator finds no error, in the mode that follows the standards to the letter."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator

import pytest

from deploy.local.settings import REPOSITORY
from tests.conftest import MakeDatabase
from tests.own_environment import own_program
from tests.services.features.stac.conftest import CONFIGURATION, fill
from tests.services.in_process import Client, services


@pytest.fixture(scope="module")
async def by_the_letter(make_database: MakeDatabase) -> AsyncIterator[Client]:
    """The features service with the status 400 for invalid parameters."""
    env = {
        "DAMS_DATABASE_URL": await make_database(fill),
        "DAMS_COLLECTIONS_CONFIG": str(CONFIGURATION),
        "DAMS_INVALID_PARAMETER_STATUS": "400",
    }
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, env)
        yield running["features"]


async def test_the_validator_of_the_stac_api_finds_no_error(by_the_letter: Client) -> None:
    python = own_program("stac", "python")
    command = [str(python), "tests/validate_stac_api.py", f"{by_the_letter.base}/stac"]
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, check=False, cwd=REPOSITORY, timeout=300
    )
    said = done.stdout + done.stderr
    assert "Validating STAC API - Item Search" in said
    errors = [line for line in said.partition("Errors:")[2].splitlines() if line.startswith("- ")]
    # other programs have these, which it finds through the gateway
    elsewhere = ("/docs params", "openapi.json", "Link[service-desc]", "Link[service-doc]")
    assert [line for line in errors if not any(each in line for each in elsewhere)] == []


@pytest.mark.parametrize("moment", ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00.5+01:00/..", "/2020-01-01T00:00:00Z"])
async def test_times_of_rfc_3339_are_accepted(by_the_letter: Client, moment: str) -> None:
    assert (await by_the_letter.get("/stac/search", {"datetime": moment})).status == 200

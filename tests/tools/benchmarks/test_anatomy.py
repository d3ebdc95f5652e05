"""Samples of a service belong to the library of the running function."""

from tools.benchmarks.anatomy.shares import OURS, library, shares
from tools.benchmarks.settings import REPOSITORY

_SITE = "/somewhere/lib/python3.11/site-packages"


def test_a_file_belongs_to_its_package() -> None:
    assert library(f"{REPOSITORY}/libs/pg/pool.py") == OURS
    assert library(f"{REPOSITORY}/services/features/item.py") == OURS
    assert library(f"{_SITE}/asyncpg/connection.py") == "asyncpg"
    assert library(f"{_SITE}/yarl/_url.py") == library(f"{_SITE}/aiohttp/web.py") == "aiohttp"
    assert library("/usr/lib/python3.11/asyncio/timeouts.py") == library("<string>") == "python"


def test_shares_count_the_innermost_function_of_a_service_that_serves() -> None:
    serving = f"{_SITE}/aiohttp/web.py|run_app"
    found = shares(
        [
            f"3\t{REPOSITORY}/libs/pg/pool.py|fetch;{_SITE}/aiohttp/web_app.py|_handle;{serving}\n",
            f"1\t{_SITE}/aiohttp/web_app.py|_handle;{REPOSITORY}/libs/web/runner.py|run;{serving}\n",
            f"50\t{REPOSITORY}/services/features/app.py|make_app\n",
        ]
    )
    assert found == {OURS: 0.75, "aiohttp": 0.25}

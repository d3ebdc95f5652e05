"""Browser fixtures of the system tests."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, async_playwright

from tests.running_stack import HERE, RunningStack
from tests.system.visits import ARGUMENTS, MOST_SECONDS, NewVisit, Visit, browser_program


@pytest.fixture(scope="session")
async def chromium() -> AsyncIterator[Browser]:
    # a page is open for seconds: to optimise its scripts takes longer than it saves
    arguments = [*ARGUMENTS, "--js-flags=--no-opt"]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=browser_program(), args=arguments)
        yield browser
        await browser.close()


@pytest.fixture
async def visit(chromium: Browser, stack: RunningStack) -> AsyncIterator[NewVisit]:
    """Opens pages in a browser without a past; afterwards nothing may have gone wrong on any.

    On a coarse screen and with reduced motion, as maps are drawn in software; `device_scale_factor=1` is for tests that
    look at pixels, `reduced_motion="no-preference"` for those that look at movement. Skips a test that says which
    `permissions` there are, though it be none, where a browser gives none in any case.
    """
    visits: list[Visit] = []
    address = urlsplit(stack.base_url)

    async def new(width: int = 1280, height: int = 800, **options: Any) -> Visit:
        if "permissions" in options and address.scheme == "http" and address.hostname not in HERE:
            pytest.skip("browsers have a clipboard and a place for pages by TLS or of this machine alone")
        options = {"device_scale_factor": 0.5, "reduced_motion": "reduce", **options}
        context = await chromium.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(MOST_SECONDS * 1000)
        made = Visit(await context.new_page(), stack.base_url)
        visits.append(made)
        return made

    yield new
    for made in visits:
        await made.page.context.close()
    assert [problem for made in visits for problem in made.problems] == []
    assert [url for made in visits for url in made.elsewhere()] == []

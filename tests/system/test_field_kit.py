"""The page of docs/field-kit.md draws an archive of the command from a plain web server, without any other server."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from PIL import Image
from playwright.async_api import Browser

from tests.architecture.documents import REPOSITORY, page
from tests.eventually import eventually
from tests.running_stack import RunningStack

pytestmark = pytest.mark.system

_MODULES = REPOSITORY / "services" / "viewer" / "node_modules"
_EXPORT = ("export", "hazard.hazard_eq_events", "--bbox", "-125,32,-114,42", "--zoom", "0-4")


@pytest.fixture
def folder(stack: RunningStack) -> Iterator[Path]:
    """Make the folder with the files that the document requires.

    The services' user, which may write here, runs the command.
    """
    with TemporaryDirectory() as name:
        kit = Path(name)
        kit.chmod(0o777)
        run = [sys.executable, "-m", "deploy.local", "run", "services.tiles.command", *_EXPORT]
        environment = {"DAMS_STATE_DIR": str(stack.state_dir), "PATH": "/usr/bin:/bin"}
        output = ("--output", str(kit / "field.pmtiles"))
        done = subprocess.run(
            [*run, *output], cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        (shown,) = [fence.content for fence in page("docs/field-kit.md").fences if fence.info == "html"]
        (kit / "index.html").write_text(shown)
        said = " ".join(token.content for token in page("docs/field-kit.md").tokens if token.type == "inline")
        for file in re.findall(r"`((?:maplibre|pmtiles)[\w-]*\.\w+)`", said):
            shutil.copy(_MODULES / file.split(".")[0].removesuffix("-worker") / "dist" / file, kit)
        yield kit


async def test_the_page_draws_what_is_in_the_file(chromium: Browser, folder: Path) -> None:
    app = web.Application()
    app.router.add_static("/", folder)
    async with TestServer(app, host="127.0.0.1") as server:
        base = str(server.make_url("/"))
        visit = await chromium.new_page()
        try:
            asked: list[str] = []
            parts: list[int] = []
            wrong: list[str] = []
            visit.on("request", lambda request: asked.append(request.url))
            visit.on("response", lambda answer: parts.append(answer.status) if ".pmtiles" in answer.url else None)
            visit.on("pageerror", lambda error: wrong.append(str(error)))
            await visit.goto(f"{base}index.html")

            async def drawn() -> None:
                image = Image.open(BytesIO(await visit.screenshot()))
                # its plain ground, and colours of its style on it
                assert len(image.convert("RGB").getcolors(2**24) or ()) > 50

            await eventually(drawn)
        finally:
            await visit.close()
    assert not wrong
    assert set(parts) == {206}
    assert all(url.startswith((base, "blob:", "data:")) for url in asked), asked

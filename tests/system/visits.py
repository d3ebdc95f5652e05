"""A page in a real Chromium, with what went wrong on it."""

import io
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from PIL import Image
from playwright.async_api import Page

ARGUMENTS = [
    "--no-sandbox",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
SECONDS = 90_000  # a map drawn in software takes its time


class Visit:
    """A page, with what went wrong on it."""

    def __init__(self, page: Page, base_url: str) -> None:
        self.page = page
        self.base_url = base_url
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.statuses: dict[str, int] = {}
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.problems.append(f"page error: {error}"))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("response", lambda response: self.statuses.update({response.url: response.status}))

    def _console(self, message: Any) -> None:
        # the driver of the software renderer warns about its own slowness
        if message.type == "error" or "Content Security Policy" in message.text:
            self.problems.append(f"{message.type}: {message.text}")

    async def open(self, path: str) -> None:
        """Go there and wait until the map rests."""
        response = await self.page.goto(f"{self.base_url}{path}")
        assert response is not None
        assert response.status == 200
        await self.ready()

    async def ready(self) -> None:
        await self.page.wait_for_selector("body[data-ready]", timeout=SECONDS)

    async def drawn(self, collection: str) -> list[dict[str, Any]]:
        """Features of the collection that are on the screen, with the ids and properties of the tiles."""
        features: list[dict[str, Any]] = await self.page.evaluate(
            """(id) => {
                const layers = map.getStyle().layers.filter((layer) => layer.source === id).map(({ id }) => id);
                return map.queryRenderedFeatures({ layers }).map(({ id, properties }) => ({ id, properties }));
            }""",
            collection,
        )
        return features

    async def colours(self) -> dict[tuple[int, int, int], int]:
        """Colours of the map, without the panels on it, with the number of pixels of each."""
        image = Image.open(io.BytesIO(await self.page.locator("canvas.maplibregl-canvas").screenshot())).convert("RGB")
        part = image.crop((360, 0, image.width - 60, image.height - 120))
        counted = part.getcolors(part.width * part.height)
        assert counted is not None
        return {colour: number for number, colour in counted if isinstance(colour, tuple)}  # type: ignore[misc]

    def elsewhere(self) -> list[str]:
        """Requests to other hosts."""
        host = urlsplit(self.base_url).netloc
        return [url for url in self.requests if url.startswith("http") and urlsplit(url).netloc != host]


NewVisit = Callable[..., Awaitable[Visit]]
"""Opens a page: width, height and options of the browser context."""

"""A page in a real Chromium, with what went wrong on it."""

import io
import shutil
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from PIL import Image
from playwright.async_api import Page

from tests.eventually import eventually
from tests.running_stack import RunningStack

ARGUMENTS = [
    "--no-sandbox",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PROGRAMS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
"""The first is Chromium without windows, which costs a third less processor time to open a page."""

_AT_ONCE = 200

MOST_SECONDS = 90
"""To wait for anything on a page: a map drawn in software takes its time."""


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

    async def without_clipboard(self) -> None:
        """From the next page on, as without TLS."""
        await self.page.add_init_script("Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })")

    async def open(self, path: str) -> None:
        """Go there and wait until the map rests."""
        response = await self.page.goto(f"{self.base_url}{path}")
        assert response is not None
        assert response.status == 200
        await self.ready()

    async def ready(self) -> None:
        await self.page.wait_for_selector("body[data-ready]")

    async def ready_with(self, *parts: str) -> None:
        """Wait until a requested address has all these parts, and the map rests.

        If the answer was quick, it is too late to see that the map is not at rest.
        """

        async def asked() -> bool:
            return any(all(part in url for part in parts) for url in self.requests)

        await eventually(asked, seconds=MOST_SECONDS)
        await self.ready()

    async def until(self, expression: str) -> None:
        """Wait until a JavaScript expression holds; playwright's own way of waiting is against the pages' policy."""

        async def holds() -> bool:
            return bool(await self.page.evaluate(expression))

        await eventually(holds, seconds=MOST_SECONDS)

    async def picture(self) -> Image.Image:
        """The map as it is seen now, in RGB."""
        return Image.open(io.BytesIO(await self.page.locator("#map").screenshot())).convert("RGB")

    async def drawn(self, collection: str) -> list[dict[str, Any]]:
        """Features of the collection that are on the screen, with the ids and properties of the tiles.

        These have the properties that the map draws by; `known` asks for all.
        """
        features: list[dict[str, Any]] = await self.page.evaluate(
            """(id) => {
                const ofCollection = (layer) => layer['source-layer'] === id;
                const layers = map.getStyle().layers.filter(ofCollection).map(({ id }) => id);
                return map.queryRenderedFeatures({ layers }).map(({ id, properties }) => ({ id, properties }));
            }""",
            collection,
        )
        return features

    async def known(self, collection: str) -> list[dict[str, Any]]:
        """Features of the collection that are on the screen, as the service knows them."""
        ids = sorted({feature["id"] for feature in await self.drawn(collection)})
        features: list[dict[str, Any]] = []
        for first in range(0, len(ids), _AT_ONCE):
            wanted = ",".join(str(id_) for id_ in ids[first : first + _AT_ONCE])
            url = f"{self.base_url}/collections/{collection}/items?limit={_AT_ONCE}&f=geojson&ids={wanted}"
            features += (await (await self.page.request.get(url)).json())["features"]
        assert len(features) == len(ids)
        return features

    async def colours(self) -> dict[tuple[int, int, int], int]:
        """Colours of the map, without the panels on it, with the number of pixels of each."""
        image = Image.open(io.BytesIO(await self.page.locator("canvas.maplibregl-canvas").screenshot())).convert("RGB")
        return counted_colours(image.crop((360, 0, image.width - 60, image.height - 120)))

    def elsewhere(self) -> list[str]:
        """Requests to other hosts."""
        host = urlsplit(self.base_url).netloc
        return [url for url in self.requests if url.startswith("http") and urlsplit(url).netloc != host]


ARCHIVE = "/map#c=hazard.hazard_eq_events,hazard.hazard_ts_events,hazard.hazard_fl_events"
"""Path of the map of all collections with the events of all times; without a state it opens on the present."""


def map_of(collection: str, matrix_set: str = "WebMercatorQuad") -> str:
    """The path of a collection's map."""
    return f"/collections/{collection}/tiles/{matrix_set}/map.html"


async def items(stack: RunningStack, collection: str, **parameters: str) -> list[dict[str, Any]]:
    """Features of a collection, as the service gives them."""
    url = f"{stack.base_url}/collections/{collection}/items"
    async with aiohttp.ClientSession() as session, session.get(url, params=parameters) as response:
        features: list[dict[str, Any]] = (await response.json(content_type=None))["features"]
        return features


def counted_colours(image: Image.Image) -> dict[tuple[int, int, int], int]:
    """Colours of a picture in RGB, with the number of pixels of each."""
    counted = image.getcolors(image.width * image.height)
    assert counted is not None
    return {colour: number for number, colour in counted if isinstance(colour, tuple)}  # type: ignore[misc]


def near(colours: dict[tuple[int, int, int], int], wanted: str, tolerance: int = 40) -> int:
    """Number of pixels whose channels are all near those of `#rrggbb`."""
    target = [int(wanted[at : at + 2], 16) for at in (1, 3, 5)]
    return sum(
        number
        for colour, number in colours.items()
        if all(abs(a - b) <= tolerance for a, b in zip(colour, target, strict=True))
    )


def browser_program() -> str | None:
    """Where the system's browser is; none where playwright has brought its own."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


NewVisit = Callable[..., Awaitable[Visit]]
"""Opens a page: width, height and options of the browser context."""

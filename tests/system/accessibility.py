"""The faults that axe finds on a page: all rules of WCAG 2.0, 2.1 and 2.2, levels A and AA, and its best practices."""

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page

_OPTIONS = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    # axe has it off, as many pages fail it
    "rules": {"target-size": {"enabled": True}},
    # passed rules are not reported: for a table with hundreds of cells that would be megabytes
    "resultTypes": ["violations"],
}
_KINDS = ("violations", "passes", "incomplete", "inapplicable")
_LONGEST = 3000


async def faults(page: Page) -> str:
    """Return the faults of the page as it is now, as text; empty if there are none."""
    results = await Axe().run(page, options=_OPTIONS)
    asked = {rule["id"] for kind in _KINDS for rule in results.response[kind]}
    assert {"target-size", "nested-interactive", "color-contrast"} <= asked
    return results.generate_report()[:_LONGEST] if results.violations_count else ""

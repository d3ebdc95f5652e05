import pytest

from libs.ogc.errors import NotAcceptable
from libs.ogc.media_type import name_format
from libs.web.negotiation import negotiate, prefers_html

ITEMS = ("application/geo+json", "text/html", "application/json", "text/csv")
TILE = ("application/vnd.mapbox-vector-tile",)
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"


@pytest.fixture(autouse=True)
def csv_is_named() -> None:
    """As the service whose format it is does at its start."""
    name_format("csv", "text/csv", "CSV")


@pytest.mark.parametrize(
    ("f", "accept", "chosen"),
    [
        (None, None, "application/geo+json"),
        (None, "*/*", "application/geo+json"),
        (None, "", "application/geo+json"),
        ("csv", "text/html", "text/csv"),
        (None, BROWSER, "text/html"),
        (None, "application/json, application/javascript, text/javascript, text/json", "application/json"),
        (None, "text/csv;q=0.5, application/geo+json;q=0.6", "application/geo+json"),
        (None, "text/*", "text/html"),
        (None, "text/html;q=0, text/*", "text/csv"),
        (None, "application/json;charset=utf-8", "application/json"),
        (None, 'application/json;profile="x"', "application/json"),
        (None, "text/html;level=1, text/csv;q=0.1", "text/csv"),
        (None, "text/html;q=broken, text/csv;q=0.1", "text/csv"),
        (None, ",, text/csv ,", "text/csv"),
        # a named type has priority over one that a wildcard covers, and a type with a wildcard over all types
        (None, "*/*, text/csv", "text/csv"),
        (None, "*/*, text/*", "text/html"),
        (None, "text/csv;q=0.2, */*;q=0.1", "text/csv"),
        (None, "text/csv;q=7, application/json;q=-1", "text/csv"),
        # a weight above 1 counts as 1
        (None, "text/csv;q=7, application/json;q=1", "application/json"),
        (None, f"{'x/y, ' * 200}text/csv", "text/csv"),
        # of several ranges the most specific one sets the weight of a type
        (None, "application/geo+json;q=0.1, application/*;q=0.9", "application/json"),
        (None, "application/*;q=0.9, application/geo+json;q=0.1", "application/json"),
        (None, "text/*;q=0.1, */*;q=0.5", "application/geo+json"),
        (None, "text/javascript;q=0.1, application/*;q=0.5, text/html;q=0.3", "application/geo+json"),
        (None, "TEXT/CSV", "text/csv"),
        (None, "text/csv; Q=0.2, text/html ; q=0.3", "text/html"),
        (None, "text/csv; q = 0.2, text/html;q=0.3", "text/html"),
        (None, "text/html;q=nan, text/csv;q=0.3", "text/csv"),
        (None, "text/csv;charset=utf-8;q=0.2, text/html;q=0.3", "text/html"),
    ],
)
def test_what_is_chosen(f: str | None, accept: str | None, chosen: str) -> None:
    assert negotiate(ITEMS, f, accept) == chosen


def test_the_accept_header_of_old_java_clients_still_gets_a_tile() -> None:
    assert negotiate(TILE, None, "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2") == TILE[0]


@pytest.mark.parametrize("accept", ["image/png", "text/html;q=0", "application/geo+json;q=0, image/*"])
def test_nothing_that_fits_is_an_error_that_names_the_offers(accept: str) -> None:
    with pytest.raises(NotAcceptable, match="application/geo"):
        negotiate(("application/geo+json", "text/html")[: 1 if "html" in accept else 2], None, accept)


DOCUMENT = "application/vnd.oai.openapi+json;version=3.0"


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        ("application/vnd.oai.openapi+json", DOCUMENT),
        (DOCUMENT, DOCUMENT),
        ("application/vnd.oai.openapi+json; version=3.0", DOCUMENT),
        ("application/vnd.oai.openapi+json;version=3.1, application/json;q=0.1", "application/json"),
        (f"{DOCUMENT};q=0.1, application/json;q=0.2", "application/json"),
    ],
)
def test_a_type_with_a_parameter_is_meant_without_it_and_not_with_another(accept: str, chosen: str) -> None:
    assert negotiate(("application/json", DOCUMENT), None, accept) == chosen


def test_a_script_type_means_json() -> None:
    assert negotiate(("text/html", "application/json"), None, "text/javascript") == "application/json"
    # a type that others use for it has lower priority than a named one
    schema = "application/schema+json"
    assert negotiate((schema, "application/json"), None, "application/json") == "application/json"
    assert negotiate((schema, "text/html"), None, "application/json, */*") == schema
    assert negotiate(("text/html", schema), None, "application/json, application/*, text/*") == schema


def test_errors_are_pages_for_browsers_only() -> None:
    assert prefers_html(BROWSER)
    assert not prefers_html("*/*")
    assert not prefers_html("application/json, text/html;q=0.5")
    assert not prefers_html(None)
    assert not prefers_html("text/html;q=0, image/png")
    assert prefers_html("text/html, application/json")
    assert prefers_html("Text/HTML")
    assert not prefers_html("text/html;q=0.8, application/json;q=0.9")


def test_unknown_format_is_an_error_that_names_the_formats() -> None:
    with pytest.raises(NotAcceptable, match=r"^f=csv is not offered here$"):
        negotiate(TILE, "csv", None)
    for has_f, said in ((True, r"text/csv \(f=csv\), text/x-odd$"), (False, r"text/csv, text/x-odd$")):
        with pytest.raises(NotAcceptable, match=rf"^none of the accepted media types is offered; offered are {said}"):
            negotiate(("text/csv", "text/x-odd"), None, "image/png", has_f=has_f)

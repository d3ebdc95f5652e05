"""What is where in the gateway's run directory (`GATEWAY_DIR`), which is nginx's prefix."""

PUBLISHED = "published/openapi.json"
KNOWN_PARTS = "parts"
ERROR_PAGES = "errors"
CACHE = "cache"
COUNTS = "counts.log"
"""What became of each request, a line for each, until it is counted."""
DRAINING = "draining"
"""While this file is there, answers end their connections, so that none is left on which a client may ask."""

FOLDERS = (
    *("published", KNOWN_PARTS, ERROR_PAGES),
    *(CACHE, "tmp/body", "tmp/proxy", "tmp/fastcgi", "tmp/uwsgi", "tmp/scgi"),
)

BASE_ADDRESS_PLACEHOLDER = "http://base-address.invalid/api"
"""Stands in the published document for the address that the client used."""

"""The layout of the gateway's run directory (`DAMS_GATEWAY_DIR`), which is nginx's prefix."""

PUBLISHED = "published/openapi.json"
KNOWN_PARTS = "parts"
ERROR_PAGES = "errors"
CACHE = "cache"
COUNTS = "counts.log"
"""A line per request with its result, until it is counted."""
DRAINING = "draining"
"""While this file exists, responses close their connections, so that no client reuses one."""

FOLDERS = (
    *("published", KNOWN_PARTS, ERROR_PAGES),
    *(CACHE, "tmp/body", "tmp/proxy", "tmp/fastcgi", "tmp/uwsgi", "tmp/scgi"),
)

BASE_ADDRESS_PLACEHOLDER = "http://base-address.invalid/api"
"""Placeholder in the published document for the address that the client used."""

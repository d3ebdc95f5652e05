"""What is where in the gateway's run directory (`GATEWAY_DIR`), which is nginx's prefix."""

PUBLISHED = "published/openapi.json"
KNOWN_PARTS = "parts"
ERROR_PAGES = "errors"
CACHE = "cache"

FOLDERS = (
    *("published", KNOWN_PARTS, ERROR_PAGES),
    *(CACHE, "tmp/body", "tmp/proxy", "tmp/fastcgi", "tmp/uwsgi", "tmp/scgi"),
)

BASE_ADDRESS_PLACEHOLDER = "http://base-address.invalid/api"
"""Stands in the published document for the address that the client used."""

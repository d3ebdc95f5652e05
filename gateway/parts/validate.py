"""`python -m gateway.parts.validate` reads a document, and writes why it is not valid OpenAPI, or nothing.

A separate program: it only runs when parts have changed, and its libraries would take 20 MB in the gateway.
"""

from __future__ import annotations

import sys

import orjson
from openapi_spec_validator import validate
from openapi_spec_validator.validation.exceptions import OpenAPIValidationError


def fault(document: bytes) -> str:
    """Return the fault of an OpenAPI document in JSON in one line; empty if it is valid."""
    try:
        validate(orjson.loads(document))
    except OpenAPIValidationError as error:
        place = "/".join(str(step) for step in getattr(error, "absolute_path", ()))
        return f"{place}: {str(error).splitlines()[0][:300]}"
    return ""


if __name__ == "__main__":
    sys.stdout.write(fault(sys.stdin.buffer.read()))

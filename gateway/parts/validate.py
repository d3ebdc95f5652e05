"""`python -m gateway.parts.validate` reads a document, and writes what keeps it from being valid OpenAPI, or nothing.

A program, as it is needed where the parts have changed alone, and its libraries would be 20 MB of the gateway.
"""

from __future__ import annotations

import sys

import orjson
from openapi_spec_validator import validate
from openapi_spec_validator.validation.exceptions import OpenAPIValidationError


def fault(document: bytes) -> str:
    """What is wrong with an OpenAPI document in JSON, in one line; empty where nothing is."""
    try:
        validate(orjson.loads(document))
    except OpenAPIValidationError as error:
        place = "/".join(str(step) for step in getattr(error, "absolute_path", ()))
        return f"{place}: {str(error).splitlines()[0][:300]}"
    return ""


if __name__ == "__main__":
    sys.stdout.write(fault(sys.stdin.buffer.read()))

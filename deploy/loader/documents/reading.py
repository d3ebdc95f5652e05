"""Read documents as JSON or CSV, and refuse others with a sentence."""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson

from deploy.loader.source import Document, DocumentError

_BEGINNING = 4096
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def json_of(document: Document) -> Any:
    """Return the content of a JSON document. Raises DocumentError."""
    text = document.path.read_bytes().removeprefix(_BYTE_ORDER_MARK)
    _refuse_pages(document, text[:_BEGINNING])
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        # the standard library also accepts NaN and lone surrogates, so that only the record with them is rejected
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DocumentError(f"{document.address} is not JSON, or not whole: {error}") from error


def features_of(document: Document) -> list[Any]:
    """Return the unchecked features of a GeoJSON document. Raises DocumentError."""
    content = json_of(document)
    features = content.get("features") if isinstance(content, dict) else None
    if not isinstance(features, list):
        raise DocumentError(f"{document.address} has no list of features")
    return features


def csv_rows(document: Document, columns: Iterable[str], one_of: Sequence[str] = ()) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV document with a header, by column. It must have all `columns`, and one of `one_of`.

    Raises DocumentError at once if columns are missing or the last line is truncated; later if a row is not valid CSV.
    """
    with document.path.open("rb") as file:
        beginning = file.read(_BEGINNING)
        _refuse_pages(document, beginning)
        file.seek(0, 2)
        file.seek(max(0, file.tell() - _BEGINNING))
        ending = file.read()
    lines = beginning.decode("utf-8-sig", "replace").splitlines()
    header = [name.strip() for name in next(csv.reader(lines[:1]), [])]
    if missing := [name for name in columns if name not in header]:
        raise DocumentError(f"{document.address} has no column {', '.join(missing)}; it has {', '.join(header)[:200]}")
    if one_of and not set(one_of) & set(header):
        raise DocumentError(f"{document.address} has no column {' or '.join(one_of)}; it has {', '.join(header)[:200]}")
    if not ending.endswith((b"\n", b"\r")) and _fields(ending) < len(header):
        raise DocumentError(f"{document.address} is not whole: its last line breaks off")
    return _rows(document, header)


def _rows(document: Document, header: list[str]) -> Iterator[dict[str, str]]:
    # bytes that are not UTF-8 become surrogates, so that only the row with them is rejected
    with document.path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as text:
        reader = csv.reader(text)
        try:
            next(reader)
            for row in reader:
                if row:
                    yield dict(zip(header, row, strict=False))
        except csv.Error as error:
            raise DocumentError(f"{document.address} is not CSV: {error}") from error


def _fields(ending: bytes) -> int:
    last = ending.rpartition(b"\n")[2].decode("utf-8", "replace")
    return len(next(csv.reader([last]), []))


def _refuse_pages(document: Document, beginning: bytes) -> None:
    text = beginning.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if re.match(r"<(!doctype html|html|head|body)", text, re.IGNORECASE):
        title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        said = f" called {title[1].strip()[:80]!r}" if title else ""
        raise DocumentError(f"{document.address} is a page for people{said}, not data")

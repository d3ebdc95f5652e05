"""`Accept-Encoding` headers and whether they allow gzip and Brotli, for all tests of code that reads them."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping

import brotli

DECODED: Mapping[str | None, Callable[[bytes], bytes]] = {
    "br": brotli.decompress,
    "gzip": gzip.decompress,
    None: bytes,
}
"""The functions that decode each `Content-Encoding`."""

TAKES_GZIP: dict[str, bool] = {
    "gzip": True,
    "GZip": True,
    "x-gzip": True,
    "gzip, deflate, br, zstd": True,
    "br;q=1.0, gzip;q=0.8, *;q=0.1": True,
    "deflate,gzip": True,
    "gzip ; q=0.5": True,
    "gzip;q=0.001": True,
    "gzip;q=1.000": True,
    "gzip;Q=1": True,
    "*": True,
    "*;q=0.5": True,
    "identity, *": True,
    "identity;q=0, gzip": True,
    # a named coding has priority over the star, in any order
    "*;q=0, gzip": True,
    "gzip, *;q=0": True,
    "*, gzip;q=0": False,
    "gzip;q=0, *": False,
    "x-gzip;q=0, *;q=1": False,
    "gzip;q=0": False,
    "gzip; q=0.0": False,
    "gzip;q=0.000 , br": False,
    "*;q=0": False,
    "identity": False,
    "br": False,
    "": False,
    ",": False,
    # other codings with any name
    "notgzip": False,
    "gzipped": False,
    "gzip2, br": False,
    "my-gzip;q=1": False,
    "br;gzip": False,
    "br;level=gzip": False,
    # words that are not understood
    "gzip;q=": False,
    "gzip;q=high": False,
    "gzip;q=-1": False,
    "gzip;level=9": False,
    "gzip;q=1;x=y": False,
    "gzip;q=0.5 br": False,
    "gzip br": False,
    "* gzip": False,
}

TAKES_BROTLI: dict[str, bool] = {
    "br": True,
    "BR;q=0.1": True,
    "gzip, deflate, br, zstd": True,
    "br;q=0, gzip": False,
    "gzip": False,
    "broad, abr": False,
    "br2": False,
    # clients that accept anything get the encoding that every client can read
    "*": False,
    "": False,
}

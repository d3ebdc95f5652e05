"""Unpack compressed documents."""

import gzip
import zlib
from pathlib import Path

from deploy.loader.source import DocumentError

_PIECE = 1024 * 1024


def unpack_file(path: Path, folder: Path, most_bytes: int) -> Path:
    """Return the file without its gzip, in `folder`; any other file unchanged. Sources read Zip archives themselves.

    Raises DocumentError if it is truncated, damaged or larger than `most_bytes`.
    """
    with path.open("rb") as file:
        if file.read(2) != b"\x1f\x8b":
            return path
    plain = folder / f"{path.name.removesuffix('.gz')}.plain"
    size = 0
    try:
        with gzip.open(path) as compressed, plain.open("wb") as file:
            while piece := compressed.read(_PIECE):
                size += len(piece)
                if size > most_bytes:
                    raise DocumentError(f"{path.name} is larger than {most_bytes:,} bytes when unpacked")
                file.write(piece)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DocumentError(f"{path.name} is not whole: {error}") from error
    return plain

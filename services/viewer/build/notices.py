"""The notices of third parties: licence and copyright of everything that browsers get from others."""

import json
import re
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

NOTICES = "notices.txt"

_FILES = re.compile(r"(licen[cs]e|copying|notice)(\.|-|$)|.*\.license\.txt$", re.IGNORECASE)
_DATA = """\
Data

Basemap and search: Natural Earth, public domain. Places: GeoNames, Creative Commons Attribution 4.0
(https://creativecommons.org/licenses/by/4.0/).
The licence of each collection is in its description.
"""


def write_notices(modules: Path, packages: Iterable[str], target: Path) -> str:
    """Write the notices of npm packages below `modules` into `target`; return the file's hashed name.

    Raises ValueError for a package that states no licence, FileNotFoundError for one that is missing.
    """
    parts = [
        "This file lists the software, fonts and data of third parties in the pages of this service.\n",
        *(_notice(modules / name) for name in sorted({*packages})),
        _DATA,
    ]
    content = f"\n{'-' * 80}\n\n".join(parts).encode()
    name = f"notices-{blake2b(content, digest_size=6).hexdigest()}.txt"
    (target / name).write_bytes(content)
    return name


def _notice(folder: Path) -> str:
    described = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    texts = [
        file.read_text(encoding="utf-8").strip()
        for file in sorted(folder.iterdir())
        if file.is_file() and _FILES.match(file.name)
    ]
    licence = described.get("license")
    if not texts and not licence:
        raise ValueError(f"{folder.name} states no licence; it must not be served")
    address = described.get("homepage", "")
    head = f"{described['name']} {described['version']}, licence: {licence or 'below'} {address}".strip()
    return "\n\n".join([head, *texts]) + "\n"

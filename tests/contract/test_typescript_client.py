"""A TypeScript client with openapi-typescript's types of the published document compiles and reads."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.contract.conftest import COLLECTION, Api

pytestmark = pytest.mark.system

_MODULES = Path(__file__).parents[2] / "services" / "viewer" / "node_modules"
_CLIENT = Path(__file__).parent / "generated" / "client.ts"
_STRICT = ("--strict", "--noEmit", "--skipLibCheck", "--lib", "es2022,dom", "--target", "es2022")


def _run(folder: Path, program: str, *arguments: str) -> str:
    # addresses of the stack are local, even if the machine has a proxy
    environment = {**os.environ, "no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"}
    result = subprocess.run(
        [program, *arguments], cwd=folder, capture_output=True, text=True, check=False, env=environment
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_it_compiles_and_reads(api: Api, tmp_path: Path) -> None:
    programs = _MODULES / ".bin"
    (tmp_path / "node_modules").symlink_to(_MODULES)
    (tmp_path / "openapi.json").write_text(json.dumps(api.document))
    shutil.copy(_CLIENT, tmp_path)
    _run(tmp_path, str(programs / "openapi-typescript"), "openapi.json", "-o", "api.d.ts")
    _run(tmp_path, str(programs / "tsc"), *_STRICT, "--module", "esnext", "--moduleResolution", "bundler", _CLIENT.name)
    bundle = ("--bundle", "--platform=node", "--format=esm", "--outfile=client.mjs", "--log-level=error")
    _run(tmp_path, str(programs / "esbuild"), _CLIENT.name, *bundle)
    found = json.loads(_run(tmp_path, "node", "client.mjs", api.base, COLLECTION))

    assert COLLECTION in found["ids"]
    wanted = {"bbox": "-180,0,180,90", "network": "us"}
    expected = api.get(
        f"/collections/{COLLECTION}/items", {**wanted, "limit": "5", "sortby": "-magnitude", "f": "geojson"}
    ).json()
    assert found["features"] == expected["features"]
    assert len(found["features"]) == 5
    assert found["matched"] == expected["numberMatched"]
    assert found["loc"] == ["query", "filter"]
    tile = api.get(f"/collections/{COLLECTION}/tiles/WebMercatorQuad/0/0/0", {**wanted, "limit": "5"}).body
    assert found["bytes"] == len(tile) > 0

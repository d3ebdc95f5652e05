"""Browser scripts, styles and libraries under names that hold the hash of their content, so they never expire."""

import json
import os
import shutil
import subprocess
from hashlib import blake2b
from pathlib import Path

_VIEWER = Path(__file__).parents[1]
_MODULES = _VIEWER / "node_modules"

# pages: each script is split so that libraries form files of their own, loaded when they are needed
_ENTRIES = ("map.js", "docs.js", "engines/maplibre/worker.js", "styles/map.css", "styles/docs.css")

# used as they are: Swagger UI is a classic script
_COPIES = {
    "swagger-ui.js": "swagger-ui-dist/swagger-ui-bundle.js",
    "swagger-ui.css": "swagger-ui-dist/swagger-ui.css",
}


def build_assets(target: Path) -> dict[str, str]:
    """Fill `target` with the assets. Returns name to hashed name (`map.js` to `map-<hash>.js`); names are paths of
    our scripts and styles in `browser/`, such as `engines/maplibre/engine-maplibre.js`, and file names of libraries.

    Raises subprocess.CalledProcessError where a script does not build, FileNotFoundError where a library is
    missing (`npm ci` brings them).
    """
    target.mkdir(parents=True)
    names = _bundle(target)
    for name, source in _COPIES.items():
        names[name] = _copy(_MODULES / source, name, target)
    return names


def _bundle(target: Path) -> dict[str, str]:
    metafile = target.parent / "bundle.json"
    subprocess.run(  # noqa: S603 a fixed program of ours
        [
            str(_MODULES / ".bin" / "esbuild"),
            *_ENTRIES,
            "--bundle",
            "--splitting",
            "--format=esm",
            "--minify",
            "--target=es2022",
            "--charset=utf8",
            "--legal-comments=eof",
            "--log-level=warning",
            "--loader:.woff2=file",
            "--outbase=.",
            "--entry-names=[name]-[hash]",
            "--chunk-names=[name]-[hash]",
            "--asset-names=[name]-[hash]",
            f"--outdir={target}",
            f"--metafile={metafile}",
        ],
        check=True,
        cwd=_VIEWER / "browser",
        env={**os.environ, "NODE_PATH": str(_MODULES)},
    )
    outputs = json.loads(metafile.read_text(encoding="utf-8"))["outputs"]
    metafile.unlink()
    entries = (
        (Path(output["entryPoint"]), Path(path).name) for path, output in outputs.items() if "entryPoint" in output
    )
    # a library's place is outside the folder of our scripts
    return {entry.name if entry.parts[0] == ".." else entry.as_posix(): hashed for entry, hashed in entries}


def _copy(source: Path, name: str, target: Path) -> str:
    digest = blake2b(source.read_bytes(), digest_size=6).hexdigest()
    hashed = f"{Path(name).stem}-{digest}{Path(name).suffix}"
    shutil.copyfile(source, target / hashed)
    return hashed

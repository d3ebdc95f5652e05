"""Make a release: `make release` writes the source archive, images, lists of packages, checksums and their signature.

Each step is checked: the archive against the commit, images by starting their programs, the signature with its key.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
SUMS = "SHA256SUMS"
SIGNERS = "allowed_signers"
_NAMESPACE = "dams-release"
_SIGNER = "dams"
_CHECKS = {
    "services/common": ("DAMS_DATABASE_URL=postgresql://localhost/x", "python -m services.common --check-config"),
    "services/features": ("DAMS_DATABASE_URL=postgresql://localhost/x", "python -m services.features --check-config"),
    "services/tiles": ("DAMS_DATABASE_URL=postgresql://localhost/x", "python -m services.tiles --check-config"),
    "services/viewer": ("", "python -m services.viewer --check-config"),
    "gateway": ("", "python -m gateway --check-config"),
    "deploy/database": ("", "python -m deploy.database --help"),
    "deploy/loader": ("", "python -m deploy.loader --help"),
    "deploy/impact": ("", "python -m deploy.impact --help"),
}
"""Folder of each image: a setting that its program needs, and the command that shows that the image works."""


class ReleaseError(Exception):
    """The release cannot be made; the message says why."""


def version_of(repository: Path) -> str:
    """Return the version. Raises ReleaseError if changelog or tags of images name another one."""
    version = str(tomllib.loads((repository / "pyproject.toml").read_text())["project"]["version"])
    found = re.search(r"^## (\S+) - \d{4}-\d{2}-\d{2}$", (repository / "CHANGELOG.md").read_text(), re.MULTILINE)
    newest = re.sub(r"-(alpha|beta)\.", lambda kind: kind[1][0], found[1]) if found else "none"
    if newest != version:
        raise ReleaseError(f"pyproject.toml has version {version}, and the newest one in CHANGELOG.md is {newest}")
    tags = set(
        re.findall(
            r"name: dams-\w+, newTag: (\S+)}", (repository / "deploy/kubernetes/base/kustomization.yaml").read_text()
        )
    )
    if tags != {version}:
        raise ReleaseError(f"version {version} is not the tag of all images in deploy/kubernetes/base: {sorted(tags)}")
    return version


def write_archive(repository: Path, version: str, folder: Path) -> Path:
    """Write the sources of the commit; the same commit gives the same bytes. Raises ReleaseError for other changes."""
    if changed := _run(["git", "status", "--porcelain"], repository):
        raise ReleaseError(f"the checkout has changes that no commit has:\n{changed}")
    name = f"dams-{version}"
    plain = subprocess.run(
        ["git", "archive", "--format=tar", f"--prefix={name}/", "HEAD"],
        cwd=repository,
        check=True,
        capture_output=True,
    ).stdout
    archive = folder / f"{name}.tar.gz"
    archive.write_bytes(gzip.compress(plain, 9, mtime=0))
    return archive


def write_sums(folder: Path) -> Path:
    """Write the digest of each file below the folder, for `sha256sum --check`."""
    unsigned = {SUMS, f"{SUMS}.sig", SIGNERS}
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.name not in unsigned)
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(folder)}\n" for file in files]
    sums = folder / SUMS
    sums.write_text("".join(lines))
    return sums


def sign(sums: Path, key: Path) -> None:
    """Sign the digests with a key of SSH, and check the signature. Raises ReleaseError."""
    public = Path(f"{key}.pub").read_text().split()
    (sums.parent / SIGNERS).write_text(f'{_SIGNER} namespaces="{_NAMESPACE}" {public[0]} {public[1]}\n')
    sums.with_name(f"{SUMS}.sig").unlink(missing_ok=True)
    _run(["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", _NAMESPACE, SUMS], sums.parent)
    verify(sums.parent)


def verify(folder: Path) -> None:
    """Check the signature and all digests of a release. Raises ReleaseError."""
    command = ["ssh-keygen", "-Y", "verify", "-f", SIGNERS, "-I", _SIGNER, "-n", _NAMESPACE, "-s", f"{SUMS}.sig"]
    _run(command, folder, (folder / SUMS).read_bytes())
    _run(["sha256sum", "--check", "--strict", "--quiet", SUMS], folder)


def build_images(repository: Path, version: str) -> Iterable[str]:
    """Build and start each image; yield a line with its name and digest. Raises ReleaseError."""
    for folder, (setting, command) in _CHECKS.items():
        image = f"dams-{folder.rpartition('/')[2]}:{version}"
        _run(["docker", "build", "--quiet", "--file", f"{folder}/Dockerfile", "--tag", image, "."], repository)
        environment = ["--env", setting] if setting else []
        _run(["docker", "run", "--rm", "--network=none", *environment, image, *command.split()], repository)
        yield f"{image} {_run(['docker', 'image', 'inspect', '--format', '{{.Id}}', image], repository)}\n"


def _run(command: list[str], folder: Path, given: bytes | None = None) -> str:
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, input=given)
    if done.returncode != 0:
        raise ReleaseError(f"`{' '.join(command)}` failed: {(done.stderr or done.stdout).decode().strip()[-2000:]}")
    return done.stdout.decode().strip()


def main() -> int:
    """Make the release; return the exit code: 0 done, 1 failed with a message."""
    parser = argparse.ArgumentParser(prog="make release", description=__doc__)
    parser.add_argument("--folder", type=Path, default=REPOSITORY / ".local/release", help="where it is written")
    parser.add_argument("--sbom", type=Path, default=REPOSITORY / ".local/sbom", help="the lists of packages")
    parser.add_argument("--key", type=Path, help="private key of SSH that signs the checksums; KEY.pub is beside it")
    parser.add_argument("--no-images", action="store_true", help="without a container engine")
    arguments = parser.parse_args()
    try:
        version = version_of(REPOSITORY)
        folder = arguments.folder / version
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        write_archive(REPOSITORY, version, folder)
        shutil.copytree(arguments.sbom, folder / "sbom")
        if not arguments.no_images:
            with (folder / "images.txt").open("w") as file:
                file.writelines(build_images(REPOSITORY, version))
        sums = write_sums(folder)
        if arguments.key:
            sign(sums, arguments.key)
        else:
            sys.stderr.write("warning: without --key the release is not signed\n")
    except (ReleaseError, OSError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    sys.stdout.write(f"{sums.read_text()}version {version} is in {folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

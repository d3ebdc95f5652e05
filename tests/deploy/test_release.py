"""A release: its version, the archive of the sources, checksums, and a signature that notices every change."""

from __future__ import annotations

import subprocess
import tarfile
from pathlib import Path

import pytest

from deploy.release import REPOSITORY, ReleaseError, sign, verify, version_of, write_archive, write_sums


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


@pytest.fixture
def key(tmp_path: Path) -> Path:
    file = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(file)], check=True)
    return file


@pytest.fixture
def release(tmp_path: Path, repository: Path, key: Path) -> Path:
    folder = tmp_path / "release"
    (folder / "sbom").mkdir(parents=True)
    (folder / "sbom/tiles.cdx.json").write_text("{}")
    write_archive(repository, "1.0.0", folder)
    sign(write_sums(folder), key)
    return folder


def test_changelog_images_and_project_have_one_version() -> None:
    assert version_of(REPOSITORY)


def test_a_version_without_a_changelog_entry_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "2.0.0"\n')
    (tmp_path / "CHANGELOG.md").write_text("## 1.0.0-beta.2 - 2026-11-28\n")
    with pytest.raises(ReleaseError, match=r"version 2\.0\.0, and the newest one in CHANGELOG\.md is 1\.0\.0b2"):
        version_of(tmp_path)


def test_the_same_commit_gives_the_same_archive(repository: Path, tmp_path: Path) -> None:
    first = write_archive(repository, "1.0.0", tmp_path).read_bytes()
    assert write_archive(repository, "1.0.0", tmp_path).read_bytes() == first
    with tarfile.open(tmp_path / "dams-1.0.0.tar.gz") as archive:
        assert "dams-1.0.0/a.txt" in archive.getnames()


def test_changes_without_a_commit_are_refused(repository: Path, tmp_path: Path) -> None:
    (repository / "a.txt").write_text("two\n")
    with pytest.raises(ReleaseError, match="changes that no commit has"):
        write_archive(repository, "1.0.0", tmp_path)


def test_a_signed_release_is_verified(release: Path) -> None:
    verify(release)
    assert {line.split()[1] for line in (release / "SHA256SUMS").read_text().splitlines()} == {
        "dams-1.0.0.tar.gz",
        "sbom/tiles.cdx.json",
    }


@pytest.mark.parametrize("changed", ["dams-1.0.0.tar.gz", "sbom/tiles.cdx.json", "SHA256SUMS"])
def test_a_change_after_the_signature_is_noticed(release: Path, changed: str) -> None:
    with (release / changed).open("a") as file:
        file.write("x")
    with pytest.raises(ReleaseError, match="failed"):
        verify(release)


def test_a_signature_of_another_key_is_refused(release: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(other)], check=True)
    signers = (release / "allowed_signers").read_text()
    sign(write_sums(release), other)
    (release / "allowed_signers").write_text(signers)
    with pytest.raises(ReleaseError, match="ssh-keygen"):
        verify(release)

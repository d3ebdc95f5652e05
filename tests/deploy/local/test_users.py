"""The user that services, gateway and Redis run as where root starts the stack."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from deploy.local.doctor import check_settings
from deploy.local.settings import REPOSITORY, StackError
from deploy.local.users import FOLDERS, USER, can_read, choose_user, command_as, hand_over

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="all run as the user who started them")


def said(command: Sequence[str]) -> str:
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout


def test_a_command_becomes_the_users_and_may_open_its_output_by_name() -> None:
    nobody = pwd.getpwnam("nobody")
    script = 'id -u; id -G; echo "$HOME" >/dev/stdout'
    assert said(command_as("nobody", ("sh", "-c", script))).splitlines() == [
        str(nobody.pw_uid),
        str(nobody.pw_gid),
        nobody.pw_dir,
    ]
    assert said(command_as(None, ("id", "-u"))) == "0\n"


def test_a_port_that_is_roots_is_the_one_right_that_is_kept() -> None:
    rights = said(command_as("nobody", ("grep", "-E", "^(Uid|Cap...|NoNewPrivs)", "/proc/self/status"), low_port=True))
    found = {name.rstrip(":"): values for name, *values in map(str.split, rights.splitlines())}
    assert set(found.pop("Uid")) == {str(pwd.getpwnam("nobody").pw_uid)}
    assert found.pop("NoNewPrivs") == ["1"]
    only_to_bind = f"{1 << 10:016x}"
    assert found == {f"Cap{kind}": [only_to_bind] for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")}


def test_what_an_earlier_start_left_becomes_the_users(tmp_path: Path) -> None:
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "folder"
    elsewhere.touch()
    (folder / "cache").mkdir(parents=True)
    (folder / "cache" / "tile").touch()
    (folder / "link").symlink_to(elsewhere)
    for user, owner in (("nobody", pwd.getpwnam("nobody").pw_uid), (None, 0)):
        hand_over(folder, user)
        found = {path: path.lstat().st_uid for path in (folder, *folder.rglob("*"))}
        assert set(found.values()) == {owner}
        assert len(found) == 4
        assert folder.stat().st_mode & 0o777 == 0o750
        assert elsewhere.stat().st_uid == 0


def test_one_that_cannot_get_there_is_not_used(tmp_path: Path) -> None:
    # pytest's folders are root's alone
    for name in FOLDERS:
        (tmp_path / name).mkdir()
    with pytest.raises(StackError, match=rf"no user {USER}|user {USER} must be able to get into .*{tmp_path.name}"):
        choose_user(tmp_path)


def test_a_collections_file_that_services_cannot_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        pwd.getpwnam(USER)
    except KeyError:
        pytest.skip(f"there is no user {USER}")
    if can_read(Path("/etc/shadow")):
        pytest.skip(f"the user {USER} cannot enter the checkout: services run as root")
    # pytest's folders are closed to others
    hidden = tmp_path / "town.yaml"
    hidden.write_text("{}")
    assert can_read(REPOSITORY / "Makefile") is True
    assert can_read(hidden) is False
    monkeypatch.setenv("DAMS_COLLECTIONS_CONFIG", str(hidden))
    with pytest.raises(StackError, match=f"the user {USER}, as whom services run, cannot read {hidden}"):
        check_settings()

"""The settings with which a user starts a stack, and the errors for values that do not fit."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

from deploy.local.ports import choose_ports, is_free, require_free
from deploy.local.programs import Program, gateway_program, port_names, service_programs, spare_names
from deploy.local.settings import REPOSITORY, StackError, StackSettings, read_settings
from deploy.local.state import StateFolder
from deploy.local.supervision import configuration_text


def test_defaults() -> None:
    settings = read_settings({"DAMS_DATABASE_URL": "", "DAMS_TILES_PROCESSES": " "})
    assert settings == StackSettings(state_dir=REPOSITORY / ".local")


def test_a_relative_folder_is_one_of_the_checkout() -> None:
    assert read_settings({"DAMS_STATE_DIR": "x/y"}).state_dir == REPOSITORY / "x/y"
    assert read_settings({"DAMS_STATE_DIR": "/x/y"}).state_dir == Path("/x/y")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DAMS_GATEWAY_PORT", "http"),
        ("DAMS_GATEWAY_PORT", "0"),
        ("DAMS_GATEWAY_PORT", "70000"),
        ("DAMS_TILES_PROCESSES", "0"),
        ("DAMS_TILES_PROCESSES", "-1"),
    ],
)
def test_a_wrong_value_is_named(variable: str, value: str) -> None:
    with pytest.raises(StackError, match=f"{variable}.*{re.escape(repr(value))}"):
        read_settings({variable: value})


def test_existing_servers_need_no_ports() -> None:
    own = port_names(read_settings({}))
    existing = port_names(read_settings({"DAMS_DATABASE_URL": "postgresql://x/y", "DAMS_REDIS_URL": "redis://x"}))
    assert set(own) - set(existing) == {"postgresql", "redis"}


def test_ports_are_free_different_and_remembered(tmp_path: Path) -> None:
    names = [f"program_{number}" for number in range(20)]
    first = choose_ports(names, {}, tmp_path)
    assert len(set(first.values())) == len(names)
    assert all(is_free(port) for port in first.values())
    assert choose_ports(names, first, tmp_path) == first
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", first["program_3"]))
        taken.listen()
        second = choose_ports(names, first, tmp_path)
    assert {name for name in names if first[name] != second[name]} == {"program_3"}
    assert len(set(second.values())) == len(names)


def test_the_gateways_port_is_not_chosen_for_another(tmp_path: Path) -> None:
    port = choose_ports(["x"], {}, tmp_path)["x"]
    assert choose_ports(["x"], {}, tmp_path, avoid=port)["x"] != port
    assert choose_ports(["x"], {"x": port}, tmp_path, avoid=port)["x"] != port


def test_a_taken_port_is_explained() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(StackError, match=f"port {port} is taken.*DAMS_GATEWAY_PORT={port + 1}"):
            require_free(port)
    require_free(port)


def test_every_process_of_tiles_is_an_upstream(tmp_path: Path) -> None:
    settings = StackSettings(state_dir=tmp_path, tiles_processes=3)
    ports = {name: 1000 + number for number, name in enumerate(port_names(settings))}
    names = ("tiles_0", "tiles_1", "tiles_2")
    by_tcp = gateway_program(settings, StateFolder(tmp_path), ports, None, None).environment
    assert by_tcp["DAMS_TILES_UPSTREAM"] == ",".join(f"127.0.0.1:{ports[name]}" for name in names)
    by_sockets = gateway_program(settings, StateFolder(tmp_path), ports, Path("/x"), None).environment
    assert by_sockets["DAMS_TILES_UPSTREAM"] == ",".join(f"unix:/x/services/{name}" for name in names)
    listening = [program.socket for program in service_programs(settings, ports, Path("/x"), None)]
    assert {Path("/x/services") / name for name in names} <= set(listening)


def test_a_service_with_one_process_has_a_spare_one(tmp_path: Path) -> None:
    settings = StackSettings(state_dir=tmp_path, features_processes=2, tiles_processes=1)
    assert spare_names(settings) == ["common_spare", "tiles_spare", "viewer_spare"]
    ports = {name: 1000 + number for number, name in enumerate(port_names(settings))}
    environment = gateway_program(settings, StateFolder(tmp_path), ports, Path("/x"), None).environment
    assert environment["DAMS_TILES_UPSTREAM"] == "unix:/x/services/tiles_0,unix:/x/services/tiles_spare backup"
    assert environment["DAMS_FEATURES_UPSTREAM"] == "unix:/x/services/features_0,unix:/x/services/features_1"


def test_secrets_are_private_and_stay(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path)
    secret = folder.secret("owner-password")
    assert len(secret) == 48
    assert folder.secret("owner-password") == secret
    assert folder.secret("reader-password") != secret
    file = folder.secret_file("owner-password")
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_damaged_state_is_explained(tmp_path: Path) -> None:
    (tmp_path / "stack.json").write_text('{"ports": ')
    with pytest.raises(StackError, match=r"stack\.json is damaged"):
        StateFolder(tmp_path).load()


def test_the_supervisor_expands_nothing(tmp_path: Path) -> None:
    program = Program("x", ("/bin/echo", "100%", "a b"), 1, {"NAME": "50%"})
    text = configuration_text([program], StateFolder(tmp_path), 2)
    assert "command=/bin/echo 100%% 'a b'" in text
    assert 'environment=NAME="50%%"' in text

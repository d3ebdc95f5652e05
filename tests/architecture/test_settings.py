"""The table of settings says what the program reads, with its defaults: every program is made with both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from gateway.settings import GatewaySettings
from libs.web.settings import SettingsError
from services.common.settings import Settings as CommonSettings
from services.features.settings import Settings as FeaturesSettings
from services.tiles.settings import Settings as TilesSettings
from services.viewer.settings import Settings as ViewerSettings
from tests.architecture.documents import code_in, page

READERS: Mapping[str, Callable[[Mapping[str, str]], object]] = {
    "common": CommonSettings.from_env,
    "features": FeaturesSettings.from_env,
    "tiles": TilesSettings.from_env,
    "viewer": ViewerSettings.from_env,
    "gateway": GatewaySettings.from_env,
}
SERVICES = [name for name in READERS if name != "gateway"]
# what must be there, and what is read with something else alone
SURROUNDINGS = {
    "DATABASE_URL": "postgresql://reader@host/db",
    "GATEWAY_DIR": "/run/dams",
    "BASEMAP_TILES": "https://tiles.example.org/{z}/{x}/{y}.png",
    "BASEMAP_ATTRIBUTION": "Example",
}
ODD = "odd"
"""A value that no setting has by default: it is refused, or makes other settings."""


def documented() -> list[tuple[str, list[str], str]]:
    """(variable, programs that read it, its default) of each line; several defaults belong to as many programs."""
    found = []
    for variable, default, readers, _ in page("docs/operations.md").table("variable", "default", "read by", "meaning"):
        [name] = code_in(variable)
        programs = [
            each for reader in readers.content.split(", ") for each in (SERVICES if reader == "services" else [reader])
        ]
        defaults = code_in(default) or [default.content]
        if len(defaults) == 1:
            found.append((name, programs, defaults[0]))
        else:
            found += [(name, [program], value) for program, value in zip(programs, defaults, strict=True)]
    return found


def values(settings: object) -> Any:
    """Settings as plain values, which can be compared."""
    if isinstance(settings, Mapping):
        return {name: values(value) for name, value in settings.items()}
    if isinstance(settings, (list, tuple)):
        return [values(value) for value in settings]
    names = getattr(type(settings), "__slots__", None) or getattr(settings, "__dict__", None)
    if type(settings).__module__.split(".")[0] in ("libs", "services", "gateway") and names:
        return {name: values(getattr(settings, name)) for name in names}
    return settings


def made(program: str, **changes: str | None) -> Any:
    """The program's settings, or why it refuses them."""
    env = {name: value for name, value in (SURROUNDINGS | changes).items() if value is not None}
    try:
        return values(READERS[program](env))
    except SettingsError as error:
        return str(error)


def is_read(program: str, variable: str) -> bool:
    return bool(made(program, **{variable: ODD}) != made(program, **{variable: None}))


@pytest.mark.parametrize("program", READERS)
def test_each_setting_is_read_by_whom_the_table_says(program: str) -> None:
    told = {variable for variable, programs, _ in documented() if program in programs}
    read = {variable for variable, *_ in documented() if is_read(program, variable)}
    assert read == told


@pytest.mark.parametrize(
    ("program", "variable", "default"),
    [(program, variable, default) for variable, programs, default in documented() for program in programs],
)
def test_the_default_is_the_one_of_the_table(program: str, variable: str, default: str) -> None:
    without = made(program, **{variable: None})
    if default == "required":
        assert without == f"{variable} is not set"
    elif variable in SURROUNDINGS:
        assert default == "none"
    elif default == "none":
        assert made(program, **{variable: ""}) == without
        assert not isinstance(without, str)
    else:
        assert made(program, **{variable: default}) == without
        assert not isinstance(without, str)

"""Every setting is documented as its program declares it, reaches a stack, and is printed without its secret."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic_core import PydanticUndefined

from deploy.local.programs import PASSED_ON
from deploy.local.settings import StackSettings
from libs.web.setting_names import NAMES, SECRETS
from libs.web.settings import EnvironmentSettings, SettingsError
from tests.architecture.documents import REPOSITORY, code_in, page
from tests.architecture.programs import SERVICES, SETTINGS

VARIABLES = sorted({variable for model in SETTINGS.values() for variable in model.variables()})


def readers(variable: str) -> set[str]:
    return {program for program, model in SETTINGS.items() if variable in model.variables()}


def as_written(default: Any) -> str:
    """Return the default in the form that a person would write."""
    if default is PydanticUndefined:
        return "required"
    if default is None:
        return "none"
    if isinstance(default, bool):
        return "yes" if default else "no"
    return ",".join(default) if isinstance(default, tuple) else str(default)


@pytest.mark.parametrize("variable", VARIABLES)
def test_a_setting_is_documented(variable: str) -> None:
    rows = page("docs/operations.md").table("variable", "default", "read by", "meaning")
    [(_, default, read_by, _)] = [row for row in rows if code_in(row[0]) == [variable]]
    defaults = {as_written(SETTINGS[program].variables()[variable]) for program in readers(variable)}
    assert set(code_in(default) or [default.content]) == defaults
    named = set(read_by.content.split(", "))
    assert (named - {"services"}) | (set(SERVICES) if "services" in named else set()) == readers(variable)


def test_no_setting_is_documented_that_there_is_not() -> None:
    rows = page("docs/operations.md").table("variable", "default", "read by", "meaning")
    assert {variable for cell, *_ in rows for variable in code_in(cell)} - set(VARIABLES) == set()


@pytest.mark.parametrize("variable", [variable for variable in VARIABLES if not variable.endswith("_UPSTREAM")])
def test_a_setting_reaches_the_local_stack(variable: str) -> None:
    """The stack either sets it, or passes it on; then a change restarts the stack."""
    chosen = (REPOSITORY / "deploy" / "local" / "programs.py").read_text().partition("PASSED_ON")[2].partition(")")[2]
    assert variable in PASSED_ON or f'"{variable}"' in chosen


@pytest.mark.parametrize("program", SETTINGS)
def test_a_secret_is_in_no_message(program: str) -> None:
    model = SETTINGS[program]
    secrets = {"DAMS_DATABASE_URL": "postgresql://me:hunter2@db/x", "DAMS_REDIS_URL": "redis://:hunter2@cache"}
    found = model.from_env({"DAMS_GATEWAY_DIR": "/x", **secrets})
    assert "hunter2" not in f"{found!r} {found!s}"
    with pytest.raises(SettingsError) as raised:
        model.from_env({"DAMS_LOG_LEVEL": "x", "DAMS_DATABASE_URL": "hunter2", "DAMS_REDIS_URL": "hunter2"})
    assert "hunter2" not in str(raised.value)
    assert raised.value.__suppress_context__


def test_each_secret_may_be_the_content_of_a_file() -> None:
    models: list[type[EnvironmentSettings]] = [*SETTINGS.values(), StackSettings]
    hidden = {str(f.validation_alias) for model in models for f in model.model_fields.values() if not f.repr}
    of_commands = {"DAMS_DATABASE_OWNER_URL", "DAMS_DATABASE_LOADER_URL", "DAMS_LOADER_EWDS_TOKEN"}
    assert hidden | of_commands == SECRETS


def test_names_near_which_others_are_misspelt_are_all_that_programs_read() -> None:
    of_tools = {
        "DAMS_DATABASE_OWNER_URL",
        "DAMS_DATABASE_LOADER_URL",
        "DAMS_DEMO_TODAY",
        "DAMS_LOADER_ADDRESSES",
        "DAMS_LOADER_CONTACT",
        "DAMS_LOADER_EWDS_TOKEN",
    }
    assert {*VARIABLES, *StackSettings.variables(), *of_tools} == NAMES

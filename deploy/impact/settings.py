"""Reads the section `exposure` of the collections files of DAMS_COLLECTIONS_CONFIG."""

import os

import yaml
from pydantic import BaseModel, ValidationError

from libs.catalogue.exposure import ExposureConfig
from libs.web.settings import EnvironmentSettings, Paths, SettingsError


class _Settings(EnvironmentSettings):
    collections_config: Paths | None = None


class _File(BaseModel):
    """The other sections are those of the service common."""

    exposure: ExposureConfig | None = None


def read_config() -> ExposureConfig:
    """Return the section of the last file that has it. Raise SettingsError."""
    found = ExposureConfig()
    for file in _Settings.from_env(os.environ).collections_config or ():
        try:
            content = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
            found = _File.model_validate(content).exposure or found
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise SettingsError(f"{file}: {error}") from None
        except ValidationError as error:
            faults = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
            raise SettingsError(f"{file}: {faults}") from None
    return found

"""The programs of a stack: how each is run, where it listens, how one sees that it is ready."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from deploy.local.postgresql import server_command, server_user
from deploy.local.settings import REPOSITORY, StackError, StackSettings
from deploy.local.state import StateFolder, write_private

PASSED_ON = (
    "BASEMAP_ATTRIBUTION",
    "BASEMAP_MAX_ZOOM",
    "BASEMAP_TILES",
    "CATALOGUE_REFRESH_SECONDS",
    "COLLECTIONS_CONFIG",
    "COLLECTION_SHARE",

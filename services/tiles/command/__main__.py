"""The `tiles` command: make, forget and look at tiles in the cache.

It uses the settings of the service from the environment, DATABASE_URL, REDIS_URL and CATALOGUE_URL above all.
"""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence

from libs.cache.commands import CacheAway
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.geo.zooms import IDS
from libs.ogc.errors import DomainError
from libs.web.settings import SettingsError
from services.tiles.command.area import Area
from services.tiles.command.inspect import inspect, purge
from services.tiles.command.seed import seed
from services.tiles.command.show import show
from services.tiles.resources import Resources, open_resources
from services.tiles.settings import Settings

OK, FAILED, WRONG_ARGUMENTS, INTERRUPTED = 0, 1, 2, 130


    settings = Settings.from_env(env).model_copy(update=_OF_THE_COMMAND)

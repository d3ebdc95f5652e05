"""Entry point of the tiles service."""

from libs.web.runner import run
from services.tiles.app import make

if __name__ == "__main__":
    run("tiles", make)

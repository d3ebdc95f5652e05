"""Entry point of the common service."""

from libs.web.runner import run
from services.common.app import make

if __name__ == "__main__":
    run("common", make)

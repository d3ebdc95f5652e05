"""Entry point of the features service."""

from libs.web.runner import run
from services.features.app import make

if __name__ == "__main__":
    run("features", make)

"""Entry point of the viewer service."""

from libs.web.runner import run
from services.viewer.app import make

if __name__ == "__main__":
    run("viewer", make)

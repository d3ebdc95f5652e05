"""What is asked of the cluster that kubectl leads to, and of the service in it."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

from tests.system.keeping import Client

MINUTES = 10
"""How long anything may take."""


def kubectl(*arguments: str, given: str | None = None) -> str:
    """What kubectl writes. Raises CalledProcessError where it fails, having written why."""
    done = subprocess.run(["kubectl", *arguments], input=given, stdout=subprocess.PIPE, check=True, text=True)
    return done.stdout


def make_secret(name: str, **values: str) -> None:
    """In the namespace of the service, anew where it is there."""
    lines = "\n".join(f"{key}={value}" for key, value in values.items())
    source = ("create", "secret", "generic", name, "--from-env-file=/dev/stdin", "--dry-run=client", "-o", "yaml")
    kubectl("-n", "dams", "apply", "-f", "-", given=kubectl("-n", "dams", *source, given=lines))


def rolled_out(part: str) -> None:
    """Returns when all pods of the part are the new ones."""
    kubectl("-n", "dams", "rollout", "status", f"deployment/{part}", f"--timeout={MINUTES}m")


def eventually(found: Callable[[], bool], what: str, *, seconds: float = MINUTES * 60) -> None:
    """Raises RuntimeError where it is not so in time. Something that cannot be asked at the moment is not so yet."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            if found():
                return
        except (subprocess.CalledProcessError, OSError):
            pass
        if time.monotonic() > deadline:
            raise RuntimeError(f"never: {what}")
        time.sleep(1)


def answered(base_url: str, path: str) -> None:
    """Returns when the service answers there with 200. Raises RuntimeError where it does not within a minute."""

    def found() -> bool:
        client = Client(base_url)
        try:
            return client.get(path).status == 200
        finally:
            client.close()

    eventually(found, f"{base_url}{path} answers", seconds=60)


def pods(selector: str) -> list[str]:
    """Names, each behind `pod/`."""
    return kubectl("-n", "dams", "get", "pods", "-l", selector, "-o", "name").split()

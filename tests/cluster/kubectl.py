"""What is asked of the cluster that kubectl leads to."""

from __future__ import annotations

import subprocess

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


def pods(selector: str) -> list[str]:
    """Names, each behind `pod/`."""
    return kubectl("-n", "dams", "get", "pods", "-l", selector, "-o", "name").split()

"""Commands for the cluster of kubectl, and for the service in it."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from tests.system.keeping import Client

MINUTES = 10
"""Maximum minutes of any step."""


def kubectl(*arguments: str, given: str | None = None) -> str:
    """Return kubectl's output. Raises CalledProcessError if it fails, after printing why."""
    done = subprocess.run(["kubectl", *arguments], input=given, stdout=subprocess.PIPE, check=True, text=True)
    return done.stdout


def make_secret(name: str, **values: str) -> None:
    """Create or replace a secret in the namespace of the service."""
    lines = "\n".join(f"{key}={value}" for key, value in values.items())
    source = ("create", "secret", "generic", name, "--from-env-file=/dev/stdin", "--dry-run=client", "-o", "yaml")
    kubectl("-n", "dams", "apply", "-f", "-", given=kubectl("-n", "dams", *source, given=lines))


def make_config_map(namespace: str, name: str, *files: Path) -> None:
    """Create or replace a config map of whole files."""
    source = ("create", "configmap", name, *(f"--from-file={file}" for file in files), "--dry-run=client", "-o", "yaml")
    kubectl("-n", namespace, "apply", "-f", "-", given=kubectl(*source))


def wait_for_rollout(part: str) -> None:
    """Return when all pods of the part are new."""
    kubectl("-n", "dams", "rollout", "status", f"deployment/{part}", f"--timeout={MINUTES}m")


def wait_until(found: Callable[[], bool], what: str, *, seconds: float = MINUTES * 60) -> None:
    """Wait until it is true. Raises RuntimeError on timeout. An error counts as not true yet."""
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


def wait_for_response(base_url: str, path: str) -> None:
    """Return when the service answers there with 200. Raises RuntimeError after a minute."""

    def found() -> bool:
        client = Client(base_url)
        try:
            return client.get(path).status == 200
        finally:
            client.close()

    wait_until(found, f"{base_url}{path} answers", seconds=60)


def pods(selector: str) -> list[str]:
    """Return names, each behind `pod/`."""
    return kubectl("-n", "dams", "get", "pods", "-l", selector, "-o", "name").split()


def run_python(script: str, **pod: object) -> str:
    """Return the script's output in a pod of another namespace; `pod` extends its specification."""
    run = ("-n", "dams-trial", "run", f"trial-{int(time.time())}", "--rm", "-i", "--quiet", "--restart=Never")
    image = ("--image=dams-database:1.0.0a1", f"--overrides={json.dumps({'spec': pod})}")
    return kubectl(*run, *image, "--command", "--", "python", "-c", script)


def kill_container(node: str, container: str) -> None:
    """Kill its processes from the node: from inside, the first of them cannot be killed."""
    script = (
        "import os, pathlib, signal\n"
        "for process in pathlib.Path('/proc').glob('[0-9]*'):\n"
        "    try:\n"
        f"        if {container!r} in (process / 'cgroup').read_text():\n"
        "            os.kill(int(process.name), signal.SIGKILL)\n"
        "            print('killed', process.name)\n"
        "    except (FileNotFoundError, ProcessLookupError):\n"
        "        pass\n"
    )
    if "killed" not in run_python(script, nodeName=node, hostPID=True, securityContext={"runAsUser": 0}):
        raise RuntimeError(f"{container} has no process on {node}")

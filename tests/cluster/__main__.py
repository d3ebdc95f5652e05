"""`python -m tests.cluster`: the manifests on the cluster that kubectl leads to, and what is lost while it changes.

Deploys an overlay, with a database of its own in the namespace `dams-trial`, and asks it without a pause while every
part is rolled out anew, its pods are killed and PostgreSQL is restarted; then looks from another namespace at what
the network policies are to forbid. The node must have the images (`docker compose build`, tag 1.0.0a0), and this
machine must reach the addresses of Services. Ends with 1 where an answer was lost or something else is not as it should
be. What it made stays for a look; `--delete` takes it away.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.system.keeping import Client
from tests.system.losing import EVENTS, Clients

_HERE = Path(__file__).parent
_OVERLAYS = _HERE.parents[1] / "deploy" / "kubernetes" / "overlays"
_PARTS = ("common", "features", "tiles", "viewer", "gateway")
_READER = "DATABASE_URL=postgresql://dams:trial-reader@postgresql.dams-trial:5432/dams"
_INSIDE = {"common": 8081, "features": 8082, "tiles": 8083, "viewer": 8084, "gateway-internal": 8090}
"""What other namespaces must not reach, by name of the Service."""
_MINUTES = 10
_NAMED_SECONDS = 35
"""Until the gateway knows a new pod at the latest: names that the cluster's DNS gives may be 30 seconds old."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.cluster", description=__doc__)
    parser.add_argument("--overlay", default="small", choices=sorted(path.name for path in _OVERLAYS.iterdir()))
    parser.add_argument("--clients", type=int, default=2, help="of each of five kinds of answers")
    parser.add_argument("--pause", type=float, default=0.02, help="seconds between two requests of a client")
    parser.add_argument("--only", default="", help="what happens, as far as its title holds this")
    parser.add_argument("--policies", action="store_true", help="the cluster's network enforces policies")
    parser.add_argument("--delete", action="store_true", help="take away what an earlier run made, and end")
    given = parser.parse_args()
    if given.delete:
        kubectl("delete", "namespace", "dams", "dams-trial", "--ignore-not-found")
        return 0
    deploy(given.overlay)
    address = kubectl("-n", "dams", "get", "service", "gateway", "-o", "jsonpath={.spec.clusterIP}")
    base_url = f"http://{address}/api"
    _answers(base_url)
    print(f"{base_url} answers", flush=True)
    chosen = [(title, change) for title, change in _changes() if given.only in title]
    lost = 0
    for title, change in chosen:
        found = _lost(base_url, title, change, clients=given.clients, pause=given.pause)
        # its only server is away until its container runs again: longer than requests wait
        lost += 0 if change is _database_restarted else found
    open_ports = reached_from_elsewhere()
    print(f"reached from another namespace: {', '.join(open_ports) or 'the gateway alone'}")
    return 1 if lost or (given.policies and open_ports) else 0


def kubectl(*arguments: str, given: str | None = None) -> str:
    """What kubectl writes. Raises CalledProcessError where it fails, having written why."""
    done = subprocess.run(["kubectl", *arguments], input=given, stdout=subprocess.PIPE, check=True, text=True)
    return done.stdout


def deploy(overlay: str) -> None:
    """Database and overlay, as the README of the manifests has it; returns when all is available."""
    kubectl("apply", "-f", str(_HERE / "database.yaml"))
    kubectl("-n", "dams-trial", "rollout", "status", "statefulset/postgresql", f"--timeout={_MINUTES}m")
    kubectl("-n", "dams-trial", "wait", "--for=condition=complete", "job/database", f"--timeout={_MINUTES}m")
    kubectl("apply", "-f", str(_OVERLAYS.parent / "base" / "namespace.yaml"))
    secret = (
        "create",
        "secret",
        "generic",
        "dams-database",
        "--from-env-file=/dev/stdin",
        "--dry-run=client",
        "-o",
        "yaml",
    )
    kubectl("-n", "dams", "apply", "-f", "-", given=kubectl("-n", "dams", *secret, given=_READER))
    kubectl("apply", "-k", str(_OVERLAYS / overlay))
    for part in _PARTS:
        _rolled_out(part)


def _answers(base_url: str) -> None:
    """Waits until names of pods that are new are known everywhere. Raises RuntimeError where they never are."""
    client, deadline = Client(base_url), time.monotonic() + 60
    while True:
        try:
            if client.get(f"{EVENTS}/items?limit=1").status == 200:
                return
        except OSError:
            client.close()
        if time.monotonic() > deadline:
            raise RuntimeError(f"{base_url} does not answer")
        time.sleep(1)


def reached_from_elsewhere() -> list[str]:
    """The Services, but for the gateway's, that a pod of another namespace can connect to.

    Raises CalledProcessError where not even the gateway answers it.
    """
    tried = {f"{name}.dams": port for name, port in {**_INSIDE, "gateway": 80}.items()}
    script = (
        "import json, socket, sys\n"
        f"for name, port in {tried!r}.items():\n"
        "    try:\n"
        "        socket.create_connection((name, port), 3).close()\n"
        "        print(name)\n"
        "    except OSError:\n"
        "        pass\n"
    )
    inside = ("-n", "dams-trial", "run", f"look-{int(time.time())}", "--rm", "-i", "--quiet", "--restart=Never")
    said = kubectl(*inside, "--image=dams-database:1.0.0a0", "--command", "--", "python", "-c", script).split()
    if "gateway.dams" not in said:
        raise subprocess.CalledProcessError(1, "look", output=f"a pod of another namespace reached {said}")
    return [name for name in said if name != "gateway.dams"]


def _changes() -> list[tuple[str, Callable[[], object]]]:
    """What happens to the cluster, one after the other."""
    return [
        *((f"{part} is rolled out", partial(_restarted, part)) for part in _PARTS),
        *((f"a pod of {part} is killed", partial(_killed, part)) for part in _PARTS),
        ("PostgreSQL is restarted", _database_restarted),
    ]


def _restarted(part: str) -> None:
    before = _pods(part)
    kubectl("-n", "dams", "rollout", "restart", f"deployment/{part}")
    _rolled_out(part)
    # the old processes answer to their end
    kubectl("-n", "dams", "wait", "--for=delete", *before, f"--timeout={_MINUTES}m")


def _killed(part: str) -> None:
    """One pod of the part, at once, while another one is there: with a single one there is nothing to answer."""
    kubectl("-n", "dams", "scale", f"deployment/{part}", "--replicas=2")
    _rolled_out(part)
    time.sleep(_NAMED_SECONDS)
    kubectl("-n", "dams", "delete", _pods(part)[0], "--grace-period=0", "--force", "--wait=false")
    _rolled_out(part)


def _pods(part: str) -> list[str]:
    return kubectl("-n", "dams", "get", "pods", "-l", f"app.kubernetes.io/name={part}", "-o", "name").split()


def _database_restarted() -> None:
    # its first process: the container ends and is started again, and with it the shell that asks for it
    command = ["kubectl", "-n", "dams-trial", "exec", "postgresql-0", "--", "sh", "-c", "kill -INT 1"]
    subprocess.run(command, check=False, stderr=subprocess.DEVNULL)
    time.sleep(1)
    kubectl("-n", "dams-trial", "wait", "--for=condition=ready", "pod/postgresql-0", f"--timeout={_MINUTES}m")


def _rolled_out(part: str) -> None:
    kubectl("-n", "dams", "rollout", "status", f"deployment/{part}", f"--timeout={_MINUTES}m")


def _lost(base_url: str, title: str, change: Callable[[], object], *, clients: int, pause: float) -> int:
    with Clients(base_url, clients=clients, pause=pause) as asking:
        time.sleep(2)
        started = time.monotonic()
        change()
        seconds = time.monotonic() - started
        time.sleep(5)
    total = asking.outcomes.total()
    print(
        f"{title}, {seconds:.0f} s: {sum(asking.lost.values())} lost of {total}, {total / (seconds + 7):.0f} a second,"
        f" the slowest {asking.slowest:.1f} s {asking.lost or ''}",
        flush=True,
    )
    return sum(asking.lost.values())


if __name__ == "__main__":
    sys.exit(main())

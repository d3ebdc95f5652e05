"""`python -m tools.cluster`: deploy the manifests to the cluster of kubectl, and count lost requests while it changes.

Deploys an overlay, with a database in the namespace `dams-trial`, and sends requests without a pause while it restarts
every part, kills its pods and restarts PostgreSQL. Then it checks from another namespace that the network policies
hold. `--overlay cloudnative-pg` uses the operator's database, which must exist: it moves, disconnects and kills the
primary, and writes a row all the time to see the age of responses. `--overlay requests-per-second` adds Prometheus and
its adapter, and load that scales features and tiles. The node must have the images (`docker compose build`, tag
1.0.0a1), and this machine must reach the addresses of Services. The exit status is 1 if a response was lost or a check
failed. The deployment stays for inspection; `--delete` removes it. `--several` deploys several processes and prints the
settings for running the tests of the whole service there.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.system.losing import EVENTS, Clients
from tools.cluster import cloudnative_pg, requests_per_second, several
from tools.cluster.kubectl import (
    MINUTES,
    kill_container,
    kubectl,
    make_secret,
    pods,
    run_python,
    wait_for_response,
    wait_for_rollout,
    wait_until,
)
from tools.cluster.writing import OLDEST_SECONDS, Writing

_HERE = Path(__file__).parent
_OVERLAYS = _HERE.parents[1] / "deploy" / "kubernetes" / "overlays"
_OPERATED = "cloudnative-pg"
_SERVICES = ("common", "features", "tiles", "viewer")
_PARTS = (*_SERVICES, "gateway")
_READER = "postgresql://dams:trial-reader@postgresql.dams-trial:5432/dams"
_OWNER = "dams_owner:trial-owner"
_INSIDE = {"common": 8081, "features": 8082, "tiles": 8083, "viewer": 8084, "redis": 6379, "gateway-internal": 8090}
"""Ports that other namespaces must not reach, by name of the Service."""
_PROCESS = "a process"
"""Prefix of the names of changes that kill a process."""
_CUT = "stream: IncompleteRead"
"""Error of a large page from a process that is killed."""
_NAMED_SECONDS = 35
"""Maximum seconds until the gateway knows a new pod: names from the cluster's DNS may be 30 seconds old."""


@dataclass(frozen=True)
class _Trial:
    """How the service is requested."""

    base_url: str
    clients: int
    pause: float
    overlay: str

    @property
    def is_operated(self) -> bool:
        """Whether its database belongs to the operator."""
        return self.overlay == _OPERATED


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.cluster", description=__doc__)
    parser.add_argument("--overlay", default="small", choices=sorted(path.name for path in _OVERLAYS.iterdir()))
    parser.add_argument("--clients", type=int, default=2, help="of each of five kinds of answers")
    parser.add_argument("--pause", type=float, default=0.02, help="seconds between two requests of a client")
    parser.add_argument("--only", default="", help="what happens, as far as its title holds this")
    parser.add_argument("--policies", action="store_true", help="the cluster's network enforces policies")
    parser.add_argument("--several", action="store_true", help="for tests/contract and tests/system; then end")
    parser.add_argument("--delete", action="store_true", help="take away what an earlier run made, and end")
    given = parser.parse_args()
    if given.delete:
        requests_per_second.forget()
        kubectl("delete", "namespace", "dams", "dams-trial", "--ignore-not-found")
        cloudnative_pg.forget_disks()
        return 0
    if given.several:
        kubectl("apply", "-f", str(_HERE / "namespace.yaml"))
        _database()
        several.deploy()
        print(several.variables_for_tests(_address(), _OWNER))
        return 0
    deploy(given.overlay)
    trial = _Trial(_address(), given.clients, given.pause, given.overlay)
    # names of new pods are not known everywhere at once
    wait_for_response(trial.base_url, f"{EVENTS}/items?limit=1")
    print(f"{trial.base_url} answers", flush=True)
    lost = 0
    for title, change in _changes(trial):
        if given.only in title:
            found = _count_lost_requests(trial, title, change)
            # its only server is unavailable until its container runs again: longer than requests wait
            lost += 0 if change is _database_restarted else found
    open_ports = reachable_services(trial)
    print(f"reached from another namespace: {', '.join(open_ports) or 'the gateway alone'}")
    return 1 if lost or (given.policies and open_ports) else 0


def _address() -> str:
    address = kubectl("-n", "dams", "get", "service", "gateway", "-o", "jsonpath={.spec.clusterIP}")
    return f"http://{address}/api"


def deploy(overlay: str) -> None:
    """Deploy database and overlay, as in the README of the manifests; returns when all is available."""
    kubectl("apply", "-f", str(_HERE / "namespace.yaml"))
    if overlay == _OPERATED:
        cloudnative_pg.deploy()
    else:
        _deploy_beside_a_database(overlay)
    for part in _PARTS:
        wait_for_rollout(part)


def _deploy_beside_a_database(overlay: str) -> None:
    _database()
    if overlay == requests_per_second.OVERLAY:
        kubectl("apply", "-k", str(requests_per_second.HERE))
        requests_per_second.deploy()
    else:
        kubectl("apply", "-k", str(_OVERLAYS / overlay))


def _database() -> None:
    """Deploy the demo data, and the secret with its address."""
    kubectl("apply", "-f", str(_HERE / "database.yaml"))
    kubectl("-n", "dams-trial", "rollout", "status", "statefulset/postgresql", f"--timeout={MINUTES}m")
    kubectl("-n", "dams-trial", "wait", "--for=condition=complete", "job/database", f"--timeout={MINUTES}m")
    kubectl("apply", "-f", str(_OVERLAYS.parent / "base" / "namespace.yaml"))
    make_secret("dams-database", DAMS_DATABASE_URL=_READER)


def reachable_services(trial: _Trial) -> list[str]:
    """Return Services, except the gateway's, and database pods that a pod of another namespace can connect to.

    Ports for Prometheus, which is in the same namespace, are left out. Raises CalledProcessError if not even the
    gateway answers it.
    """
    inside = {**_INSIDE, **(cloudnative_pg.INSIDE if trial.is_operated else {}), "gateway": 80}
    read = requests_per_second.ASKED if trial.overlay == requests_per_second.OVERLAY else {}
    tried = {f"{name}.dams": (f"{name}.dams", port) for name, port in inside.items() if name not in read}
    if trial.is_operated:
        tried |= cloudnative_pg.addresses()
    script = (
        "import socket\n"
        f"for name, address in {tried!r}.items():\n"
        "    try:\n"
        "        socket.create_connection(address, 3).close()\n"
        "        print(name)\n"
        "    except OSError:\n"
        "        pass\n"
    )
    said = run_python(script).split()
    if "gateway.dams" not in said:
        raise subprocess.CalledProcessError(1, "look", output=f"a pod of another namespace reached {said}")
    return [name for name in said if name != "gateway.dams"]


def _changes(trial: _Trial) -> list[tuple[str, Callable[[], object]]]:
    """Return the changes of the cluster, in order."""
    return [
        *((f"{part} is rolled out", partial(_restart, part)) for part in _PARTS),
        *((f"a pod of {part} is killed", partial(_kill, part)) for part in _PARTS),
        *((f"{_PROCESS} of {part} is killed", partial(_process_killed, part)) for part in _SERVICES),
        *(cloudnative_pg.changes() if trial.is_operated else [("PostgreSQL is restarted", _database_restarted)]),
        *(requests_per_second.changes(trial.base_url) if trial.overlay == requests_per_second.OVERLAY else ()),
    ]


def _restart(part: str) -> None:
    before = _pods(part)
    kubectl("-n", "dams", "rollout", "restart", f"deployment/{part}")
    wait_for_rollout(part)
    # the old processes answer until their end
    kubectl("-n", "dams", "wait", "--for=delete", *before, f"--timeout={MINUTES}m")


def _kill(part: str) -> None:
    """Kill one pod of the part at once."""
    kubectl("-n", "dams", "delete", _one_of_two(part), "--grace-period=0", "--force", "--wait=false")
    wait_for_rollout(part)


def _process_killed(part: str) -> None:
    """Kill the process of one pod, which is restarted in place, with the same address."""
    pod = _one_of_two(part)
    node, container, before = _run_of(pod)
    kill_container(node, container.rpartition("/")[2])
    wait_until(lambda: _run_of(pod)[2] != before, f"{pod} has another process")
    wait_for_rollout(part)


def _one_of_two(part: str) -> str:
    """Return a pod of the part if there is another one: a single one could not be replaced."""
    kubectl("-n", "dams", "scale", f"deployment/{part}", "--replicas=2")
    wait_for_rollout(part)
    time.sleep(_NAMED_SECONDS)
    return _pods(part)[0]


def _run_of(pod: str) -> list[str]:
    """Return its node, its container and its number of restarts."""
    status = "{.status.containerStatuses[0].containerID} {.status.containerStatuses[0].restartCount}"
    return kubectl("-n", "dams", "get", pod, "-o", f"jsonpath={{.spec.nodeName}} {status}").split()


def _pods(part: str) -> list[str]:
    return pods(f"app.kubernetes.io/name={part}")


def _database_restarted() -> None:
    # the first process: its container ends and restarts, including the shell of this command
    command = ["kubectl", "-n", "dams-trial", "exec", "postgresql-0", "--", "sh", "-c", "kill -INT 1"]
    subprocess.run(command, check=False, stderr=subprocess.DEVNULL)
    time.sleep(1)
    kubectl("-n", "dams-trial", "wait", "--for=condition=ready", "pod/postgresql-0", f"--timeout={MINUTES}m")


def _count_lost_requests(trial: _Trial, title: str, change: Callable[[], object]) -> int:
    with contextlib.ExitStack() as stack:
        writing = None
        if trial.is_operated:
            cloudnative_pg.ready()
            writing = stack.enter_context(Writing(cloudnative_pg.owner_url(), trial.base_url))
        asking = stack.enter_context(Clients(trial.base_url, clients=trial.clients, pause=trial.pause))
        time.sleep(2)
        started = time.monotonic()
        change()
        seconds = time.monotonic() - started
        time.sleep(5)
    total, lost = asking.outcomes.total(), sum(asking.lost.values())
    print(
        f"{title}, {seconds:.0f} s: {lost} lost of {total}, {total / (seconds + 7):.0f} a second,"
        f" the slowest {asking.slowest:.1f} s {asking.lost or ''}",
        flush=True,
    )
    if title.startswith(_PROCESS):
        # large responses in progress end visibly with the process
        lost -= sum(count for outcome, count in asking.lost.items() if outcome.startswith(_CUT))
    if writing is None:
        return lost
    print(
        f"  {writing.committed} commits, none for {writing.pause:.1f} s, {writing.lost_commits} confirmed and lost;"
        f" an answer was {writing.oldest:.1f} s old at the most, {writing.refused.total()} were not given"
        f" {dict(writing.refused) or ''}",
        flush=True,
    )
    return lost + writing.refused.total() + (writing.oldest > OLDEST_SECONDS)


if __name__ == "__main__":
    sys.exit(main())

"""The database of `overlays/cloudnative-pg`: its deployment, and its changes while the service gets requests."""

from __future__ import annotations

import json
import subprocess
import time
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools.cluster.kubectl import MINUTES, kubectl, make_secret, pods, wait_for_rollout, wait_until

HERE = Path(__file__).parent
CLUSTER = "dams-postgresql"
INSIDE = {f"{CLUSTER}-rw": 5432, f"{CLUSTER}-ro": 5432, f"{CLUSTER}-1": 5432, f"{CLUSTER}-pooler": 5432}
"""Ports that other namespaces must not reach, by name of the Service."""
_PORTS = {"instance": (5432, 8000, 9187), "pooler": (5432, 9127)}
"""Ports of a pod by role: for SQL, for the operator's checks of an instance, for metrics."""
_POOLER = f"{CLUSTER}-pooler"
_REPLICAS = 2
_OPERATOR = ("-n", "cnpg-system", "rollout", "status", "deployment/cnpg-controller-manager")


def deploy() -> None:
    """Return when database and service are available. The operator must be installed."""
    kubectl(*_OPERATOR, f"--timeout={MINUTES}m")
    if not kubectl("get", "storageclass", "-o", "name"):
        _make_disks()
    kubectl("apply", "-f", str(HERE.parents[2] / "deploy/kubernetes/base/namespace.yaml"))
    make_secret("dams-passwords", READER_PASSWORD="trialReader", LOADER_PASSWORD="trialLoader")
    kubectl("apply", "-k", str(HERE))
    kubectl("-n", "dams", "wait", "--for=condition=complete", "job/database", f"--timeout={MINUTES}m")
    wait_until(_is_healthy, "the database is healthy")
    wait_for_rollout(_POOLER)


def addresses() -> dict[str, tuple[str, int]]:
    """Return ports that other namespaces must not reach, by pod: some ports have no Service."""
    found = json.loads(kubectl("-n", "dams", "get", "pods", "-l", f"cnpg.io/cluster={CLUSTER}", "-o", "json"))["items"]
    return {
        f"{pod['metadata']['name']}:{port}": (pod["status"]["podIP"], port)
        for pod in found
        for port in _PORTS.get(pod["metadata"]["labels"].get("cnpg.io/podRole", ""), ())
    }


def forget_disks() -> None:
    """Delete what `deploy` created outside of namespaces; the node keeps the folders until the next `deploy`."""
    kubectl("delete", "persistentvolume", "--ignore-not-found", "-l", "app=dams-trial")


def _make_disks() -> None:
    """Create folders of the node, for a cluster without disks."""
    kubectl("apply", "-f", str(HERE / "disks.yaml"))
    kubectl("-n", "dams-trial", "wait", "--for=condition=complete", "job/disks", f"--timeout={MINUTES}m")


def changes() -> list[tuple[str, Callable[[], object]]]:
    """Return the changes of the database, in order. Each returns when all instances are healthy again."""
    return [
        ("PostgreSQL is switched over", _switch_over),
        ("the primary's pod is deleted by force", _primary_deleted),
        ("the primary's PostgreSQL is killed", _primary_killed),
        ("PostgreSQL's instances are restarted one by one", _instances_restarted),
        ("a pooler of two is killed", _pooler_killed),
    ]


def ready() -> None:
    """Return when each process reads all replicas, which it does except for minutes after a failover."""
    wait_until(_all_replicas_are_read, "replicas are read")


def owner_url() -> str:
    """Return the address of the primary for the owner, with the Service's IP: names only work in the cluster."""
    secret = json.loads(kubectl("-n", "dams", "get", "secret", f"{CLUSTER}-superuser", "-o", "json"))
    password = b64decode(secret["data"]["password"]).decode()
    address = kubectl("-n", "dams", "get", "service", f"{CLUSTER}-rw", "-o", "jsonpath={.spec.clusterIP}")
    return f"postgresql://postgres:{password}@{address}:5432/dams"


def _switch_over() -> None:
    """Switch over like `kubectl cnpg promote`."""
    new = pods(f"cnpg.io/cluster={CLUSTER},cnpg.io/instanceRole=replica")[0].removeprefix("pod/")
    status = {
        "targetPrimary": new,
        "targetPrimaryTimestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime()),
        "phase": "Switchover in progress",
        "phaseReason": f"Switching over to {new}",
    }
    patch = ("--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))
    kubectl("-n", "dams", "patch", f"cluster/{CLUSTER}", *patch)
    wait_until(lambda: _is_healthy() and _status()["currentPrimary"] == new, f"{new} is the primary")


def _primary_deleted() -> None:
    _apply_and_wait(
        lambda pod: kubectl("-n", "dams", "delete", f"pod/{pod}", "--grace-period=0", "--force", "--wait=false")
    )


def _primary_killed() -> None:
    _apply_and_wait(lambda pod: _in_pod(pod, 'kill -9 "$(head -n 1 "$PGDATA/postmaster.pid")"'))


def _apply_and_wait(change: Callable[[str], object]) -> None:
    """Apply the change to the primary's pod, and wait for the operator's reaction."""
    primary = _status()["currentPrimary"]
    before = _runs()
    change(primary)
    wait_until(lambda: _runs().get(primary) not in (None, before[primary]), f"{primary} runs anew")
    wait_until(_is_healthy, "the database is healthy")
    print(f"the primary was {primary}, and is {_status()['currentPrimary']}", flush=True)


def _instances_restarted() -> None:
    """Restart like `kubectl cnpg restart`: replicas first, then the primary."""
    before = _runs()
    mark = f"kubectl.kubernetes.io/restartedAt={time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}"
    kubectl("-n", "dams", "annotate", "--overwrite", f"cluster/{CLUSTER}", mark)
    wait_until(lambda: before.items().isdisjoint(_runs().items()) and _is_healthy(), "all instances run anew")


def _pooler_killed() -> None:
    first = pods(f"cnpg.io/poolerName={_POOLER}")[0]
    kubectl("-n", "dams", "delete", first, "--grace-period=0", "--force", "--wait=false")
    time.sleep(1)
    wait_for_rollout(_POOLER)


def _in_pod(pod: str, script: str) -> None:
    # the pod may end before it answers
    command = ["kubectl", "-n", "dams", "exec", pod, "-c", "postgres", "--", "sh", "-c", script]
    subprocess.run(command, check=False, stderr=subprocess.DEVNULL)


def _status() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(kubectl("-n", "dams", "get", f"cluster/{CLUSTER}", "-o", "json"))["status"]
    return found


def _is_healthy() -> bool:
    status = _status()
    return (
        status.get("phase") == "Cluster in healthy state"
        and status.get("readyInstances") == _REPLICAS + 1
        and status["currentPrimary"] == status["targetPrimary"]
    )


def _runs() -> dict[str, str]:
    """Return by instance the run of the container with its PostgreSQL."""
    selector = ("-l", f"cnpg.io/cluster={CLUSTER},cnpg.io/podRole=instance")
    found = json.loads(kubectl("-n", "dams", "get", "pods", *selector, "-o", "json"))["items"]
    return {
        pod["metadata"]["name"]: f"{pod['metadata']['uid']} {status['restartCount']}"
        for pod in found
        for status in pod["status"].get("containerStatuses", ())
    }


def _all_replicas_are_read() -> bool:
    return all(map(_reads_all, [*_processes("features"), *_processes("tiles")]))


def _processes(part: str) -> list[str]:
    port = {"features": 8082, "tiles": 8083}[part]
    names = [pod.removeprefix("pod/") for pod in pods(f"app.kubernetes.io/name={part}")]
    return [f"/api/v1/namespaces/dams/pods/{name}:{port}/proxy/internal/metrics" for name in names]


def _reads_all(metrics: str) -> bool:
    lines = kubectl("get", "--raw", metrics).splitlines()
    return sum(line.startswith("dams_replica_in_rotation{") and line.endswith(" 1.0") for line in lines) == _REPLICAS

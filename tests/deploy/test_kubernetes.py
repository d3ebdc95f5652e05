"""The manifests: valid against Kubernetes' schemas, and in step with the images and their settings."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from prometheus_client import REGISTRY

import deploy.loader.schedule.metrics  # noqa: F401 - they are registered
import libs.web.middleware  # noqa: F401 - so are these
from deploy.loader.command.arguments import parse
from deploy.loader.sources.registry import SOURCES, sources_to_watch
from gateway.folder import DRAINING
from libs.web.settings import WebSettings
from tests.architecture.documents import code_in, page
from tests.deploy.manifests import MANIFESTS, REPOSITORY, built, named, objects, pods, selected, settings_of_the_default

OVERLAYS = sorted((MANIFESTS / "overlays").iterdir())
TRIALS = sorted(file.parent for file in (REPOSITORY / "tools/cluster").glob("*/kustomization.yaml"))
VERSION = "1.30"
DOCKERFILES = {
    **{name: REPOSITORY / "services" / name / "Dockerfile" for name in ("common", "features", "tiles", "viewer")},
    "gateway": REPOSITORY / "gateway" / "Dockerfile",
}


@pytest.mark.parametrize("one", objects(), ids=lambda one: f"{one['kind']}-{one['metadata']['name']}")
def test_manifests_are_valid(one: Any) -> None:
    kubernetes_validate.validate(one, VERSION, strict=True)


def test_faults_would_be_found() -> None:
    wrong = yaml.safe_load((MANIFESTS / "base/namespace.yaml").read_text()) | {"metadat": {}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSION, strict=True)


def test_every_file_and_image_is_in_the_kustomization() -> None:
    kustomization = yaml.safe_load((MANIFESTS / "base/kustomization.yaml").read_text())
    files = {file.name for file in (MANIFESTS / "base").glob("*.yaml")} - {"kustomization.yaml"}
    assert set(kustomization["resources"]) == files
    assert {image["name"] for image in kustomization["images"]} == {
        f"dams-{name}" for name in (*DOCKERFILES, "loader", "impact")
    }


def test_images_have_the_tag_of_this_release() -> None:
    release = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["version"]
    for file in MANIFESTS.rglob("kustomization.yaml"):
        images = yaml.safe_load(file.read_text()).get("images", [])
        assert {image["newTag"] for image in images if image["name"].startswith("dams-")} <= {release}, file


def test_no_image_of_the_default_has_a_tag_that_moves() -> None:
    found = [one["spec"]["template"]["spec"] for one in built(MANIFESTS) if one["kind"] == "Deployment"]
    tags = [container["image"].partition(":")[2] for pod in found for container in pod["containers"]]
    assert len(tags) == 7
    assert [tag for tag in tags if not re.match(r"\d+\.\d+\.\d+", tag)] == []


def test_changed_settings_restart_the_pods(tmp_path: Path) -> None:
    def name(folder: Path) -> str:
        found = built(folder)
        (settings,) = [one["metadata"]["name"] for one in found if one["kind"] == "ConfigMap"]
        for one in found:
            if one["kind"] == "Deployment" and one["metadata"]["name"] in DOCKERFILES:
                (container,) = one["spec"]["template"]["spec"]["containers"]
                assert {"configMapRef": {"name": settings}} in container["envFrom"]
        return str(settings)

    changed = tmp_path / "kubernetes"
    shutil.copytree(MANIFESTS, changed)
    with (changed / "base/settings.env").open("a") as file:
        file.write("DAMS_SITE_TITLE=Ours\n")
    assert name(changed) != name(MANIFESTS)


@pytest.mark.parametrize("example", ["ingress", "gateway-api", "service-monitor"])
def test_an_example_leads_to_services_that_there_are(example: str, tmp_path: Path) -> None:
    shutil.copytree(MANIFESTS, tmp_path / "kubernetes")
    folder = tmp_path / "kubernetes/example"
    folder.mkdir()
    components = ["../components/redis", f"../components/{example}"]
    wanted = {"namespace": "dams", "resources": ["../base"], "components": components}
    (folder / "kustomization.yaml").write_text(yaml.safe_dump(wanted))
    found = built(folder)
    services = {one["metadata"]["name"]: one for one in found if one["kind"] == "Service"}
    (settings,) = [one["data"] for one in found if one["kind"] == "ConfigMap"]
    if example == "service-monitor":
        monitors = [one["spec"] for one in found if one["kind"] == "ServiceMonitor"]
        scraped = {
            (name, endpoint["port"])
            for monitor in monitors
            for name, service in services.items()
            if service["metadata"].get("labels", {}).get("app.kubernetes.io/name") in selected(monitor["selector"])
            for endpoint in monitor["endpoints"]
            if endpoint["port"] in {port["name"] for port in service["spec"]["ports"]}
        }
        wanted_ports = {(name, "http") for name in DOCKERFILES if name != "gateway"}
        assert scraped == wanted_ports | {("gateway-internal", "internal")}
        return
    (route,) = [one for one in found if one["kind"] in {"Ingress", "HTTPRoute"}]
    if route["kind"] == "Ingress":
        kubernetes_validate.validate(route, VERSION, strict=True)
        host = route["spec"]["rules"][0]["host"]
        backend = route["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
        assert backend == {"name": "gateway", "port": {"name": "http"}}
    else:
        host = route["spec"]["hostnames"][0]
        assert route["spec"]["rules"][0]["backendRefs"] == [{"name": "gateway", "port": 80}]
    assert services["gateway"]["spec"]["ports"][0]["name"] == "http"
    assert settings["DAMS_PUBLIC_URL"] == f"https://{host}/api"


@pytest.mark.parametrize("folder", [MANIFESTS, *OVERLAYS, *TRIALS], ids=lambda folder: folder.name)
def test_what_is_applied_is_valid_and_knows_its_database_and_redis(folder: Path) -> None:
    found = built(folder)
    for one in found:
        # the operator's own kinds have no schema here
        if not one["apiVersion"].startswith("postgresql.cnpg.io/"):
            kubernetes_validate.validate(one, VERSION, strict=True)
        assert one["kind"] == "Namespace" or one["metadata"]["namespace"] == "dams"
    containers = {
        one["metadata"]["name"]: one["spec"]["template"]["spec"]["containers"][0]
        for one in found
        if one["kind"] == "Deployment"
    }
    for name in ("common", "features", "tiles"):
        secrets = [source["secretRef"]["name"] for source in containers[name]["envFrom"] if "secretRef" in source]
        own = {variable["name"] for variable in containers[name].get("env", [])}
        assert ("dams-database" in secrets) != ("DAMS_DATABASE_URL" in own)
    (settings,) = [one["data"] for one in found if one["kind"] == "ConfigMap"]
    outside = {"secretRef": {"name": "dams-redis"}} in containers["tiles"]["envFrom"]
    assert outside != ("DAMS_REDIS_URL" in settings)
    assert outside != ("redis" in containers)


def test_each_instance_of_the_operator_has_its_address() -> None:
    found = built(MANIFESTS / "overlays/cloudnative-pg")
    (cluster,) = [one for one in found if one["kind"] == "Cluster"]
    name, count = cluster["metadata"]["name"], cluster["spec"]["instances"]
    instances = [f"{name}-{number}" for number in range(1, count + 1)]
    selected = {
        one["metadata"]["name"]: one["spec"]["selector"].get("cnpg.io/instanceName")
        for one in found
        if one["kind"] == "Service" and one["metadata"]["name"].startswith(name)
    }
    assert selected == dict(zip(instances, instances, strict=True))
    for one in found:
        if one["kind"] == "Deployment" and one["metadata"]["name"] in {"features", "tiles"}:
            (container,) = one["spec"]["template"]["spec"]["containers"]
            own = {each["name"]: each.get("value", "") for each in container["env"]}
            assert re.findall(r"@([a-z0-9-]+):5432/dams(?:,|$)", own["DAMS_DATABASE_READ_URLS"]) == instances
            assert own["DAMS_DATABASE_URL"].endswith("@dams-postgresql-pooler:5432/dams")


def test_the_small_one_fits_two_processors_while_all_of_it_is_replaced() -> None:
    found = built(MANIFESTS / "overlays/small")
    requests = [
        one["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"]["cpu"]
        for one in found
        if one["kind"] == "Deployment"
    ]
    assert all(one["spec"].get("replicas", 1) == 1 for one in found if one["kind"] == "Deployment")
    assert {one["spec"]["minReplicas"] for one in found if one["kind"] == "HorizontalPodAutoscaler"} == {1}
    assert 2 * sum(int(cpu.removesuffix("m")) for cpu in requests) < 1500


@pytest.mark.parametrize("name", DOCKERFILES)
def test_what_may_run_several_times_is_spread_and_taken_away_one_by_one(name: str) -> None:
    labels = {"matchLabels": {"app.kubernetes.io/name": name}}
    assert named("PodDisruptionBudget", name)["spec"] == {"maxUnavailable": 1, "selector": labels}
    spread = named("Deployment", name)["spec"]["template"]["spec"]["topologySpreadConstraints"]
    assert {each["topologyKey"] for each in spread} == {"kubernetes.io/hostname", "topology.kubernetes.io/zone"}
    assert all(each["labelSelector"] == labels for each in spread)


def test_a_pod_has_the_time_to_end() -> None:
    for name, pod, container in pods():
        if name not in DOCKERFILES:
            continue
        command = " ".join(container["lifecycle"]["preStop"]["exec"]["command"])
        seconds = int(re.findall(r"sleep (\d+)", command)[0])
        # requests that have begun may take ten seconds more
        assert seconds + 10 < pod.get("terminationGracePeriodSeconds", 30)
        if name == "gateway":
            assert f"touch /run/dams/{DRAINING}" in command
        else:
            # kubeadm's CoreDNS lets addresses live for 30 s
            assert seconds > 30


@pytest.mark.parametrize("name", DOCKERFILES)
def test_a_deployment_is_in_step_with_its_image(name: str) -> None:
    _, pod, container = next(found for found in pods() if found[0] == name)
    dockerfile = DOCKERFILES[name].read_text()
    assert container["image"] == f"dams-{name}"
    assert container["ports"][0]["containerPort"] == int(re.findall(r"^EXPOSE (\d+)$", dockerfile, re.MULTILINE)[0])
    assert f"--uid {pod['securityContext']['runAsUser']}" in dockerfile
    assert container["readinessProbe"]["httpGet"]["path"] == "/internal/health/ready"
    # a probe that checks the database must not restart anything
    for probe in ("startupProbe", "livenessProbe"):
        assert container[probe]["httpGet"]["path"] == "/internal/health/live"
    # a folder that the process writes to must not be in the image
    folder = re.findall(r"\b(?:DAMS_STATE_DIR|DAMS_GATEWAY_DIR)=(\S+)", dockerfile)[0]
    assert {mount["mountPath"] for mount in container["volumeMounts"]} == {folder, "/tmp"}  # noqa: S108
    assert ({"secretRef": {"name": "dams-database"}} in container["envFrom"]) == (
        name in {"common", "features", "tiles"}
    )


def test_each_source_that_is_published_has_a_job_and_an_alarm() -> None:
    jobs = {name: (pod, container) for name, pod, container in pods() if container["image"] == "dams-loader"}
    loaded = {}
    for name, (pod, container) in jobs.items():
        asked = parse(container["command"][3:])
        (loaded[name],) = asked.what
        # a source's data since a time differ from its current data: only some sources name revised and deleted events
        assert (asked.since is not None) == SOURCES[loaded[name]].catches_up
        assert f"--uid {pod['securityContext']['runAsUser']}" in (REPOSITORY / "deploy/loader/Dockerfile").read_text()
    assert loaded == {f"loader-{source}": source for source in sources_to_watch()}
    # their role writes, so no other pod may have its password, except the worker of impacts
    holders = {name for name, _, one in pods() if {"secretRef": {"name": "dams-loader"}} in one.get("envFrom", [])}
    assert holders == jobs.keys() | {"impact"}
    alarms = yaml.safe_load((REPOSITORY / "deploy/loader/alarms.yaml").read_text())["groups"]
    said = " ".join(rule["expr"] for group in alarms for rule in group["rules"])
    covered = [name for names in re.findall(r'cronjob=~"loader-\(([^)]*)\)"', said) for name in names.split("|")]
    assert sorted(covered) == sorted(sources_to_watch())
    # a counter is exposed with an ending that its name has not
    known = {f"{each.name}_total" if each.type == "counter" else each.name for each in REGISTRY.collect()}
    assert set(re.findall(r"dams_loader_\w+", said)) <= known


def test_the_overlay_for_live_data_watches_instead_of_running_jobs() -> None:
    found = built(MANIFESTS / "overlays/live")
    assert not [one for one in found if one["kind"] == "CronJob"]
    (watcher,) = [one for one in found if one["kind"] == "Deployment" and one["metadata"]["name"] == "loader"]
    (container,) = watcher["spec"]["template"]["spec"]["containers"]
    (tag,) = {
        image["newTag"] for image in yaml.safe_load((MANIFESTS / "base/kustomization.yaml").read_text())["images"]
    }
    # the image's own command watches
    assert (container["image"], container.get("command")) == (f"dams-loader:{tag}", None)
    assert {"secretRef": {"name": "dams-loader"}} in container["envFrom"]


def test_the_loader_of_the_containers_watches_all_of_them() -> None:
    loader = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text())["services"]["loader"]
    assert not loader.keys() & {"command", "entrypoint"}
    command = re.findall(r"^CMD (\[.*\])$", (REPOSITORY / "deploy/loader/Dockerfile").read_text(), re.MULTILINE)[-1]
    asked = parse(yaml.safe_load(command)[3:])
    assert (asked.what, asked.watch) == ([], True)
    assert "gdacs-earthquakes" not in sources_to_watch(), "they are those of the USGS"


def test_every_process_is_confined() -> None:
    for name, pod, container in pods():
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        assert container["securityContext"]["readOnlyRootFilesystem"] is True, name
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}, name
        # variables of service links, such as DAMS_GATEWAY_PORT=tcp://…, would be read as settings
        assert pod["enableServiceLinks"] is False, name


def test_addresses_in_the_settings_are_those_of_services() -> None:
    settings = settings_of_the_default()
    addresses = [re.findall(r"([a-z-]+):(\d+)", value) for value in settings.values()]
    found = [(host, int(port)) for matches in addresses for host, port in matches]
    assert len(found) == 7
    for host, port in found:
        assert port in {entry["port"] for entry in named("Service", host)["spec"]["ports"]}, host


def test_settings_are_accepted_and_documented() -> None:
    settings = settings_of_the_default()
    table = page("docs/operations.md").table("variable", "default", "read by", "meaning")
    documented = {variable for cell, *_ in table for variable in code_in(cell)}
    assert settings.keys() - documented == set()
    assert "10.1.2.3" in WebSettings.from_env({"DAMS_PORT": "8081"} | settings).trusted_gateways


@pytest.mark.parametrize("name", ["features", "tiles"])
def test_what_scales_leaves_the_number_of_processes_to_the_autoscaler(name: str) -> None:
    assert "replicas" not in named("Deployment", name)["spec"]
    scaler = named("HorizontalPodAutoscaler", name)["spec"]
    assert scaler["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}
    # the target share is a share of the requested processor time
    assert "cpu" in next(container for found, _, container in pods() if found == name)["resources"]["requests"]


def test_autoscalers_use_metrics_that_the_adapter_provides() -> None:
    component = MANIFESTS / "components/requests-per-second"
    (job,) = yaml.safe_load((component / "prometheus.yaml").read_text())["scrape_configs"]
    (rule,) = yaml.safe_load((component / "adapter.yaml").read_text())["rules"]
    asked = {
        one["metadata"]["name"]: [each["pods"]["metric"]["name"] for each in one["spec"]["metrics"] if "pods" in each]
        for one in built(MANIFESTS / "overlays/requests-per-second")
        if one["kind"] == "HorizontalPodAutoscaler"
    }
    kept = next(each for each in job["relabel_configs"] if each.get("action") == "keep")
    assert asked == {name: [rule["name"]["as"]] for name in kept["regex"].split("|")}
    given = {each["target_label"] for each in job["relabel_configs"] if "target_label" in each}
    assert rule["resources"]["overrides"].keys() == given
    series = rule["seriesQuery"].partition("{")[0]
    assert series.removesuffix("_count") in {each.name for each in REGISTRY.collect() if each.type == "histogram"}
    policy = yaml.safe_load((component / "network.yaml").read_text())["spec"]
    assert policy["podSelector"]["matchExpressions"][0]["values"] == kept["regex"].split("|")
    ports = {entry["port"] for name in asked for entry in named("Service", name)["spec"]["ports"]}
    assert {entry["port"] for entry in policy["ingress"][0]["ports"]} == ports

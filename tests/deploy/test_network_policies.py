"""Network policies: each part reaches only the servers that it needs."""

from __future__ import annotations

from urllib.parse import urlsplit

from tests.deploy.manifests import objects, selected, settings_of_the_default


def reached_from(name: str) -> set[tuple[str, int]]:
    """What pods of this name may open connections to: (name of the pods or `any`, port)."""
    found = set()
    for one in objects():
        if one["kind"] != "NetworkPolicy" or "Egress" not in one["spec"]["policyTypes"]:
            continue
        if name in selected(one["spec"]["podSelector"]):
            for rule in one["spec"].get("egress", []):
                targets = {pods for to in rule.get("to", []) for pods in selected(to["podSelector"])} or {"any"}
                found |= {(target, entry["port"]) for target in targets for entry in rule["ports"]}
    return found


def test_each_part_reaches_what_it_needs_and_no_more() -> None:
    data = settings_of_the_default()
    names, database, traces = ("any", 53), {("any", 5432), ("any", 6432)}, ("any", 4318)
    common = ("common", urlsplit(data["DAMS_CATALOGUE_URL"]).port)
    redis = {("any", urlsplit(data["DAMS_REDIS_URL"]).port), ("any", 6380), ("any", 26379)}
    upstreams = {
        (name, int(data[f"DAMS_{name.upper()}_UPSTREAM"].rpartition(":")[2]))
        for name in ("common", "features", "tiles", "viewer")
    }
    assert reached_from("viewer") == {names, common, traces}
    assert reached_from("features") == {names, common, traces, *database}
    assert reached_from("tiles") == {names, common, traces, *database, *redis}
    parts = ("gateway", urlsplit(data["DAMS_PARTS_URL"]).port)
    assert reached_from("common") == {names, common, traces, *database, parts}
    assert reached_from("gateway") == {names, *upstreams}
    assert reached_from("loader") == {names, *database, ("any", 443), ("any", 80)}
    assert reached_from("impact") == {names, *database}
    assert reached_from("redis") == set()
    # a policy of each limits what it reaches
    bounded = {
        name
        for one in objects()
        if one["kind"] == "NetworkPolicy" and "Egress" in one["spec"]["policyTypes"]
        for name in selected(one["spec"]["podSelector"])
    }
    assert bounded >= {one["metadata"]["name"] for one in objects() if one["kind"] == "Deployment"} | {"loader"}

"""The measurements as a table for people and as JSON for programs."""

from __future__ import annotations

import json
import os
import platform
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tools.benchmarks.measure import Result, Side
from tools.benchmarks.usage import PRODUCT

_FIRST = (("workload", 31), ("answers/s", 10), ("p50 ms", 9), ("p99 ms", 9), ("cached", 7), ("cpu ms", 8))
_LAST = (("limit/s", 10), ("of it", 6), ("targets", 0))


def _columns(peers: Sequence[str]) -> list[tuple[str, int]]:
    of_peers = [
        (title, max(9, len(title) + 2))
        for name in peers
        for title in (f"{name}/s", "ratio", "p50 ms", "p99 ms", "cpu ms")
    ]
    return [*_FIRST, *of_peers, *_LAST]


def header(peers: Sequence[str]) -> str:
    """Return the names of the columns."""
    columns = _columns(peers)
    return _line([name for name, _ in columns], columns)


def row(result: Result, rates: Mapping[str, float], peers: Sequence[str]) -> str:
    """Return one workload's row; `rates` are the product's in the workloads before it."""
    product, limit = result.product, result.limit_rate
    cells = [
        result.workload.title,
        f"{product.rate:,.1f}",
        f"{_mean(product, 'p50_ms'):,.2f}",
        f"{_mean(product, 'p99_ms'):,.2f}",
        "" if product.cached is None else f"{product.cached:.0%}",
        f"{_total(product, PRODUCT):.2f}",
    ]
    for name in peers:
        peer = result.peers.get(name)
        if peer is None:
            cells += [""] * 5
            continue
        cells += [
            f"{peer.rate:,.1f}",
            f"{product.rate / peer.rate:,.1f}x" if peer.rate else "",
            f"{_mean(peer, 'p50_ms'):,.2f}",
            f"{_mean(peer, 'p99_ms'):,.2f}",
            f"{_total(peer, _parts(name)):.2f}",
        ]
    cells += [
        f"{limit:,.1f}" if limit else "",
        f"{product.rate / limit:.2f}" if limit else "",
        ", ".join(f"{text}: {'met' if met else 'MISSED'}" for text, met in verdicts(result, rates)),
    ]
    return _line(cells, _columns(peers))


def rates_of(results: Sequence[Result]) -> dict[str, float]:
    """Return the product's responses per second by workload."""
    return {result.workload.name: result.product.rate for result in results}


def verdicts(result: Result, rates: Mapping[str, float]) -> list[tuple[str, bool]]:
    """Return each target of the workload, and whether it is met."""
    workload, rate = result.workload, result.product.rate
    found = [
        (f"{name} x{ratio:g}", rate >= ratio * result.peers[name].rate)
        for name, ratio in workload.of_peer.items()
        if name in result.peers
    ]
    if workload.of_limit is not None and result.limit_rate:
        found.append((f"limit x{workload.of_limit:g}", rate >= workload.of_limit * result.limit_rate))
    if workload.of_other is not None and workload.of_other[0] in rates:
        other, factor = workload.of_other
        found.append((f"{rates[other] / rate:.2f} of {other}, at most {factor:g}", rates[other] <= factor * rate))
    return found


def _group_titles(results: Sequence[Result]) -> dict[str, list[str]]:
    """Return the titles of the workloads by how caches were defeated."""
    groups: dict[str, list[str]] = {}
    for result in results:
        reason = result.workload.uncached or "not at all: these measure the caches"
        groups.setdefault(reason, []).append(result.workload.title)
    return groups


def details(results: Sequence[Result]) -> str:
    """Return processor time by part, sizes, memory, remarks, and how caches were defeated."""
    lines = ["", "Processor time, ms per request (= s per 1,000 requests)"]
    for result in results:
        sides = [f"product: {_processor_time(result.product, PRODUCT)}"]
        sides += [f"{name}: {_processor_time(side, _parts(name))}" for name, side in result.peers.items()]
        lines.append(f"  {result.workload.title:<31} {' | '.join(sides)}")
    lines += ["", "Answers checked: features, bytes"]
    for result in results:
        sizes = "".join(f", {name} {size:,}" for name, size in result.peer_bytes.items())
        lines.append(
            f"  {result.workload.title:<31} {result.features:,.0f} features, product {result.answer_bytes:,}{sizes}"
        )
    if results:
        lines += ["", memory_line("after the last load", results[-1].memory_mb)]
    lines += ["", "How caches were kept out"]
    for reason, titles in _group_titles(results).items():
        lines += textwrap.wrap(f"{'; '.join(titles)}: {reason}", 118, initial_indent="  ", subsequent_indent="    ")
    remarks = [f"  {result.workload.title}: {remark}" for result in results for remark in result.remarks]
    return "\n".join([*lines, *(["", "Remarks", *remarks] if remarks else [])])


def memory_line(when: str, megabytes: Mapping[str, float]) -> str:
    """Return the product's memory without PostgreSQL, and each program's."""
    own = sum(megabytes.get(role, 0) for role in (*PRODUCT, "viewer") if role != "postgresql")
    parts = ", ".join(f"{role} {size:,.0f}" for role, size in megabytes.items())
    return f"Memory {when}, MiB (proportional set size): the product {own:,.0f} without PostgreSQL\n  {parts}"


def write_json(file: Path, results: Sequence[Result], versions: Mapping[str, str]) -> None:
    """Write all figures, with the software that was measured."""
    rates = rates_of(results)
    document: dict[str, Any] = {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"processors": os.cpu_count(), "system": platform.platform(), "python": platform.python_version()},
        "peers": dict(versions),
        "workloads": {result.workload.name: _document(result, rates) for result in results},
    }
    file.write_text(json.dumps(document, indent=1) + "\n")


def _document(result: Result, rates: Mapping[str, float]) -> dict[str, Any]:
    return {
        "title": result.workload.title,
        "connections": result.workload.connections,
        "caches": result.workload.uncached or None,
        "features": result.features,
        "bytes": {"product": result.answer_bytes, **result.peer_bytes},
        "product": _side(result.product),
        "peers": {name: _side(side) for name, side in result.peers.items()},
        "limit": {"of": result.limit_of, "rate": result.limit_rate} if result.limit_rate else None,
        "ratios": {name: result.product.rate / side.rate for name, side in result.peers.items() if side.rate},
        "targets": dict(verdicts(result, rates)),
        "memory_mb": result.memory_mb,
        "remarks": result.remarks,
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "rate": side.rate,
        "p50_ms": _mean(side, "p50_ms"),
        "p99_ms": _mean(side, "p99_ms"),
        "cached": side.cached,
        "processor_ms_per_request": side.processor_ms,
        "rounds": [asdict(load) for load in side.loads],
    }


def _mean(side: Side, name: str) -> float:
    return sum(float(getattr(load, name)) for load in side.loads) / len(side.loads)


def _parts(peer: str) -> tuple[str, str]:
    """Return the roles whose time a peer's response takes."""
    return (peer, "postgresql")


def _total(side: Side, roles: Sequence[str]) -> float:
    return sum(side.processor_ms.get(role, 0) for role in roles)


def _processor_time(side: Side, roles: Sequence[str]) -> str:
    return ", ".join(f"{role} {side.processor_ms.get(role, 0):.2f}" for role in roles)


def _line(cells: Sequence[str], columns: Sequence[tuple[str, int]]) -> str:
    first, *others = [(cell, width) for cell, (_, width) in zip(cells, columns, strict=True)]
    texts = [f"{first[0]:<{first[1]}}"] + [f"{cell:>{width}}" if width else f"  {cell}" for cell, width in others]
    return "".join(texts).rstrip()

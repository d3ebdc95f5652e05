"""Everything that the documents name exists: pages and headings, files, commands, endpoints, metrics."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

import pytest
import yaml

from deploy.local.settings import StackSettings
from libs.cql import guard
from tests.architecture.documents import REPOSITORY, Page, code_in, page, pages

PAGES = pytest.mark.parametrize("checked", pages(), ids=lambda checked: str(checked.path))
MOST_LINES = 250
TOP = "services|libs|tests|gateway|deploy|docs"


def test_there_are_pages() -> None:
    assert {"README.md", "SECURITY.md", "docs/README.md"} <= {str(found.path) for found in pages()}


@PAGES
def test_links_lead_somewhere(checked: Page) -> None:
    broken = []
    for link in checked.links:
        address = urlsplit(link)
        if address.scheme:
            continue
        target = checked.path.parent / unquote(address.path) if address.path else checked.path
        file = (REPOSITORY / target).resolve()
        found = file.exists() and REPOSITORY in (file, *file.parents)
        if found and address.fragment:
            found = address.fragment in page(str(file.relative_to(REPOSITORY))).anchors
        if not found:
            broken.append(link)
    assert broken == []


def paths_named(checked: Page) -> Iterator[str]:
    """Paths of the repository in code spans; `<…>` and `*` stand for any name."""
    for code in checked.code_spans:
        if re.fullmatch(rf"(?:{TOP})/[\w./<>*{{}},-]*", code):
            yield code


@PAGES
def test_paths_exist(checked: Page) -> None:
    missing = [
        path for path in paths_named(checked) if not any(REPOSITORY.glob(re.sub(r"<[^>]*>", "*", path.rstrip("/"))))
    ]
    assert missing == []


def test_every_page_is_reached_from_the_first() -> None:
    reached, ahead = set(), {"README.md"}
    while ahead:
        found = page(ahead.pop())
        reached.add(str(found.path))
        for link in found.links:
            file = (REPOSITORY / found.path.parent / urlsplit(link).path).resolve()
            if not urlsplit(link).scheme and file.suffix == ".md" and file.is_file():
                ahead |= {str(file.relative_to(REPOSITORY))} - reached
    assert {str(found.path) for found in pages()} - reached == set()


@PAGES
def test_pages_are_short(checked: Page) -> None:
    """Headings, which can be linked, instead of bold words in front of long paragraphs."""
    assert len((REPOSITORY / checked.path).read_text().splitlines()) <= MOST_LINES
    bold = [token.content[:60] for token in checked.tokens if token.type == "inline" and token.content.startswith("**")]
    assert bold == []


def test_architecture_is_one_page_that_leads_on() -> None:
    """Details belong into `docs/`, in one place each."""
    assert len((REPOSITORY / "ARCHITECTURE.md").read_text().splitlines()) <= 40


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))


@PAGES
def test_commands_of_make_exist(checked: Page) -> None:
    code = [*checked.code_spans, *(block.content for block in checked.fences)]
    named = {target for text in code for target in re.findall(r"(?:^|[\s;])make ([a-z][a-z-]*)", text, re.MULTILINE)}
    assert named - make_targets() == set()


def handlers() -> set[tuple[str, str, str]]:
    """(path, service, file of the handler) of each operation in the services' OpenAPI documents."""
    found = set()
    for document in REPOSITORY.glob("services/*/openapi.yaml"):
        service = document.parent.name
        bound: dict[str, str] = {}
        modules: dict[str, str] = {}
        for node in ast.walk(ast.parse((document.parent / "app.py").read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                modules |= {alias.name: node.module or "" for alias in node.names}
            elif isinstance(node, ast.Dict):
                pairs = zip(node.keys, node.values, strict=True)
                bound |= {ast.unparse(key).strip("'"): ast.unparse(value) for key, value in pairs if key is not None}
        for path, item in yaml.safe_load(document.read_text(encoding="utf-8"))["paths"].items():
            name = bound[(item.get("get") or item["post"])["operationId"]]
            of, _, _ = name.rpartition(".")
            module = f"{modules[of]}.{of}" if of else modules[name]
            found.add((path, service, f"{module.replace('.', '/')}.py"))
    return found


def test_the_endpoints_are_those_of_the_services_and_lead_to_their_code() -> None:
    listed = set()
    for paths, _, service in page("docs/endpoints.md").table("path", "answers", "service"):
        [(name, file)] = re.findall(r"\[(\w+)\]\(\.\./([\w/.]+)\)", service.content)
        listed |= {(path, name, file) for path in code_in(paths)}
    assert listed == handlers()


def metrics_made() -> set[tuple[str, tuple[str, ...]]]:
    """Return (name, labels) of the metrics that the program defines."""
    found = set()
    for folder in ("libs", "services", "gateway"):
        for file in (REPOSITORY / folder).rglob("*.py"):
            if "node_modules" in file.parts:
                continue
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                match node:
                    case ast.Call(args=[ast.Constant(value=str(name)), _, *rest]) if name.startswith("dams_"):
                        labels = [text for label in rest for text in ast.literal_eval(label)]
                        found.add((name, tuple(labels)))
                    case _:
                        pass
    return found


def test_the_metrics_are_those_of_the_program() -> None:
    rows = page("docs/observability.md").table("metric", "labels", "what it tells")
    assert {(*code_in(name), tuple(code_in(labels))) for name, labels, _ in rows} == metrics_made()


def test_make_test_faults_runs_what_holds_the_table_of_faults() -> None:
    files = {
        file
        for *_, tests in page("docs/faults.md").table("fault", "what a user sees", "recovery", "test")
        for file in code_in(tests)
    }
    assert len(files) > 10
    assert {
        file for file in files if "pytest.mark.faults" not in (REPOSITORY / file).read_text(encoding="utf-8")
    } == set()


def test_what_a_stack_takes_is_documented_where_people_start() -> None:
    """The table of the local stack and the head of the Makefile name what `deploy/local/settings.py` reads."""
    documented = {
        name
        for cell, *_ in page("docs/local-stack.md").table("variable", "default", "meaning")
        for name in code_in(cell)
    }
    assert documented == StackSettings.variables().keys()
    head = (REPOSITORY / "Makefile").read_text().partition("SHELL")[0]
    assert documented <= set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)*\b", head))


def test_the_limits_of_a_filter_are_those_of_the_program() -> None:
    [documented] = [
        limit.content
        for what, limit, _ in page("docs/operations.md").table("what", "limit", "beyond it")
        if what.content == "a filter"
    ]
    assert documented == (
        f"{guard.MAX_BYTES // 1024} kB without the coordinates of geometries and "
        f"{guard.MAX_WITH_COORDINATES // 1024} kB with them, "
        f"{guard.MAX_TOKENS:,} words, {guard.MAX_DEPTH} levels of parentheses, "
        f"{guard.MAX_LIST:,} members of a list, {guard.MAX_PATTERN} characters of a pattern "
        f"({guard.MAX_WITH_UNDERSCORE} after a `%` with `_`)"
    )


def test_decisions_are_numbered_and_listed() -> None:
    records = sorted(file.name for file in (REPOSITORY / "docs/decisions").glob("[0-9]*.md"))
    numbers = [name[:4] for name in records]
    assert len(records) > 30
    assert sorted(set(numbers)) == numbers
    listed = [link for link in page("docs/decisions/README.md").links if re.match(r"\d{4}-", link)]
    assert sorted(listed) == records


def test_the_rooms_are_those_of_the_tree() -> None:
    tables = page("docs/architecture.md").tables
    listed = {
        path for rows in tables for row in rows[1:] for path in code_in(row[0]) if re.match("(libs|services)/", path)
    }
    packages = {file.parent for file in REPOSITORY.glob("services/*/*/__init__.py")}
    packages |= {file.parent for file in REPOSITORY.glob("libs/*/__init__.py")}
    rooms = {f"{folder.relative_to(REPOSITORY)}/" for folder in packages}
    assert rooms - listed == set()


def rooms_imported(room: str) -> set[str]:
    """Return packages of the same service that a package imports; `room` is like `services/tiles/store/`."""
    service = room.split("/")[1]
    found = set()
    for file in (REPOSITORY / room).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            parts = (node.module or "").split(".") if isinstance(node, ast.ImportFrom) else []
            if len(parts) > 2 and parts[:2] == ["services", service]:
                found.add(f"services/{service}/{parts[2]}/")
    return found - {room}


def test_rooms_import_from_those_below_them() -> None:
    rows = page("docs/architecture.md").table("package", "responsibility")
    rooms = [path for cell, _ in rows for path in code_in(cell)]
    assert len(rooms) > 8
    climbing = {room: rooms_imported(room) & set(rooms[:place]) for place, room in enumerate(rooms)}
    assert {room: above for room, above in climbing.items() if above} == {}

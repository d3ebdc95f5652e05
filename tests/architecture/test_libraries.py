"""A module is in `libs/` because two programs use it, or because a module that two programs use imports it."""

from __future__ import annotations

from functools import cache

import grimp

PROGRAMS = ("services.common", "services.features", "services.tiles", "services.viewer", "gateway")

FOR_ONE_PROGRAM = {
    "libs.catalogue.exposure": "the worker of impacts reads the section that common checks",
    "libs.pg.row_srids": "beside `libs.pg.diagnosis`, which gives the same advice",
    "libs.pg.snapshot": "who speaks to PostgreSQL through the driver is libs.pg alone",
    "libs.pg.diagnosis": "who speaks to PostgreSQL through the driver is libs.pg alone; `make doctor` asks it, too",
    "libs.cache.commands": "Redis has one place, whoever is the next to need it",
    "libs.cache.tile_cache": "Redis has one place, whoever is the next to need it",
    "libs.cache.unmeasured": "Redis has one place, whoever is the next to need it",
    "libs.cache.links": "Redis has one place, whoever is the next to need it; `make doctor` asks it, too",
    "libs.ogc.cap": "the notifier of `deploy` builds its messages with it, too",
    "libs.cql.quoting": "how names and values are written belongs to the language that is read here",
    "libs.geo.tile_matrix_sets": "what a tile matrix set is belongs to geography, whoever draws tiles of it",
    "libs.geo.tiles_of_box": "what a tile matrix set is belongs to geography, whoever draws tiles of it",
}
"""Modules in `libs/` that only one program uses, each with the reason."""


@cache
def imports() -> grimp.ImportGraph:
    return grimp.build_graph("libs", "services", "gateway", "deploy")


def programs_that_use(module: str) -> set[str]:
    """Return the programs that import the module, directly or through another module."""
    users = imports().find_downstream_modules(module)
    return {program for program in PROGRAMS for user in users if f"{user}.".startswith(f"{program}.")}


def library_modules() -> set[str]:
    return {
        module for module in imports().modules if module.startswith("libs.") and not imports().find_children(module)
    }


def test_a_module_of_the_libraries_serves_two_programs() -> None:
    users = {module: programs_that_use(module) for module in library_modules()}
    assert len(users) > 50
    assert {module for module, programs in users.items() if len(programs) < 2} == set(FOR_ONE_PROGRAM)
    # its package imports it for a side effect
    del users["libs.cache.unmeasured"]
    assert all(programs for programs in users.values())


def test_a_library_says_what_it_stands_on() -> None:
    """The docstring of each library names exactly the libraries that it imports."""
    graph = imports()
    documented, imported = {}, {}
    for library in sorted(graph.find_children("libs")):
        module = __import__(library, fromlist=["_"])
        stands_on = (module.__doc__ or "").rpartition("Stands on ")[2].partition(".\n")[0].rstrip(".\n")
        documented[library] = set() if stands_on == "nothing" else {f"libs.{name}" for name in stands_on.split(", ")}
        inside = {library, *graph.find_descendants(library)}
        found = {other for each in inside for other in graph.find_modules_directly_imported_by(each)} - inside
        imported[library] = {".".join(other.split(".")[:2]) for other in found}
    assert documented == imported

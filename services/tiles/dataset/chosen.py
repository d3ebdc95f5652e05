"""The collections of a request for a resource of the dataset."""

from dataclasses import replace

from libs.catalogue.chosen_collections import Chosen, chosen_collections
from libs.ogc.errors import Fault
from libs.selection.past import as_of
from libs.web.app import Call
from libs.web.base_url import base_url
from services.tiles.resources import CATALOGUE


def choose_collections(call: Call) -> Chosen:
    """Return the collections that `collections` names, else the first of all; faults are added to the query."""
    known = call.request.app[CATALOGUE].collections
    chosen, faults = chosen_collections(known, call.query.values["collections"], base_url(call.request))
    call.query.faults.extend(faults)
    of_times: list[Fault] = []
    query = replace(call.query, faults=of_times)
    chosen = replace(chosen, collections=tuple([as_of(each, query) for each in chosen.collections]))
    # an invalid time is the same fault for each
    call.query.faults.extend(fault for place, fault in enumerate(of_times) if fault not in of_times[:place])
    return chosen


def describe(chosen: Chosen) -> str:
    """Return a sentence about the content of the tiles."""
    number = len(chosen.collections)
    if not chosen.omitted:
        return f"A layer for each of {number} collections." if number != 1 else "One layer, of one collection."
    return (
        f"A layer for each of the first {number} of {number + chosen.omitted} collections; `collections=` chooses"
        f" others, {number} at a time."
    )

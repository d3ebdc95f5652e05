"""Convert query parameters to arguments of a function that is a collection."""

from libs.catalogue.model import Argument, Collection
from libs.ogc.numbers import INTEGER, NUMBER
from libs.ogc.temporal import parse_interval
from libs.pg.sql import Sql, bind, ident, sql
from libs.selection.request import FaultCollector


def call_arguments(collection: Collection, query: FaultCollector) -> tuple[Sql, ...]:
    """Return `name => value` for each argument in the request; faults are added to the query."""
    given = []
    for argument in collection.arguments:
        text = query.extra.get(argument.name) if argument.name else None
        if text is None:
            if argument.default is None:
                name = argument.name or "an argument without a name"
                query.fault(name, f"{name} must be given: it is an argument of this function", "missing")
            continue
        fault = _fault(argument, text)
        if fault:
            query.fault(argument.name, f"{argument.name} {fault}", value=text)
            continue
        # types come from the catalogue; the server parses the text like a literal
        value = bind(text, "text", cast=argument.sql_type)
        given.append(sql("{name} => {value}", name=ident(argument.name), value=value))
    return tuple(given)


def _fault(argument: Argument, text: str) -> str | None:
    """Return the reason why `text` is not a value of the argument, for the client; None if it is."""
    if argument.type == "integer" and not INTEGER.match(text):
        return "must be a whole number"
    if argument.type == "number" and not NUMBER.match(text):
        return "must be a number"
    if argument.type == "boolean" and text.lower() not in ("true", "false"):
        return "must be true or false"
    if argument.format in ("date", "date-time"):
        try:
            parse_interval(text)
        except ValueError as error:
            return str(error)
        return "must be one time, not an interval" if "/" in text else None
    return None

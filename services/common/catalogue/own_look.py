"""The members of the collections file that say how a collection is drawn."""

import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from libs.catalogue.model import Column
from libs.catalogue.own_look import OwnLook

_MOST_BREAKS = 6
_MOST_VALUES = 20
_COLOR = re.compile(r"#[0-9a-fA-F]{6}\Z")


def _color(text: str) -> str:
    if not _COLOR.match(text):
        raise ValueError("must be a colour such as '#b33156'")
    return text.lower()


def _check_ascending(value: object) -> object:
    numbers = value if isinstance(value, list) else []
    isnt = [each for each in numbers if isinstance(each, bool) or not isinstance(each, int | float)]
    if not numbers or isnt or sorted(set(numbers)) != numbers or len(numbers) > _MOST_BREAKS:
        raise ValueError(f"must be a list of 1 to {_MOST_BREAKS} numbers, the smallest first")
    return tuple(float(each) for each in numbers)


def _texts(value: object) -> object:
    # YAML reads yes, 1 and 2018-01-01 as other than texts
    return {str(name): color for name, color in value.items()} if isinstance(value, dict) else value


Color = Annotated[str, AfterValidator(_color)]
SymbolName = Literal["circle", "square", "triangle", "diamond"]


class ClassesConfig(BaseModel):
    """`style`: the classes of a property, by numbers (`breaks`) or by `values`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    column: str
    breaks: Annotated[tuple[float, ...], BeforeValidator(_check_ascending)] = ()
    colors: Annotated[
        tuple[Color, ...], BeforeValidator(lambda value: tuple(value) if isinstance(value, list) else value)
    ] = ()
    values: Annotated[dict[str, Color], BeforeValidator(_texts), Field(max_length=_MOST_VALUES)] = {}

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if bool(self.breaks) == bool(self.values):
            raise ValueError(": there must be either breaks or values")
        if self.colors and len(self.colors) != len(self.breaks) + 1:
            raise ValueError(f": colors must be one more than breaks: {len(self.breaks) + 1}")
        return self


def own_look(
    color: str | None,
    label: str | None,
    symbol: str | None,
    classes: ClassesConfig | None,
    columns: Iterable[Column],
) -> OwnLook | None:
    """Return what these members say; None if they say nothing. `columns` are those of the collection."""
    said: dict[str, Any] = {"color": color, "label": label, "symbol": symbol}
    if classes is not None:
        said |= {"column": classes.column, "breaks": classes.breaks, "colors": classes.colors}
        said["title"] = next((column.title for column in columns if column.name == classes.column), None)
        said["values"] = tuple(classes.values.items())
    return OwnLook(**said) if any(said.values()) else None

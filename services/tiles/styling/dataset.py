"""The MapLibre style of several collections: the styles of each, drawn from one source. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from libs.catalogue.model import Collection, GeometryColumn
from libs.web.basemap import Basemap
from services.tiles.styling.document import style_json
from services.tiles.styling.own_colors import own_colors

SOURCE = "dataset"
_ORDER = {"fill": 0, "line": 1, "circle": 2}
"""Large shapes lie below small ones."""
_LABELS = {"LineString": 3, "Polygon": 4}
"""Of labels that have no room beside each other, the upper one is drawn, those of points above all."""


def layer_styles(
    layers: Sequence[tuple[Collection, GeometryColumn]],
    *,
    base_url: str,
    tile_matrix_set_id: str,
    minzoom: int,
    maxzoom: int,
    bounds: Sequence[float] | None,
    basemap: Basemap | None = None,
    plain: bool = False,
    colors: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """Return the style of each layer for `dataset_style`, which replaces their sources; these have no tiles.

    `colors` are those of all collections (`own_colors`), where the layers are some of them.
    """
    if colors is None:
        colors = own_colors(collection for collection, _ in layers)
    return [
        style_json(
            collection_id=collection.id,
            title=collection.title,
            geometry_type=geometry.type,
            properties={column.name: column.type for column in collection.columns},
            base_url=base_url,
            tile_matrix_set_id=tile_matrix_set_id,
            tiles_url_template="",
            minzoom=minzoom,
            maxzoom=maxzoom,
            bounds=bounds,
            center=None,
            attribution=None,
            basemap=basemap,
            plain=plain,
            own=collection.look,
            color=colors.get(collection.id),
        )
        for collection, geometry in layers
    ]


def dataset_style(styles: Sequence[Mapping[str, Any]], *, title: str, source: Mapping[str, Any]) -> dict[str, Any]:
    """Combine `styles`, each that of a collection made by `style_json`, in the order of their collections.

    Areas lie below lines, and lines below points; within each kind, a collection lies above those before it. `source`
    has the tiles with all layers.
    """
    first = styles[0]
    drawn = [
        ({**layer, "source": SOURCE}, style["metadata"]["dams:geometryType"])
        for style in styles
        for layer in style["layers"]
        if layer["id"] in style["metadata"]["dams:layers"]
    ]
    data = [layer for layer, _ in drawn]
    basemap = [layer for layer in first["layers"] if layer["id"] not in first["metadata"]["dams:layers"]]
    labels = [layer for layer in basemap if layer["type"] == "symbol"]
    collection = first["metadata"]["dams:collection"]
    return {
        **first,
        "name": title,
        "metadata": {
            "dams:collections": [style["metadata"]["dams:collection"] for style in styles],
            "dams:tileMatrixSet": first["metadata"]["dams:tileMatrixSet"],
            "dams:layers": [layer["id"] for layer in data],
            "dams:legend": [entry for style in styles for entry in style["metadata"]["dams:legend"]],
        },
        "sources": {**{name: each for name, each in first["sources"].items() if name != collection}, SOURCE: source},
        "layers": [
            *(layer for layer in basemap if layer not in labels),
            *(layer for layer, _ in sorted(drawn, key=_height)),
            *labels,
        ],
    }


def _height(drawn: tuple[Mapping[str, Any], str]) -> int:
    layer, geometry_type = drawn
    if layer["type"] == "symbol":
        return _LABELS.get(geometry_type.removeprefix("Multi"), 5)
    return _ORDER.get(layer["type"], 1)

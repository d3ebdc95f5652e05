"""The basemap's sources and layers: GeoJSON that the viewer service hands out, or an operator's raster tiles."""

from dataclasses import asdict
from typing import Any

from libs.web.basemap import Basemap
from services.tiles.styling.palette import DARK, LIGHT

Layer = dict[str, Any]

ATTRIBUTION = "Natural Earth"
FONT, FONT_ITALIC = "Inter", "Inter Italic"
_RASTER = "basemap-raster"
_LAYERS = ("land", "borders", "coast", "lakes", "rivers", "graticule", "labels")


def font_faces(base_url: str) -> dict[str, list[dict[str, str]]]:
    """Fonts of the labels, so that no glyph server is needed."""
    return {
        FONT: [{"url": f"{base_url}/basemap/fonts/inter-regular.woff2"}],
        FONT_ITALIC: [{"url": f"{base_url}/basemap/fonts/inter-italic.woff2"}],
    }


def basemap_sources(base_url: str) -> dict[str, dict[str, Any]]:
    """Source id (`basemap-land`, …) to GeoJSON source."""
    sources: dict[str, dict[str, Any]] = {
        f"basemap-{name}": {"type": "geojson", "data": f"{base_url}/basemap/{name}.geojson"} for name in _LAYERS
    }
    sources["basemap-land"]["attribution"] = ATTRIBUTION
    return sources


def themed(layer: Layer, **roles: str) -> Layer:
    """`layer` with paint properties from the light palette, and those of the dark one in its metadata.

    `roles` maps a paint property (with _ for -) to a colour's name in the palettes. A viewer with a dark
    theme replaces the paint properties by `metadata["dams:dark"]`; all others draw the light ones.
    """
    light, dark = asdict(LIGHT), asdict(DARK)
    names = {name.replace("_", "-"): role for name, role in roles.items()}
    layer["paint"] = {**layer.get("paint", {}), **{name: light[role] for name, role in names.items()}}
    layer["metadata"] = {
        **layer.get("metadata", {}),
        "dams:dark": {name: dark[role] for name, role in names.items()},
    }
    return layer


def basemap_layers() -> tuple[list[Layer], list[Layer]]:
    """Layers to draw below the data, and labels to draw above them."""
    return _below(), _labels()


def raster_sources(basemap: Basemap) -> dict[str, dict[str, Any]]:
    """The source of an operator's basemap."""
    return {
        _RASTER: {
            "type": "raster",
            "tiles": [basemap.tiles],
            "tileSize": 256,
            "maxzoom": basemap.max_zoom,
            "attribution": basemap.attribution,
        }
    }


def raster_layers() -> tuple[list[Layer], list[Layer]]:
    """Layers of an operator's basemap below the data; it has its own labels."""
    dimmed = {"dams:dark": {"raster-brightness-max": 0.7}}
    raster = {"id": _RASTER, "type": "raster", "source": _RASTER, "paint": {"raster-brightness-max": 1}}
    return [_sea(), {**raster, "metadata": dimmed}], []


def _sea() -> Layer:
    return themed({"id": "basemap-sea", "type": "background"}, background_color="sea")


def _only(kind: str) -> list[Any]:
    """The filter of basemap features of this kind.

    QGIS applies layers without a `source-layer`, which GeoJSON has none of, to the data; there nothing passes this.
    """
    return ["==", ["get", "basemap"], kind]


def _line(name: str, kind: str, width: list[Any], **more: Any) -> Layer:
    paint = {"line-width": width, **more.pop("paint", {})}
    layer = {"id": f"basemap-{name}", "type": "line", "source": f"basemap-{name}", "filter": _only(kind)}
    return {**layer, "paint": paint, **more}


def _by_zoom(*stops: float) -> list[Any]:
    return ["interpolate", ["linear"], ["zoom"], *stops]


def _below() -> list[Layer]:
    lakes = {
        "id": "basemap-lakes",
        "type": "fill",
        "source": "basemap-lakes",
        "filter": ["all", _only("lake"), ["<=", ["get", "rank"], ["step", ["zoom"], 1, 2, 2, 3.5, 3]]],
    }
    land = {
        "id": "basemap-land",
        "type": "fill",
        "source": "basemap-land",
        "filter": _only("land"),
        "paint": {"fill-antialias": False},
    }
    rounded = {"line-join": "round", "line-cap": "round"}
    return [
        _sea(),
        themed(_line("graticule", "graticule", _by_zoom(0, 0.4, 4, 0.8)), line_color="graticule"),
        themed(land, fill_color="land"),
        themed(lakes, fill_color="lake"),
        themed(
            _line("rivers", "river", _by_zoom(2, 0.4, 6, 1.5, 10, 3), minzoom=2.5, layout=rounded), line_color="river"
        ),
        themed(_line("coast", "coast", _by_zoom(1, 0.5, 6, 1.1), layout=rounded), line_color="coast"),
        themed(
            _line(
                "borders",
                "border",
                _by_zoom(1, 0.5, 6, 1.3),
                layout={"line-join": "round"},
                paint={"line-dasharray": ["step", ["zoom"], ["literal", [1, 0]], 3, ["literal", [3, 1.5]]]},
            ),
            line_color="border",
        ),
    ]


def _labels() -> list[Layer]:
    def label(kind: str, filter_: list[Any], layout: dict[str, Any], paint: dict[str, Any]) -> Layer:
        return {
            "id": f"basemap-labels-{kind}",
            "type": "symbol",
            "source": "basemap-labels",
            "filter": ["all", _only(kind), filter_],
            "layout": {"text-field": ["get", "name"], "symbol-sort-key": ["get", "rank"], **layout},
            "paint": paint,
        }

    sea = label(
        "sea",
        ["<=", ["get", "rank"], ["step", ["zoom"], 1, 2.2, 2, 3.6, 3]],
        {
            "text-font": [FONT_ITALIC],
            "text-size": ["match", ["get", "rank"], 1, 13.5, 2, 12, 11],
            "text-letter-spacing": 0.12,
            "text-max-width": 6,
        },
        {"text-halo-width": 1},
    )
    country = label(
        "country",
        ["<=", ["get", "rank"], ["step", ["zoom"], 1, 1.8, 2, 2.8, 3, 3.8, 4, 4.8, 5]],
        {
            "text-font": [FONT],
            "text-size": ["interpolate", ["linear"], ["zoom"], 1, 10.5, 3, 11.5, 6, 15],
            "text-max-width": 7,
            "text-padding": 4,
        },
        {"text-halo-width": 1.4},
    )
    return [
        themed(sea, text_color="sea_label", text_halo_color="sea"),
        themed(country, text_color="label", text_halo_color="halo"),
    ]

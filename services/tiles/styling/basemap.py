"""The basemap's source and layers: the viewer service's vector tiles, or an operator's raster tiles."""

from dataclasses import asdict
from typing import Any

from libs.web.basemap import Basemap
from services.tiles.styling.palette import DARK, LIGHT

Layer = dict[str, Any]

ATTRIBUTION = "Natural Earth, GeoNames (CC BY 4.0)"
FONT, FONT_ITALIC = "Inter", "Inter Italic"
_RASTER = "basemap-raster"
_VECTOR = "basemap"
_LAST_ZOOM = 6
"""Last zoom of the tiles (services/viewer/build/atlas/tiles.mjs); nearer views enlarge them."""


def font_faces(base_url: str) -> dict[str, list[dict[str, str]]]:
    """Return the fonts of the labels, so that no glyph server is needed."""
    return {
        FONT: [{"url": f"{base_url}/basemap/fonts/inter-regular.woff2"}],
        FONT_ITALIC: [{"url": f"{base_url}/basemap/fonts/inter-italic.woff2"}],
    }


def basemap_sources(base_url: str) -> dict[str, dict[str, Any]]:
    """Return our source of vector tiles, in Web Mercator like everything that MapLibre draws."""
    return {
        _VECTOR: {
            "type": "vector",
            "tiles": [f"{base_url}/basemap/WebMercatorQuad/{{z}}/{{y}}/{{x}}.mvt"],
            "maxzoom": _LAST_ZOOM,
            "attribution": ATTRIBUTION,
        }
    }


def with_themes(layer: Layer, **roles: str) -> Layer:
    """Return `layer` with paint properties from the light palette, and those of the dark one in its metadata.

    `roles` maps a paint property (with _ for -) to a colour's name in the palettes. A viewer with a dark theme replaces
    the paint properties by `metadata["dams:dark"]`; all others draw the light ones.
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
    """Return the layers to draw below the data, and the labels to draw above them."""
    return _layers_below(), _labels()


def raster_sources(basemap: Basemap) -> dict[str, dict[str, Any]]:
    """Return the source of an operator's basemap."""
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
    """Return the layers of an operator's basemap below the data; it has its own labels."""
    dimmed = {"dams:dark": {"raster-brightness-max": 0.7}}
    raster = {"id": _RASTER, "type": "raster", "source": _RASTER, "paint": {"raster-brightness-max": 1}}
    return [_sea(), {**raster, "metadata": dimmed}], []


def _sea() -> Layer:
    return with_themes({"id": "basemap-sea", "type": "background"}, background_color="sea")


def _filter_kind(kind: str) -> list[Any]:
    """Return the filter of basemap features of this kind.

    Clients that ignore source layers apply these layers to the data, too; the filter excludes all data.
    """
    return ["==", ["get", "basemap"], kind]


def _layer(name: str, type_: str, source_layer: str, **more: Any) -> Layer:
    return {"id": f"basemap-{name}", "type": type_, "source": _VECTOR, "source-layer": source_layer, **more}


def _line(name: str, source_layer: str, kind: str, width: list[Any], **more: Any) -> Layer:
    paint = {"line-width": width, **more.pop("paint", {})}
    return _layer(name, "line", source_layer, filter=_filter_kind(kind), paint=paint, **more)


def _interpolate(*stops: Any) -> list[Any]:
    return ["interpolate", ["linear"], ["zoom"], *stops]


def _layers_below() -> list[Layer]:
    lakes = _layer(
        "lakes",
        "fill",
        "lakes",
        filter=["all", _filter_kind("lake"), ["<=", ["get", "rank"], ["step", ["zoom"], 1, 2, 2, 3.5, 3]]],
    )
    land = _layer("land", "fill", "land", filter=_filter_kind("land"), paint={"fill-antialias": False})
    rounded = {"line-join": "round", "line-cap": "round"}
    dashed = ["step", ["zoom"], ["literal", [1, 0]], 3, ["literal", [3, 1.5]]]
    return [
        _sea(),
        with_themes(_line("graticule", "graticule", "graticule", _interpolate(0, 0.4, 4, 0.8)), line_color="graticule"),
        with_themes(land, fill_color="land"),
        with_themes(lakes, fill_color="lake"),
        with_themes(
            _line("rivers", "rivers", "river", _interpolate(2, 0.4, 6, 1.5, 10, 3), minzoom=2.5, layout=rounded),
            line_color="river",
        ),
        with_themes(
            _line("provinces", "borders", "province", _interpolate(3, 0.4, 8, 1.2), minzoom=3, layout=rounded),
            line_color="province",
        ),
        with_themes(_line("coast", "coast", "coast", _interpolate(1, 0.5, 6, 1.1), layout=rounded), line_color="coast"),
        with_themes(
            _line(
                "borders",
                "borders",
                "border",
                _interpolate(1, 0.5, 6, 1.3),
                layout={"line-join": "round"},
                paint={"line-dasharray": dashed},
            ),
            line_color="border",
        ),
    ]


def _labels() -> list[Layer]:
    """Return the label layers; the last one is placed first."""

    def label(kind: str, filter_: list[Any], layout: dict[str, Any], paint: dict[str, Any], **more: Any) -> Layer:
        layout = {"text-field": ["get", "name"], "text-font": [FONT], **layout}
        filter_ = ["all", _filter_kind(kind), filter_]
        return _layer(f"labels-{kind}", "symbol", "labels", filter=filter_, layout=layout, paint=paint, **more)

    by_rank = {"symbol-sort-key": ["get", "rank"]}
    from_zoom = ["<=", ["get", "zoom"], ["zoom"]]
    sea = label(
        "sea",
        ["<=", ["get", "rank"], ["step", ["zoom"], 1, 2.2, 2, 3.6, 3]],
        {
            **by_rank,
            "text-font": [FONT_ITALIC],
            "text-size": ["match", ["get", "rank"], 1, 13.5, 2, 12, 11],
            "text-letter-spacing": 0.12,
            "text-max-width": 6,
        },
        {"text-halo-width": 1},
    )
    province = label(
        "province",
        ["all", from_zoom, ["<=", ["-", ["zoom"], ["get", "zoom"]], 3]],
        {"text-size": ["interpolate", ["linear"], ["zoom"], 4, 10, 9, 12], "text-letter-spacing": 0.1},
        {"text-halo-width": 1.2},
        minzoom=3,
    )
    size: list[Any] = ["get", "size"]
    # the dot of a town and its name below are one symbol, so that no dot appears without a name
    town = label(
        "town",
        from_zoom,
        {
            "text-field": ["concat", "•\n", ["get", "name"]],
            "text-anchor": "top",
            "text-offset": [0, -0.6],
            "text-line-height": 0.95,
            "text-size": _interpolate(3, ["+", 9, ["*", 0.6, size]], 10, ["+", 9, ["*", 1.6, size]]),
            "text-max-width": 9,
            "symbol-sort-key": ["-", ["get", "zoom"], size],
        },
        {"text-halo-width": 1.4},
        minzoom=2,
    )
    town["source-layer"] = "towns"
    country = label(
        "country",
        ["<=", ["get", "rank"], ["step", ["zoom"], 1, 1.8, 2, 2.8, 3, 3.8, 4, 4.8, 5]],
        {
            **by_rank,
            "text-size": ["interpolate", ["linear"], ["zoom"], 1, 10.5, 3, 11.5, 6, 15],
            "text-max-width": 7,
            "text-padding": 4,
        },
        {"text-halo-width": 1.4},
        maxzoom=8,
    )
    return [
        with_themes(sea, text_color="sea_label", text_halo_color="sea"),
        with_themes(province, text_color="province_label", text_halo_color="halo"),
        with_themes(town, text_color="town_label", text_halo_color="halo"),
        with_themes(country, text_color="label", text_halo_color="halo"),
    ]

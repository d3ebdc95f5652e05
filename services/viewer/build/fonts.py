"""The typeface of map and labels, reduced to the parts in use: a browser loads it before the first map is complete."""

from pathlib import Path

_FILES = Path(__file__).parents[1] / "node_modules/@fontsource/inter/files"
REGULAR, ITALIC = "inter-latin-400-normal.woff2", "inter-latin-400-italic.woff2"
_FONTS = (REGULAR, ITALIC, "inter-latin-600-normal.woff2")
_FEATURES = ["kern", "tnum"]
"""Kerning and figures of equal width; without the alternates and small figures of Inter."""


def write_fonts(target: Path) -> None:
    """Fill the folder `target`. Raises FileNotFoundError if the typeface is not installed (`npm ci`)."""
    # installed only for a build, and `--check` does without
    from fontTools.subset import Options, Subsetter, load_font, save_font  # noqa: PLC0415

    target.mkdir(parents=True)
    # recalc_timestamp: the same input gives the same bytes
    options = Options(flavor="woff2", layout_features=_FEATURES, hinting=False, recalc_timestamp=False)
    for name in _FONTS:
        with load_font(str(_FILES / name), options) as font:
            subsetter = Subsetter(options)
            subsetter.populate(unicodes=font.getBestCmap())
            subsetter.subset(font)
            save_font(font, str(target / name), options)

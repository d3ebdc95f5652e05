"""How far apart colours are, to eyes that see all of them and to those that do not: CIEDE2000, after a simulation.

The simulation is that of Machado, Oliveira and Fernandes (2009), "A Physiologically-based Model for Simulation of Color
Vision Deficiency", with their matrices for the whole lack of one kind of cone; the difference is that of Sharma, Wu and
Dalal (2005), "The CIEDE2000 Color-Difference Formula".
"""

from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt

Triple = tuple[float, float, float]

VISIONS: dict[str, tuple[Triple, Triple, Triple]] = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
_TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
_WHITE = (0.95047, 1.0, 1.08883)


def lab(color: str, vision: str = "all cones") -> Triple:
    """CIE L*a*b* of `#rrggbb` as an eye sees it."""
    linear = [_linear(int(color[at : at + 2], 16) / 255) for at in (1, 3, 5)]
    seen = [min(1.0, max(0.0, value)) for value in _times(VISIONS[vision], linear)]
    x, y, z = (_curve(value / white) for value, white in zip(_times(_TO_XYZ, seen), _WHITE, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours `#rrggbb`, as in WCAG 2."""
    darker, lighter = sorted(_luminance(color) for color in (first, second))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    return sum(
        part * _linear(int(color[at : at + 2], 16) / 255) for part, at in zip(_TO_XYZ[1], (1, 3, 5), strict=True)
    )


def difference(first: str, second: str, vision: str = "all cones") -> float:
    """CIEDE2000 between two colours `#rrggbb`."""
    return ciede2000(lab(first, vision), lab(second, vision))


def ciede2000(first: Triple, second: Triple) -> float:
    """The difference of two colours in CIE L*a*b*."""
    (l1, a1, b1), (l2, a2, b2) = first, second
    mean_chroma = (hypot(a1, b1) + hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * sqrt(mean_chroma**7 / (mean_chroma**7 + 25**7))
    c1, c2 = hypot(a1 * stretch, b1), hypot(a2 * stretch, b2)
    h1, h2 = _hue(a1 * stretch, b1), _hue(a2 * stretch, b2)
    turn = 0.0 if not c1 * c2 else (h2 - h1 + 180) % 360 - 180
    lightness, chroma, hue = l2 - l1, c2 - c1, 2 * sqrt(c1 * c2) * sin(radians(turn / 2))
    mean_l, mean_c = (l1 + l2) / 2, (c1 + c2) / 2
    mean_h = h1 + h2 if not c1 * c2 else (h1 + turn / 2) % 360
    t = (
        1
        - 0.17 * cos(radians(mean_h - 30))
        + 0.24 * cos(radians(2 * mean_h))
        + 0.32 * cos(radians(3 * mean_h + 6))
        - 0.2 * cos(radians(4 * mean_h - 63))
    )
    scale_l = 1 + 0.015 * (mean_l - 50) ** 2 / sqrt(20 + (mean_l - 50) ** 2)
    scale_c, scale_h = 1 + 0.045 * mean_c, 1 + 0.015 * mean_c * t
    rotation = -2 * sqrt(mean_c**7 / (mean_c**7 + 25**7)) * sin(radians(60 * exp(-(((mean_h - 275) / 25) ** 2))))
    parts = lightness / scale_l, chroma / scale_c, hue / scale_h
    return sqrt(sum(part**2 for part in parts) + rotation * parts[1] * parts[2])


def _hue(a: float, b: float) -> float:
    return degrees(atan2(b, a)) % 360


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def _curve(value: float) -> float:
    return float(value ** (1 / 3)) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116


def _times(matrix: tuple[Triple, Triple, Triple], vector: list[float]) -> list[float]:
    return [sum(factor * value for factor, value in zip(row, vector, strict=True)) for row in matrix]

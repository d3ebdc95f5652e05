"""Methods of the tables, in words."""

from collections.abc import Collection
from typing import Any

from deploy.impact.intensity import EQUATION, sigma

SHAKEMAP = "analysed"
"""The kind of the zones of a ShakeMap; those of the equation are `estimated`."""

_OF_CELLS = {
    hazard: {
        "name": f"Cells of a population raster within {where}",
        "description": (
            f"{what} Each cell of the raster counts by the part of it that lies in the zone. Listed places and the "
            "largest places are those whose centre lies in it."
        ),
    }
    for hazard, where, what in (
        ("storm", "zones of wind", "Zones of wind speeds of a system's track. Zones are nested."),
        ("earthquake", "estimated intensity", "Modified Mercalli intensity by distance from the hypocentre, without "
         "the shape of the rupture and without site effects. Classes are nested."),
        ("shakemap", "contours of a ShakeMap", "Modified Mercalli intensity of the publisher's ShakeMap: classes begin "
         "half a unit below their number, VI at 5.5, and end at the edge of the map. Classes are nested."),
        ("flood", "areas", "Flooded areas and areas of alerts as the collections have them."),
    )
}  # fmt: skip
"""Names and descriptions that replace those of `_METHODS` where a raster is counted."""

_METHODS = {
    "storm": {
        "name": "Places within zones of wind",
        "description": (
            "Zones of wind speeds of a system's track, as the collection of buffers has them. A place counts if its "
            "centre lies in the zone. Zones are nested: a place in winds of 64 kt is also in winds of 50 and 34 kt."
        ),
        "uncertainty": (
            "Wind radii are the largest extent in each quadrant, so zones are too large. Sources call radii "
            "that a model made `derived from nodes`: these may be off by half."
        ),
    },
    "earthquake": {
        "name": "Places within estimated intensity",
        "description": (
            "Modified Mercalli intensity by distance from the hypocentre, without the shape of the rupture and "
            "without site effects. A place counts if its centre lies where the class is expected. Classes are nested: "
            "a place in class VI and above is also in V and above."
        ),
        "equation": EQUATION,
        "uncertainty": (
            f"Standard deviation of the intensity: {sigma(10):.1f} at 10 km, {sigma(100):.1f} at 100 km. The rupture "
            "of a large earthquake extends far from the hypocentre, and the estimate is too low along it."
        ),
    },
    "shakemap": {
        "name": "Places within contours of a ShakeMap",
        "description": (
            "Areas within the contours of Modified Mercalli intensity of the publisher's ShakeMap, which includes "
            "measurements, reports and the rupture. A class begins half a unit below its number, VI at 5.5, as in "
            "PAGER, or at its number if the map has no such contour. Areas end at the edge of the map. A place counts "
            "if its centre lies in the area. Classes are nested: a place in class VI and above is also in V and above."
        ),
        "uncertainty": (
            "A ShakeMap is an estimate where no instrument stands. Its publisher revises it and states its "
            "uncertainty. Contours are smoothed, so small areas of stronger shaking are missing."
        ),
    },
    "flood": {
        "name": "Places within areas",
        "description": (
            "Flooded areas and areas of alerts as the collections have them. A place counts if its centre lies in one."
        ),
        "uncertainty": "Flooded areas are observed from satellites or drawn by hand; not everyone in one is affected.",
    },
}


def method(hazard: str, kinds: Collection[str], *, is_raster: bool = False) -> dict[str, Any]:
    """Return what the tables of a hazard say of their method.

    kinds: of the zones. is_raster: people are those of a population raster.
    """
    key = "shakemap" if hazard == "earthquake" and SHAKEMAP in kinds else hazard
    return {**_METHODS[key], **(_OF_CELLS[key] if is_raster else {})}

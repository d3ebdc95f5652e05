"""Places on Earth: tile matrix sets, their tiles, and the areas where a CRS has finite coordinates.

Stands on ogc, pg.
"""

"""What is known of places on Earth: tile matrix sets, their tiles, and where a CRS has finite coordinates.

Stands on ogc, pg.
"""

"""Parse the filter parameters of items and tiles, from a request to SQL with binds.

Stands on catalogue, cql, geo, ogc, pg.
"""

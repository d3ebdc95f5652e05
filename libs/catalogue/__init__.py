"""The collections as every service sees them.

Stands on concurrency, ogc, pg.
"""

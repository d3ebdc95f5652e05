"""Rows of the tables of schema hazard, as sources give them."""

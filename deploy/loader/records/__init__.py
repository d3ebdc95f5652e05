"""Rows of the tables of schema hazard, in the form that sources provide."""

"""Loads hazard data from their public sources into the tables of schema hazard, with write rights of its own."""

"""Load hazard data from their public sources into the tables of schema hazard, with its own write privileges."""

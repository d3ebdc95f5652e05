"""Demo data: builders turn packaged files into rows, `load` puts the rows into the tables."""

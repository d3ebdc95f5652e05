"""Demo data: builders convert packaged files to rows, `load` writes the rows into the tables."""

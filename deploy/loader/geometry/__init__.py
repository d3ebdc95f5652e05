"""Shapes as sources give them, made fit for the tables: valid, split at ±180°. Stands on nothing else here."""

"""A tree into SQL with binds."""

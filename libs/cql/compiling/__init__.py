"""Compile a tree into SQL with binds."""

"""The words of the standards. Imports the standard library only."""

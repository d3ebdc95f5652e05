"""The words of the standards. Imports the standard library only.

Stands on nothing.
"""

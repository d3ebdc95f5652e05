"""Background work, and work that requests share. Standard library only.

Stands on nothing.
"""

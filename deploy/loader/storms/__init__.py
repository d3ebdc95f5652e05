"""Storms as their sources tell of them: where they were, where they were expected, and how far their winds reached."""

"""The sources of hazard data: a module each."""

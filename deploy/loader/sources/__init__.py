"""The sources of hazard data: one module each."""

"""A request for features as a checked, frozen value."""

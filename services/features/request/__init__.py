"""Parse a request for features into a checked, frozen value."""

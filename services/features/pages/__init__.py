"""Features for people: what the templates need."""

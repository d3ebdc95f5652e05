"""Impacts of events: as sentences, as CSV with HXL tags, and the schema of their JSON."""

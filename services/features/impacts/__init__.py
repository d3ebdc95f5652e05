"""Impacts of events: as CSV with HXL tags, and the schema of their JSON."""

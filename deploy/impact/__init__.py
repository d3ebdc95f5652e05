"""Impacts of events: how many people and which facilities are in their zones. Writes schemas exposure and impact."""

"""What the map pages hold: data for their script, their policy, their template's values."""

"""What lies near a position: places, with people in them, country and province. Start at `gazetteer.Gazetteer`."""

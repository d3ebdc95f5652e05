"""The surroundings of a position: places with population, country and province. Start at `gazetteer.Gazetteer`."""

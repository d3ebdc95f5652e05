"""Libraries that at least two services share, each named for one concept."""

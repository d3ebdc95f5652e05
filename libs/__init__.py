"""Libraries that at least two services share, each named after one concept."""

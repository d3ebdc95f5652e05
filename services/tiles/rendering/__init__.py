"""From a request for a tile to its bytes: regions and SQL, which are pure, and running it."""

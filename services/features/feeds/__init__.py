"""Features as news: Atom entries with GeoRSS, and alerts of the Common Alerting Protocol."""

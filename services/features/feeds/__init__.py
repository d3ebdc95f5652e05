"""Features as news: entries of Atom with GeoRSS, and alerts of the Common Alerting Protocol."""

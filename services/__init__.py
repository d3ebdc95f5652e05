"""The four services, one for each tag of the API."""

"""The services' parts: fetched, merged strictly, published as one whole."""

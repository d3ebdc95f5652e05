"""Programs for developers, which the product does not import."""

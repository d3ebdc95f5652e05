"""Pages of features: the context of their templates."""

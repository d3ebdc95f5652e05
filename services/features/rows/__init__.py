"""The statements of features, and what runs them."""

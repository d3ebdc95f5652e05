"""The SQL statements of features, and the code that runs them."""

"""What is said of collections, as JSON."""

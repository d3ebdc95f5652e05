"""Loading again and again, politely: each source in its rhythm, by one of all who watch."""

"""Load repeatedly and politely: each source at its rhythm, by one of all watching processes."""

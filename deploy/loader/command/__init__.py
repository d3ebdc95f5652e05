"""The command line: what is asked for, and what is said of it."""

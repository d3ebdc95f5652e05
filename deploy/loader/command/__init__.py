"""The command line: its arguments and its output."""

"""nginx as the gateway runs it: its configuration in Python, and its process."""

"""The parts of a response's processor time: a bare service for comparison, and samples of ours by library."""

"""Of what the processor time of an answer is made: a bare service for comparison, and samples of ours by library."""

"""Ready-made programs that read the features of a request, to copy and run unchanged."""

"""The current situation: the features at the top of the landing page, read in the background."""

"""What is going on: the features that the landing page begins with, read in the background."""

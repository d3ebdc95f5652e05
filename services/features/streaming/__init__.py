"""Stream changes of collections: which collections changed, the listeners, and the messages."""

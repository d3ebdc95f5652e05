"""The notifier: sends new, upgraded and cancelled events to the subscribers of an operator's file."""

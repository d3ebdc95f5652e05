"""Texts of programs that read the features a request is about, to be copied and run as they are."""

"""A run as one SQLite file, and the journal beside it."""

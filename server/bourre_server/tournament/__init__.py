"""Who meets whom, and who leads. Pure."""

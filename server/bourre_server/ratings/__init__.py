"""How good each bot is, and how sure we are. Pure."""

"""Write a bot that plays Bourré at an arena."""

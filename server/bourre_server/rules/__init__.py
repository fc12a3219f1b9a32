"""What Bourré is: cards, decks, events, legality, settlement, hands and matches. Pure."""

"""Bourré Arena: rules, referee, tournaments and the command `bourre`."""

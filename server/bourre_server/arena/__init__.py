"""Everything that waits, on trio: the director of a run and the launcher of its bots."""

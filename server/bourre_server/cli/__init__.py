"""The command `bourre`: reads arguments and files, builds the parts, runs them."""

"""Generated from proto/bourre/v1 by proto/generate.sh."""

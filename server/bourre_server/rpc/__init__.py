"""gRPC in and out: the only floor that speaks the generated messages."""

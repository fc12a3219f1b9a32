"""Matches between seats: requests, clocks, faults. Sans-IO: time comes in as a number."""

"""What holds for all tests."""

import signal

# A shell that starts a job in the background has it ignore SIGINT, and so would every process of
# the tests; many of them are there to be interrupted.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

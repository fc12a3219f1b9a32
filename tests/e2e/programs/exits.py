"""Ends at once: with an exit code and a last word, or by the signal named."""

import os
import signal
import sys

if sys.argv[1].isdigit():
    sys.stderr.write("I give up\n")
    sys.exit(int(sys.argv[1]))
os.kill(os.getpid(), getattr(signal, sys.argv[1]))

"""Writes so many MiB to stdout and to stderr in turn, then leaves a last line on stderr."""

import os
import sys

chunk = b"x" * 1023 + b"\n"
for _ in range(int(sys.argv[1]) << 10):
    for fd in (1, 2):
        rest = memoryview(chunk)
        while rest:
            rest = rest[os.write(fd, rest) :]
os.write(2, b"played on to the end\n")

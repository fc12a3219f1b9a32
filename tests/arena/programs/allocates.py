"""Allocates so many MiB at once and says that it could."""

import sys

held = bytearray(int(sys.argv[1]) << 20)
sys.stderr.write(f"holding {len(held)} bytes\n")

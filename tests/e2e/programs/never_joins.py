"""Starts, and waits for ever."""

import threading

threading.Event().wait()

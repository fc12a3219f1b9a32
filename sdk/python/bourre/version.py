"""The version of this SDK."""

VERSION = "0.1.0"

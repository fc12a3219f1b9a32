"""The way to the referee: encrypted, unless it stays on this machine or the author says otherwise."""

import ipaddress
import os
from pathlib import Path

import grpc

from bourre.errors import PlayError

_OPTIONS = (
    # A referee that vanishes without a word is noticed within 30 seconds.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    # How long to wait is for the client to say: gRPC's own delays would grow to two minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
)
_NO_PROXY = ("grpc.enable_http_proxy", 0)


def open_channel(address: str) -> grpc.Channel:
    """A channel to HOST:PORT. BOURRE_INSECURE=1 does without encryption to any host.

    BOURRE_CA may name a file with the certificates to trust instead of gRPC's own. Raises PlayError.
    """
    if is_loopback(address):
        return grpc.insecure_channel(address, options=(*_OPTIONS, _NO_PROXY))
    if os.environ.get("BOURRE_INSECURE") == "1":
        return grpc.insecure_channel(address, options=_OPTIONS)
    ca = os.environ.get("BOURRE_CA")
    try:
        roots = Path(ca).read_bytes() if ca else None
    except OSError as error:
        raise PlayError(f"BOURRE_CA={ca}: {error.strerror}") from None
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(roots), options=_OPTIONS)


def is_loopback(address: str) -> bool:
    """Whether HOST:PORT is on this machine for certain. Raises PlayError where it is no HOST:PORT."""
    host, _, port = address.rpartition(":")
    without_brackets = ":" in host and not (host.startswith("[") and host.endswith("]"))
    if not host or not port.isdecimal() or without_brackets:
        raise PlayError(f"{address!r} is not an address: write HOST:PORT, such as 127.0.0.1:50051")
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:  # a name, and who knows where it leads
        return False

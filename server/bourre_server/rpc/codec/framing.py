"""Length-delimited protobuf fields, written by hand where bytes are kept and joined.

A protobuf message is the row of its fields, so fields that were serialised apart may be joined
(https://protobuf.dev/programming-guides/encoding/).
"""

from bourre.v1 import play_pb2

_LENGTH_DELIMITED = 2


def varint(value: int) -> bytes:
    """A number, 0 or more, as a base-128 varint."""
    if value < 0x80:
        return _ONE_BYTE[value]
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


_ONE_BYTE = [bytes([value]) for value in range(0x80)]


def tag(number: int) -> bytes:
    """The key of a length-delimited field."""
    return varint(number << 3 | _LENGTH_DELIMITED)


_MESSAGES = tag(play_pb2.PlayResponse.MESSAGES_FIELD_NUMBER)


def framed(message: bytes) -> bytes:
    """A RefereeMessage as an entry of a PlayResponse."""
    return _MESSAGES + varint(len(message)) + message

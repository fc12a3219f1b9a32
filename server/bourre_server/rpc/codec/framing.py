"""Protobuf fields written by hand, where bytes are kept and joined.

A message is the row of its fields, in any order, so fields that were serialised apart may be
joined (https://protobuf.dev/programming-guides/encoding/). A key is a field's number and wire
type; `key` gives it for a field of a generated message, so that a number stands nowhere twice.
"""

from bourre.v1 import play_pb2
from google.protobuf.message import Message

VARINT, LENGTH_DELIMITED = 0, 2

_SHORT = [bytes([value]) for value in range(0x80)]


def varint(value: int) -> bytes:
    """A number, 0 or more, as a base-128 varint."""
    if value < 0x80:
        return _SHORT[value]
    if value < 0x4000:
        return bytes((value & 0x7F | 0x80, value >> 7))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def key(message: type[Message], name: str, wire_type: int) -> bytes:
    """The key of a field. Lists of numbers are packed, so they are length-delimited."""
    return varint(message.DESCRIPTOR.fields_by_name[name].number << 3 | wire_type)


def delimited(field: bytes, content: bytes) -> bytes:
    """A message, a packed list of short numbers, or other bytes, as a field with this key."""
    return field + varint(len(content)) + content


_MESSAGES = key(play_pb2.PlayResponse, "messages", LENGTH_DELIMITED)


def framed(message: bytes) -> bytes:
    """A RefereeMessage as an entry of a PlayResponse."""
    return delimited(_MESSAGES, message)

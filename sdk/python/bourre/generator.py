"""The small repeatable generator of random numbers, the same in every language (see sdk/README.md)."""

import hashlib
import struct
from collections.abc import Iterator, MutableSequence, Sequence
from typing import TypeVar

T = TypeVar("T")

_WORDS = 1 << 64
_NAME = struct.Struct(">QII")
_FOUR_WORDS = struct.Struct(">4Q")


def _words(seed: int, stream: int) -> Iterator[int]:
    """64-bit words: SHA-256 of seed, stream and a counter, four words from each digest."""
    for counter in range(1 << 32):
        yield from _FOUR_WORDS.unpack(hashlib.sha256(_NAME.pack(seed, stream, counter)).digest())


class Generator:
    """Random numbers that depend on nothing but a seed (64 bits) and the number of a stream (32 bits).

    >>> Generator(seed=7, stream=1).below(6) == Generator(seed=7, stream=1).below(6)
    True
    """

    def __init__(self, seed: int, stream: int) -> None:
        self._words = _words(seed, stream)

    def below(self, n: int) -> int:
        """One of 0, 1, …, n - 1, each as likely as the others; n from 1 to 2**64."""
        if not 1 <= n <= _WORDS:
            raise ValueError(f"below({n}): n is at least 1 and at most 2**64")
        accepted = _WORDS - _WORDS % n
        while (word := next(self._words)) >= accepted:
            pass
        return word % n

    def uniform(self) -> float:
        """A number of at least 0 and less than 1."""
        return (next(self._words) >> 11) / (1 << 53)

    def choice(self, items: Sequence[T]) -> T:
        """One of the items, of which there must be at least one."""
        return items[self.below(len(items))]

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """k different items in random order; k from 0 to their number."""
        if not 0 <= k <= len(items):
            raise ValueError(f"cannot take {k} of {len(items)} items")
        pool = list(items)
        for i in range(k):
            j = i + self.below(len(pool) - i)
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:k]

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Put the items in random order, in place."""
        items[:] = self.sample(items, len(items))

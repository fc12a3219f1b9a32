"""Every random order of a match, derived by name from a seed and from nothing else.

Seeds are never drawn in the order in which things happen to finish, so a tournament gives the
same decks however many tables run at once. `server/RULES.md` sets the derivations down for
other languages.
"""

import hashlib
import hmac
import json
from collections.abc import Sequence
from struct import unpack

from bourre_server.rules.cards import DECK

SEED_BYTES = 32
# Four keys come from each; no more than a deck is ever shuffled.
_COUNTERS = [counter.to_bytes(4) for counter in range(len(DECK) // 4)]


def block_seed(secret: bytes, block: int) -> bytes:
    """The 32-byte seed of a block, from the secret of its tournament."""
    return hmac.digest(secret, f"block/{block}".encode(), "sha256")


def bot_seed(secret: bytes, block: int, rotation: int, seat: int) -> int:
    """The 64 bits that a seat may draw its own random numbers from. They decide no cards."""
    return int.from_bytes(hmac.digest(secret, f"bot/{block}/{rotation}/{seat}".encode(), "sha256")[:8])


def keys(seed: bytes, name: str, count: int) -> list[int]:
    """The first `count` sorting keys of a name: 64-bit words of counter-mode SHA-256."""
    prefix = seed + name.encode()
    digests = [hashlib.sha256(prefix + counter).digest() for counter in _COUNTERS[: (count + 3) // 4]]
    return list(unpack(f">{count}Q", b"".join(digests)[: 8 * count]))


def shuffled(cards: Sequence[int], seed: bytes, name: str) -> list[int]:
    """The cards in the order of the keys of `name`: the i-th card goes with the i-th key."""
    return [card for _, card in sorted(zip(keys(seed, name, len(cards)), cards, strict=True))]


def suit_order(seed: bytes, rotation: int) -> list[int]:
    """For each suit the suit that replaces it in a rotation of the block."""
    return shuffled(range(4), seed, f"suits/{rotation}")


class Dealing:
    """The decks of one match: those of its block, with the suits of its rotation."""

    def __init__(self, seed: bytes, rotation: int) -> None:
        self._seed = seed
        suits = suit_order(seed, rotation)
        self._relabelled = [13 * suits[card // 13] + card % 13 for card in DECK]

    def deck(self, hand: int) -> list[int]:
        """The deck of a hand, 1, 2, …, top card first."""
        relabelled = self._relabelled
        return [relabelled[card] for card in shuffled(DECK, self._seed, f"deck/{hand}")]

    def reshuffled(self, pool: Sequence[int], hand: int, nth: int) -> list[int]:
        """The new stock of the n-th reshuffle (1, 2, …) of a hand (R12), top card first.

        `pool` is in the order in which its cards lay in the deck.
        """
        # By index, so that the order does not depend on the suits of the rotation.
        order = shuffled(range(len(pool)), self._seed, f"deck/{hand}/{nth}")
        return [pool[i] for i in order]


def commitment(seed: bytes, seating: Sequence[str], house_rules: dict[str, object]) -> bytes:
    """What is published when a block starts: the hash of its seed, seating and house rules.

    The seed has 256 random bits, so the hash tells nothing about it.
    """
    text = json.dumps(
        {"house_rules": house_rules, "seating": list(seating), "seed": seed.hex()},
        ensure_ascii=False,
        separators=(",", ":"),
        sort_keys=True,
    )
    return hashlib.sha256(text.encode()).digest()

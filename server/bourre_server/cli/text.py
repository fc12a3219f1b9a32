"""Text from outside, made harmless to show: names, file values, what bots wrote."""

import json
import re
import unicodedata

MAX_NAME = 64
# Letters and marks that Unicode counts as printable and that show nothing.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def is_name(text: str) -> bool:
    """Whether an entrant may be called so: 1 to 64 characters that one can see, no blank at an end."""
    return (
        1 <= len(text) <= MAX_NAME and text.isprintable() and text.strip() == text and not _BLANK.search(text)
    )


def same_name(one: str, other: str) -> bool:
    """Whether a reader would take two names for one: letter case and width do not tell them apart."""
    return _folded(one) == _folded(other)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def plain(text: str) -> str:
    """`text` with every character that does not print shown as an escape such as \\x1b."""
    return "".join(char if char.isprintable() else _escape(char) for char in text)


def _escape(char: str) -> str:
    return char.encode("unicode_escape", "backslashreplace").decode("ascii")


def shown(value: object, longest: int = 60) -> str:
    """A value of a tournament file as one would write it, on one line, cut after `longest` characters."""
    text = plain(json.dumps(value, ensure_ascii=False, default=str))
    return text if len(text) <= longest else text[: longest - 1] + "…"

"""A TOML text together with the lines on which its keys stand."""

import re
import tomllib
from typing import Any

# Where a value stands, such as ("tournament", "seats") or ("bots", 1, "name").
Place = tuple[str | int, ...]

_HEADER = re.compile(r"\s*\[(\[?)\s*([\w.-]+)\s*\]")
_KEY = re.compile(r"""\s*["']?([\w-]+)["']?\s*=""")


class TomlDocument:
    """The values of a TOML text and where they stand.

    Raises tomllib.TOMLDecodeError.
    """

    def __init__(self, text: str) -> None:
        self.values: dict[str, Any] = tomllib.loads(text)
        self._lines = _lines(text)

    def set(self, section: str, key: str, value: object) -> None:
        """Puts a value in place of the text's; where `section` is no table it stays as it is."""
        table = self.values.setdefault(section, {})
        if isinstance(table, dict):
            table[key] = value

    def value(self, place: Place) -> object:
        """The value at a place.

        Raises LookupError where there is none.
        """
        value: Any = self.values
        for step in place:
            value = value[step]
        return value

    def line(self, place: Place) -> int | None:
        """The line of a place, or of what it would stand in; None where its shape is uncommon."""
        lengths = range(len(place), 0, -1)
        return next((self._lines[place[:n]] for n in lengths if place[:n] in self._lines), None)


def _lines(text: str) -> dict[Place, int]:
    """Finds the common shapes only, `[table]`, `[[table]]` and `key = …`: tomllib tells no lines."""
    lines: dict[Place, int] = {}
    tables: dict[str, int] = {}
    prefix: Place = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            is_array, name = header.groups()
            tables[name] = tables.get(name, -1) + 1
            prefix = (name, tables[name]) if is_array else (name,)
            lines.setdefault(prefix, number)
        elif key := _KEY.match(line):
            lines.setdefault((*prefix, key[1]), number)
    return lines

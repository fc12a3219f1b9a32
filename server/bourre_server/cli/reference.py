"""Writes `tournaments/README.md`, every key of a tournament file, from the model itself.

`python -m bourre_server.cli.reference > tournaments/README.md`
"""

import json
import sys
from collections.abc import Iterator

from pydantic.fields import FieldInfo

from bourre_server.cli.config import SECTIONS
from bourre_server.cli.sections import Section

HEAD = """# Tournament files

`bourre run FILE` plays what a TOML file says. The files here are ready to run:

- [quickstart.toml](quickstart.toml): four bots at one table of four seats, about 20 seconds on two cores.
- [full_table.toml](full_table.toml): seven seats, and entrants that share a program.

A file with an unknown key, a wrong value or a program that is not there is refused with one line that names
the file, the line, the key, the value and what is allowed; nothing is written then. In such a line `bots[2]`
is the second `[[bots]]`.

The hash of each bot's program is kept in the result: SHA-256 over the files that its command names, in order,
each by the SHA-256 of its content. The program itself counts too, unless it is `python`. A run goes on only
with the same hashes, or with `--accept-changed-bots`.

"""
TITLES = {name: f"[[{name}]]" if name == "bots" else f"[{name}]" for name in SECTIONS}


def reference() -> str:
    """The whole page, Markdown."""
    return HEAD + "\n".join("\n".join(_section(name, section)) for name, section in SECTIONS.items())


def _section(name: str, section: type[Section]) -> Iterator[str]:
    yield f"## `{TITLES[name]}`\n"
    yield f"{section.__doc__}\n"
    yield "| key | meaning | allowed | default |"
    yield "|---|---|---|---|"
    for key, field in section.model_fields.items():
        extra = field.json_schema_extra
        assert isinstance(extra, dict), "every key is made by sections.key"
        default = _default(field, extra.get("default"))
        yield f"| `{key}` | {field.description} | {extra['allowed']} | {default} |"
    yield ""


def _default(field: FieldInfo, text: object) -> str:
    if text:
        return str(text)
    return "required" if field.is_required() else f"`{json.dumps(field.default)}`"


if __name__ == "__main__":
    sys.stdout.write(reference())

"""Tournament files, good and bad."""

import re
import sys
from pathlib import Path

import pytest
from bourre_server.cli.config import Configuration, differences
from bourre_server.cli.config_file import TournamentFile, read_tournament
from bourre_server.cli.exits import BadInputError, Exit
from bourre_server.rules.house import HouseRules

GOOD = """
[tournament]
name = "T"
seats = 2
hands = 4
decks = 3

[[bots]]
name = "one"
command = "python bot.py"

[[bots]]
name = "two"
command = "python bot.py --fast"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bot.py").write_text("first version")
    return tmp_path


def read(folder: Path, text: str = GOOD, **overrides: object) -> TournamentFile:
    path = folder / "t.toml"
    path.write_text(text)
    return read_tournament(path, {("tournament", key): value for key, value in overrides.items()})


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)


def with_keys(section: str, line: str) -> str:
    return GOOD + f"\n[{section}]\n{line}\n"


def test_defaults(folder: Path) -> None:
    configuration = read(folder).configuration
    tournament, time = configuration.tournament, configuration.time
    assert (tournament.format, tournament.duplicates, tournament.isolation) == (
        "round_robin",
        True,
        "rotation",
    )
    assert (tournament.ask_forced, tournament.seed) == (False, None)
    assert (time.control, time.budget, time.bank, time.increment) == ("clock", 1.0, 10.0, 0.1)
    assert (time.startup, time.absence, time.forfeit_after) == (60.0, 60.0, 10)
    assert configuration.house_rules.house_rules() == HouseRules(limit=20)


def test_what_follows_from_the_keys(folder: Path) -> None:
    configuration = read(folder).configuration
    assert (configuration.schedule.blocks, len(configuration.schedule)) == (3, 6)
    assert (configuration.processes, configuration.tables) == (4, 64)


def test_without_duplicates_a_block_is_a_match(folder: Path) -> None:
    configuration = read(folder, duplicates=False, decks=4).configuration
    assert (configuration.schedule.blocks, len(configuration.schedule), configuration.processes) == (4, 4, 2)
    assert configuration.tournament.isolation == "none"


def test_no_limit(folder: Path) -> None:
    configuration = read(folder, with_keys("house_rules", 'limit = "none"')).configuration
    assert configuration.house_rules.house_rules() == HouseRules(limit=None)


@pytest.mark.parametrize("seed", [7, "7"])
def test_a_seed_is_a_text(folder: Path, seed: object) -> None:
    assert read(folder, seed=seed).configuration.tournament.seed == "7"


# What is wrong, the file, and what the line must say after "t.toml".
REFUSED = {
    "no tournament": ("[[bots]]\nname = 'a'\n", r": tournament is missing; allowed: a table \[tournament\]"),
    "unknown key": (
        changed("hands = 4", "hands = 4\nsaets = 2"),
        r":6: tournament.saets = 2 is not a key; did you mean seats\?",
    ),
    "misspelt key": (
        changed("seats", "seets"),
        r":4: tournament.seets = 2 is not a key; did you mean seats\?",
    ),
    "unknown table": (GOOD + "[tiem]\nbank = 1\n", r":15: tiem = \{.*\} is not a key; did you mean time\?"),
    "later table": (GOOD + "[compare]\n", r":15: compare = \{\} is not supported yet"),
    "wrong type": (changed("seats = 2", 'seats = "2"'), r':4: tournament.seats = "2"; allowed: 2 to 8'),
    "bool for int": (changed("seats = 2", "seats = true"), r":4: tournament.seats = true; allowed: 2 to 8"),
    "float for int": (changed("decks = 3", "decks = 3.0"), r":6: tournament.decks = 3.0; allowed: 1 or more"),
    "table for text": (changed('name = "T"', "name = {}"), r":3: tournament.name = \{\}; allowed: 1 to 64"),
    "too many seats": (changed("seats = 2", "seats = 9"), r":4: tournament.seats = 9; allowed: 2 to 8"),
    "too few entrants": (
        changed("seats = 2", "seats = 4"),
        r":4: tournament.seats = 4; allowed: at most the number of entrants \(2\)",
    ),
    "no bots": (GOOD.split("[[bots]]")[0], r": bots is missing; allowed: a table \[\[bots\]\] for each"),
    "one [bots]": (GOOD.split("[[bots]]")[0] + "[bots]\n", r":8: bots = \{\}; allowed: a table \[\[bots\]\]"),
    "hands": (
        changed("hands = 4", "hands = 5"),
        r":5: tournament.hands = 5; allowed: a positive multiple of seats \(2\)",
    ),
    "no hands": (
        changed("hands = 4", "hands = 0"),
        r":5: tournament.hands = 0; allowed: a positive multiple",
    ),
    "decks": (
        changed("decks = 3", "decks = 3\nduplicates = false"),
        r":6: tournament.decks = 3; allowed: a multiple of seats \(2\) where duplicates = false",
    ),
    "endless decks": (
        changed("decks = 3", "decks = 10_000_000_000"),
        r":6: tournament.decks = .* at most 4,294,967,295",
    ),
    "isolation": (
        changed("decks = 3", 'decks = 4\nduplicates = false\nisolation = "rotation"'),
        r':8: tournament.isolation = "rotation"; allowed: "match", "none" where duplicates = false',
    ),
    "later format": (
        changed("decks = 3", 'decks = 3\nformat = "gauntlet"'),
        r':7: tournament.format = "gauntlet"; allowed: "round_robin"; others are not supported yet',
    ),
    "misspelt format": (
        changed("decks = 3", 'decks = 3\nformat = "roundrobin"'),
        r':7: tournament.format = "roundrobin"; allowed: "round_robin"$',
    ),
    "negative seed": (
        changed("decks = 3", "decks = 3\nseed = -1"),
        r":7: tournament.seed = -1; allowed: an integer of 0",
    ),
    "later house rule": (
        with_keys("house_rules", "double_ante = true"),
        r":17: house_rules.double_ante = true is not supported yet; allowed: limit",
    ),
    "limit": (
        with_keys("house_rules", "limit = 0"),
        r':17: house_rules.limit = 0; allowed: 1 to 1,000,000, "none"',
    ),
    "limit text": (
        with_keys("house_rules", 'limit = "all"'),
        r':17: house_rules.limit = "all"; allowed: 1 to',
    ),
    "not a number": (with_keys("time", "budget = nan"), r":17: time.budget = NaN; allowed: 0.001 to 60"),
    "date": (with_keys("time", "bank = 2024-01-01"), r':17: time.bank = "2024-01-01"; allowed: 0 to 86,400'),
    "no command": (
        changed('command = "python bot.py"', ""),
        r":8: bots\[1\].command is missing; allowed: a program and its arguments, or external = true",
    ),
    "empty command": (changed("python bot.py", ""), r':10: bots\[1\].command = ""; allowed: a'),
    "open quote": (
        changed("python bot.py", "python 'bot.py"),
        r":10: bots\[1\].command = \"python 'bot.py\"; allowed: a",
    ),
    "command of numbers": (
        changed('"python bot.py"', "[1]"),
        r":10: bots\[1\].command = \[1\]; allowed: a text or",
    ),
    "NUL": (changed("bot.py", "\\u0000"), r":10: bots\[1\].command = \"python .u0000\"; allowed: a text or"),
    "no program": (
        changed("python bot.py", "no-such-program"),
        r":10: bots\[1\].command = .*; allowed: a program on PATH .*; no-such-program is not found",
    ),
    "no script": (
        changed("bot.py", "bit.py"),
        r":10: bots\[1\].command = .*; allowed: a script .*; bit.py is not found",
    ),
    "not a program": (
        changed("python bot.py", "./bot.py"),
        r":10: bots\[1\].command = .*; ./bot.py is not found",
    ),
    "no folder": (
        changed('name = "one"', 'name = "one"\ncwd = "x"'),
        r":10: bots\[1\].cwd = \"x\"; allowed: an existing",
    ),
    "twins": (
        changed('"two"', '"ONE"'),
        r':13: bots\[2\].name = "ONE"; allowed: no name twice, and line 9 has it already',
    ),
    "both": (
        changed('name = "one"', 'name = "one"\nexternal = true'),
        r":11: bots\[1\].command = .*; allowed: either command or external = true, not both",
    ),
    "instances": (
        changed('name = "one"', 'name = "one"\ninstances = 2'),
        r":10: bots\[1\].instances = 2; allowed: only with external = true",
    ),
    "too few instances": (
        changed('command = "python bot.py"', "external = true\ninstances = 1"),
        r":11: bots\[1\].instances = 1; allowed: 2, one for each seat",
    ),
    "token": (
        changed('name = "one"', 'name = "one"\nenv.BOURRE_TOKEN = "x"'),
        r":\d+: bots\[1\].env = .*; allowed: a table of texts without BOURRE_ADDRESS and BOURRE_TOKEN",
    ),
    "number in env": (
        changed('name = "one"', 'name = "one"\nenv = {A = 1}'),
        r":10: bots\[1\].env = .*; allowed: a table",
    ),
    "long value": (changed('"one"', f'"{"x" * 65}"'), r":9: bots\[1\].name = \"x{58}…; allowed: 1 to 64"),
    "not TOML": ("[tournament\n", r": not TOML: .*line 1"),
    "deep": ("a = " + "[" * 100_000, r": not TOML: "),
}


@pytest.mark.parametrize(("text", "line"), REFUSED.values(), ids=REFUSED)
def test_bad_files(folder: Path, text: str, line: str) -> None:
    with pytest.raises(BadInputError) as caught:
        read(folder, text)
    said = str(caught.value)
    assert re.search("t.toml" + line, said), said
    assert said.isprintable()
    assert caught.value.exit_code == Exit.BAD_INPUT


@pytest.mark.parametrize(
    "name",
    ["", " a", "a\\nb", "\\u001b[31m", "a\\u202eb", "\\u200b", "a\\ufe0f", "\\u3164", "\\u00a0", "a" * 65],
)
def test_names_that_cannot_be_seen(folder: Path, name: str) -> None:
    with pytest.raises(BadInputError, match=r"bots\[1\].name") as caught:
        read(folder, changed('"one"', f'"{name}"'))
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", ["<script>", "[red]x[/red]", "{{7*7}}", "=1+1", "Bourré", "🂡" * 64, "牌"])
def test_names_that_can(folder: Path, name: str) -> None:
    assert read(folder, changed('"one"', f"'{name}'")).configuration.bots[0].name == name


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"none\.toml: No such file"):
        read_tournament(tmp_path / "none.toml", {})


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(BadInputError, match="not UTF-8 at byte 8"):
        read_tournament(tmp_path / "t.toml", {})


def test_the_dump_comes_back(folder: Path) -> None:
    configuration = read(folder, seed=7, tables=3).configuration
    again = Configuration.model_validate(configuration.dump())
    assert again.dump() == configuration.dump()
    assert again.tournament.tables is None


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("hands = 4", "hands = 6", "tournament.hands"),
        ("hands = 4", "hands = 4\ntables = 9", None),
        ("hands = 4", "hands = 4 # antes", None),
        ("hands = 4", "hands = 4\nseed = 0", "tournament.seed"),
        ("bot.py --fast", "bot.py --slow", "bots[2].command"),
        ('"one"', '"uno"', "bots[1].name"),
        ('name = "one"', 'name = "one"\nenv.A = "1"', "bots[1].env.A"),
        ("[[bots]]", '[[bots]]\nname = "zero"\nexternal = true\n[[bots]]', "bots"),
        ("[[bots]]", "[time]\nbank = 9\n[[bots]]", "time.bank"),
    ],
)
def test_which_key_differs(folder: Path, old: str, new: str, key: str | None) -> None:
    first, second = read(folder).configuration, read(folder, changed(old, new)).configuration
    assert differences(first.dump(), second.dump()) == key


def test_python_is_the_interpreter_that_runs_us(folder: Path) -> None:
    program = read(folder).programs[0]
    assert program is not None
    assert program.argv == (sys.executable, "bot.py")
    assert program.cwd == folder.resolve()


def test_paths_with_blanks(tmp_path: Path) -> None:
    folder = tmp_path / "my bots"
    folder.mkdir()
    (folder / "a bot").write_text("#!/bin/sh\n")
    (folder / "a bot").chmod(0o755)
    (folder / "bot.py").write_text("")
    program = read(folder, changed("python bot.py", "'./a bot' --level 3")).programs[0]
    assert program is not None
    assert program.argv == (str(folder.resolve() / "a bot"), "--level", "3")


def test_an_external_bot_has_no_program(folder: Path) -> None:
    assert read(folder, changed('command = "python bot.py"', "external = true")).programs[0] is None


@pytest.mark.parametrize(
    ("command", "named"), [("python bot.py --fast", True), ("/bin/true bot.py", True), ("/bin/true", False)]
)
def test_the_digest_follows_the_named_files(folder: Path, command: str, named: bool) -> None:
    def digest() -> str:
        program = read(folder, changed("python bot.py", command)).programs[0]
        assert program is not None
        return program.digest

    before = digest()
    assert digest() == before
    (folder / "bot.py").write_text("second version")
    assert (digest() != before) == named

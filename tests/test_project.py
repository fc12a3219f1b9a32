"""What holds for the repository as a whole."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from bourre.version import VERSION

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PINS = (ROOT / "constraints.txt").read_text()
# Places that exist on one machine only, and options that name where packages come from there.
ELSEWHERE = re.compile(
    r"/(?:home|Users|root|opt|work)/\w|/tmp/\w|--(?:extra-)?index-url|--find-links|--trusted-host"
)
# Pages that files may link to. The documentation of a standard is fine, a package index is not.
HOSTS = {"keepachangelog.com", "protobuf.dev", "semver.org"}


def tracked() -> list[Path]:
    """The repository's own text files; without git there is nothing to ask."""
    # Whoever owns the clone: CI may be root.
    listing = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    try:
        listed = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True, encoding="utf-8").stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    paths = (ROOT / name for name in listed.split("\0") if name)
    return [path for path in paths if path.is_file() and path != Path(__file__)]


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """The content of every tracked file."""
    paths = tracked()
    if not paths:
        pytest.skip("not a git repository, or git is not installed")
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}


def test_no_file_names_a_machine(texts: dict[str, str]) -> None:
    found = {name: match[0] for name, text in texts.items() if (match := ELSEWHERE.search(text))}
    assert found == {}


def test_no_file_links_to_another_host(texts: dict[str, str]) -> None:
    found = {host: name for name, text in texts.items() for host in re.findall(r"https?://([\w.:-]+)", text)}
    elsewhere = {host: name for host, name in found.items() if not host.startswith("127.0.0.1")}
    assert {host: name for host, name in elsewhere.items() if host not in HOSTS} == {}


def test_the_versions_agree() -> None:
    latest = re.search(r"^## \[(\d.*?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert latest is not None
    assert PROJECT["project"]["version"] == VERSION == latest[1]


@pytest.mark.parametrize("line", PINS.splitlines()[1:])
def test_a_pin_is_a_name_and_a_version(line: str) -> None:
    assert re.fullmatch(r"[a-z0-9-]+==[\w.]+", line)


def test_pins_are_sorted_and_cover_what_the_project_names() -> None:
    names = re.findall(r"^([a-z0-9-]+)==", PINS, re.MULTILINE)
    assert names == sorted(set(names))
    project = PROJECT["project"]
    needs = [*PROJECT["build-system"]["requires"], *project["dependencies"]]
    needs += project["optional-dependencies"]["dev"]
    assert {re.split(r"[<>=~! \[]", need)[0] for need in needs} <= set(names)


def test_the_sdk_needs_what_the_server_allows() -> None:
    """Both are installed together, and the server's wheel has the SDK in it."""
    sdk = tomllib.loads((ROOT / "sdk" / "python" / "pyproject.toml").read_text())["project"]
    assert set(sdk["dependencies"]) <= set(PROJECT["project"]["dependencies"])
    assert sdk["requires-python"] == PROJECT["project"]["requires-python"]

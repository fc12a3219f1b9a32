"""Functions and modules stay short enough to read in one sitting."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted(
    path
    for folder in ("server", "sdk", "sample_bots", "tests")
    for path in (ROOT / folder).rglob("*.py")
    if "_pb2" not in path.name
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_budget(path: Path) -> None:
    source = path.read_text()
    assert len(source.splitlines()) <= 500
    functions = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    long = {
        node.name: lines for node in functions if (lines := (node.end_lineno or 0) - node.lineno + 1) > 60
    }
    assert not long

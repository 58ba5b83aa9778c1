"""Scripts and targets that a sentence names."""

import pytest

from gitmem.commands.adopt.claims.commands import command_claims
from gitmem.commands.adopt.statements import split


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("- `npm run build:all`", [("script", "build:all")]),
        ("- `pnpm lint` and `pnpm install`", [("script", "lint"), ("script", "install")]),
        ("- `CI=true make test lint`", [("make", "test"), ("make", "lint")]),
        ("- `uv run poe format`", [("poe", "format")]),
        ("- `pnpm -C docs run table`", [("script", "table")]),
        ("- `make` and `just`", []),
        ("```sh\n$ cd app && task lint-go # quick\n```", [("task", "lint-go")]),
        ("```python\nmake(test)\n```", []),
    ],
)
def test_target_is_found_with_its_runner(text, targets):
    found = [claim for statement in split(text) for claim in command_claims(statement)]

    assert [(one.tool, one.name) for one in found] == targets

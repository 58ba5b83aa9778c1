"""The memories about a file: exactly those whose checks, inputs or paths name it."""

from __future__ import annotations

import pytest
from conftest import git
from support.facts import make_fact, make_memory, put

from gitmem.commands.context.dependents import facts_reading, gotchas_about
from gitmem.memory import Memory

PLACE = "src/gateway/retry.py"
NAMED = {
    "exact": PLACE,
    "line": f"{PLACE}:3-5",
    "folder": "src/gateway",
    "slash": "src/gateway/",
    "below": "src/**",
    "deep": "**/*.py",
    "star": "src/gateway/*.py",
    "set": "src/gateway/[qr]etry.py",
}
OTHERS = {"sibling": "src/gateway/retry.pyi", "other": "src/*.py", "prefix": "src/gate", "end": "gateway/retry.py"}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory):
    """Return what depends on the file in a store of memories that name it, and of others that do not."""
    folder = tmp_path_factory.mktemp("dependents")
    git(folder, "init", "-q", "-b", "main")
    for name in ("name", "email"):
        git(folder, "config", f"user.{name}", "ana@example.org")
    git(folder, "commit", "-q", "--allow-empty", "-m", "code")
    with Memory(folder) as memory:
        memory.init(offline=True)
        made = []
        for name, glob in (NAMED | OTHERS).items():
            made += [make_memory(f"gotcha-{name}", name, paths=[glob])]
            made += [make_fact(f"fact-{name}", f"test -e x # {name}", paths=[glob])]
            made += [make_fact(f"builtin-{name}", {"contains": "RETRIES", "in": glob})]
        put(folder, *made, make_memory("learned-exact", "No warning", kind="learned", paths=[PLACE]))
        catalog = memory.repository.catalog()
        yield [one.key for one in facts_reading(catalog, PLACE)], [one.key for one in gotchas_about(catalog, PLACE)]


def test_gotchas_are_those_whose_paths_name_the_file(asked) -> None:
    assert sorted(asked[1]) == sorted(f"gotcha-{name}" for name in NAMED)


@pytest.mark.parametrize("kind", ["fact", "builtin"])
def test_facts_are_those_whose_checks_read_it(asked, kind: str) -> None:
    found = {key.removeprefix(f"{kind}-") for key in asked[0] if key.startswith(kind)}

    # A built-in check's words may be regular expressions, so that a set in them is not looked for.
    assert found == set(NAMED) - ({"set"} if kind == "builtin" else set())

"""Checks that were never seen to hold: what is missing here is named and accuses nothing; true breaks are not excused.

All cases of one rung run together, so that the table is cheap.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git
from support.facts import BETWEEN, approve_all, commit_later, make_fact, outcomes, put, result_of, statuses, verify

from gitmem.memory import Memory
from gitmem.verify.sandbox import sandbox

LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
HAS_TRACE = shutil.which("strace") is not None

# A check, what its reason names, and whether only a trace shows it.
MISSING: dict[str, tuple[object, str, bool]] = {
    "ignored-folder": ("grep -q HELLO dist/out.txt", "it looked for dist, which git ignores", True),
    "ignored-silently": ("test -s dist/out.txt", "it looked for dist, which git ignores", True),
    "dependencies": ("test -e node_modules/is-odd", "node_modules, which is not in this work tree", True),
    "python-module": ("python3 -c 'import no_such_module_x'", "the Python module no_such_module_x", False),
    "python-m": ("python3 -m no_such_tool_x", "the Python module no_such_tool_x", False),
    "program-in-script": ("sh tools/script.sh; test $? = 0", "the program no-such-prog-x", False),
    "program-silently": ("command -v no-such-prog-x >/dev/null || exit 1", "the program no-such-prog-x", True),
    "program-by-env": ("/usr/bin/env no-such-prog-x; test $? = 0", "no-such-prog-x", False),
    "program-by-make": ("printf 'all:\\n\\tno-such-prog-x a\\n' | make -s -f -", "no-such-prog-x", False),
    "exit-127": ("no-such-prog-x", "no-such-prog-x", False),
    "variable": ('test -n "$GM_UNSET_X" && grep -q service README.md', "GM_UNSET_X", False),
    "submodule": ("grep -qx 1 lib/VERSION", "lib/VERSION is in a submodule (lib)", True),
    "submodule-built-in": ({"contains": "1", "in": "lib/VERSION"}, "lib is a submodule", False),
    "submodule-absent": ({"absent": "lib/VERSION"}, "lib is a submodule", False),
    "lfs": ("grep -q PNG big.bin", "big.bin is a Git LFS pointer", True),
    "locale": ("python3 -c 'import locale; locale.setlocale(locale.LC_ALL, \"xx_XX\")'", "a locale", False),
    "cannot-say": ("exit 125", "it cannot say (exit 125)", False),
    "killed": ("kill -9 $$", "killed by a signal", False),
    "crate-cache": ("echo 'error: no matching package named `rand` found'; exit 101", "the crate rand", False),
}
PYTHON = ("import socket", "socket.create_connection(('127.0.0.1', 9))")
MISSING["port"] = (["python3", "-c", "; ".join(PYTHON)], "", False)
# Failures of which nothing is known.
UNKNOWN = {
    "assertion": "python3 -c 'assert 1 == 2'",
    "text": "grep -q nothing README.md",
    "tracked-file": "test -e src/none.py",
    "program-form": ["grep", "-q", "nothing", "README.md"],
}
# Checks that held, or held where they were written, and that the last commit broke: whatever they miss, it is the code.
BROKEN = {
    "module-deleted": "PYTHONDONTWRITEBYTECODE=1 python3 -c 'import own'",
    "script-renamed": "sh tools/moved.sh",
    "assertion-held": "grep -q four value",
    "needs-new-program": "sh tools/grows.sh",
    "looks-into-ignored": "sh tools/looks.sh",
}


@pytest.fixture(params=["bubblewrap", "landlock"])
def rung(request, monkeypatch, tmp_path_factory) -> str:
    """A rung of the sandbox that works here; bubblewrap is hidden for the others."""
    if request.param == "landlock":
        folder = tmp_path_factory.mktemp("none")
        (folder / "bwrap").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
        (folder / "bwrap").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    if sandbox.probe(os.environ["PATH"]) != request.param:
        pytest.skip(f"{request.param} does not work here")
    monkeypatch.setenv("GITMEM_TRACE", "auto")
    monkeypatch.delenv("GM_UNSET_X", raising=False)
    return str(request.param)


@pytest.fixture
def code(memory: Memory, repo: Path) -> Path:
    files = {
        ".gitignore": "dist/\nnode_modules/\n",
        ".gitattributes": "*.bin filter=lfs\n",
        "big.bin": LFS,
        "tools/script.sh": "no-such-prog-x --flag\n",
        "tools/moved.sh": "exit 0\n",
        "tools/grows.sh": "exit 0\n",
        "tools/looks.sh": "exit 0\n",
        "own.py": "x = 1\n",
        "value": "four\n",
    }
    commit_files(repo, files)
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{git(repo, 'rev-parse', 'HEAD')},lib")
    git(repo, "commit", "-q", "-m", "add a submodule")
    (repo / "dist").mkdir()
    (repo / "dist/out.txt").write_text("HELLO\n", encoding="utf-8")
    return repo


def put_all(repo: Path, checks: dict[str, object]) -> None:
    put(repo, *(make_fact(key, check, created=BETWEEN) for key, check in checks.items()))


def break_all(repo: Path) -> None:
    git(repo, "mv", "tools/moved.sh", "tools/elsewhere.sh")
    changes = {
        "own.py": None,
        "value": "five\n",
        "tools/grows.sh": "no-such-prog-x || exit 1\n",
        "tools/looks.sh": "test -e dist/other || exit 1\n",
    }
    commit_later(repo, changes)


def test_nothing_is_accused_that_never_held(rung, memory, code):
    put_all(code, {key: case[0] for key, case in MISSING.items()} | UNKNOWN)
    approve_all(memory)

    run = verify(memory, no_sandbox=False)

    expected = dict.fromkeys(MISSING, "blocked") | dict.fromkeys(UNKNOWN, "unproven")
    if not HAS_TRACE:
        expected |= {key: "unproven" for key, (_, _, needs_trace) in MISSING.items() if needs_trace}
    assert outcomes(run) == expected
    for key, (_, named, needs_trace) in MISSING.items():
        assert named in result_of(run, key).reason or (needs_trace and not HAS_TRACE), key
    assert statuses(memory) == expected


@pytest.mark.parametrize("has_held", [True, False], ids=["held-here", "held-where-it-was-written"])
def test_true_breaks_are_not_excused(rung, memory, code, has_held):
    put_all(code, BROKEN)
    approve_all(memory)
    if has_held:
        assert outcomes(verify(memory, no_sandbox=False)) == dict.fromkeys(BROKEN, "holds")

    break_all(code)
    with Memory(code, clock=lambda: float(NOW + 90)) as later:
        run = verify(later, no_sandbox=False)

        failed = {key for key, outcome in outcomes(run).items() if outcome == "fails"}
        assert failed == set(BROKEN) - {"script-renamed"}  # git says where it went, and it holds there
        assert all(result_of(run, key).verdict.confirmed for key in failed)

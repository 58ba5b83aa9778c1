"""Definitions in edits become code patterns if the store wants that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import git, put_files
from support.agent_work import SECRET, captured_memories, edited, refusals, wrote
from support.each import each

from gitmem.agents import on_event
from gitmem.agents.capture.patterns import CUT, first_lines, patterns_in
from gitmem.agents.event import Edit
from gitmem.memory import Memory
from gitmem.text.budget import count_tokens

CODE = '''def retried(call, *, times=3, pause_s=0.5):
    """Call something that may fail, a few times, with a pause that doubles; the last failure is raised."""
    for attempt in range(times):
        try:
            return call()
        except TransientError:
            if attempt == times - 1:
                raise
            sleep(pause_s * 2**attempt)'''
FILE = f"import time\n\n\n{CODE}\n\n\nother = 1\n"


@pytest.fixture
def wanting(memory: Memory, repo: Path) -> Memory:
    """Return the memory of a store that wants patterns of edits."""
    put_files(repo, {"gitmem.toml": '[capture]\nedits = "patterns"\n'})
    return memory


def test_edit_becomes_a_pattern_with_its_lines(wanting: Memory, repo: Path) -> None:
    wrote(repo, "src/gateway/retry.py", FILE)

    on_event.tool_used(wanting, edited(repo, "src/gateway/retry.py", CODE))

    ((key, found),) = captured_memories(wanting).items()
    assert key == "retried-in-src-gateway-retry-py-1680b17f"
    assert found["kind"] == "code_pattern"
    assert found["frontmatter"]["refs"] == ["src/gateway/retry.py:4-12"]
    assert found["frontmatter"]["ttl"] == "30d"
    assert "    sleep(pause_s" in found["body"]


def test_pattern_keeps_the_key_that_an_earlier_version_gave_it(wanting: Memory, repo: Path) -> None:
    old = "code-pattern-src-gateway-retry-py-retried-1680b17f"
    refs = ["src/gateway/retry.py:1"]
    wanting.remember("    def retried(): ...", title="retried", kind="code_pattern", key=old, refs=refs)
    wrote(repo, "src/gateway/retry.py", FILE)

    on_event.tool_used(wanting, edited(repo, "src/gateway/retry.py", CODE))

    ((key, found),) = captured_memories(wanting).items()
    assert key == old
    assert found["frontmatter"]["refs"] == ["src/gateway/retry.py:4-12"]


def test_same_definition_changed_again_is_the_same_pattern(wanting: Memory, repo: Path) -> None:
    for text in (FILE, f"# moved\n{FILE.replace('times=3', 'times=5')}"):
        wrote(repo, "src/gateway/retry.py", text)
        now = CODE if CODE in text else CODE.replace("=3", "=5")
        on_event.tool_used(wanting, edited(repo, "src/gateway/retry.py", now))

    ((_, found),) = captured_memories(wanting).items()

    assert found["frontmatter"]["refs"] == ["src/gateway/retry.py:5-13"]
    assert "times=5" in found["body"]


def test_without_being_asked_for_there_are_none(memory: Memory, repo: Path) -> None:
    on_event.tool_used(memory, wrote(repo, "src/a.py", CODE))

    assert captured_memories(memory) == {}


def test_a_person_may_want_them_where_the_policy_does_not(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITMEM_CAPTURE_EDITS", "patterns")
    with Memory(repo) as opened:
        opened.init(offline=True)
        on_event.tool_used(opened, wrote(repo, "src/a.py", CODE))

        assert len(captured_memories(opened)) == 1


@each("path", ["../elsewhere.py", "ignored/a.py", "node_modules/a.js", "README.md", "src/a.min.js"])
def test_what_is_no_ones_code_here_is_left_alone(wanting: Memory, repo: Path, path: str) -> None:
    (repo / ".gitignore").write_text("ignored/\n")

    on_event.tool_used(wanting, wrote(repo, path, CODE))

    assert captured_memories(wanting) == {}


def test_code_with_a_secret_is_refused_and_nowhere_kept(wanting: Memory, repo: Path) -> None:
    on_event.tool_used(wanting, wrote(repo, "src/a.py", f"{CODE}\n    key = '{SECRET}'\n"))

    assert captured_memories(wanting) == {}
    assert "github-token" in refusals(wanting)[0]
    held = [path.read_bytes() for path in Path(wanting.repository.git.repository.state).rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in content for content in held)


@each(
    ("code", "names"),
    [
        (CODE, ["retried"]),
        ("export const retried = async (call: Call) => {\n" + "  await call();\n" * 20 + "}", ["retried"]),
        ("func (s *Server) Serve(ctx context.Context) error {\n" + "\treturn s.listen(ctx)\n" * 20 + "}", ["Serve"]),
        ("pub(crate) fn serve(self) -> Result<()> {\n" + "    self.listen()?;\n" * 20 + "}", ["serve"]),
        ("def small():\n    pass", []),
        ("x = 1\n" * 60, []),
        (
            "\n\n\n".join(CODE.replace("retried", f"retried_{n}") for n in range(12)),
            [f"retried_{n}" for n in range(12)],
        ),
    ],
    ids=["python", "typescript", "go", "rust", "small", "nothing-defined", "a file of 120 lines"],
)
def test_what_defines_something_of_some_length_is_a_pattern(code: str, names: list[str]) -> None:
    assert [one.name for one in patterns_in(code, Edit("a", "", code), "src/a.py")] == names


def test_new_file_is_cut_by_definitions_with_lines_language_and_commit(wanting: Memory, repo: Path) -> None:
    text = "import time\n\n\n" + "\n\n\n".join(CODE.replace("retried", f"retried_{n}") for n in range(12)) + "\n"

    on_event.tool_used(wanting, wrote(repo, "src/gateway/retry.py", text))

    found = [one["frontmatter"] for one in captured_memories(wanting).values()]
    assert sorted(one["refs"][0] for one in found) == sorted(
        f"src/gateway/retry.py:{4 + 11 * n}-{12 + 11 * n}" for n in range(12)
    )
    assert all("python" in one["tags"] for one in found)
    body = next(iter(captured_memories(wanting).values()))["body"]
    assert f"Edited on top of commit {git(repo, 'rev-parse', 'HEAD')[:12]}." in body


def test_definition_that_is_too_long_is_truncated(wanting: Memory, repo: Path) -> None:
    long = CODE + "\n        also(times)" * 400

    on_event.tool_used(wanting, wrote(repo, "src/a.py", long))

    ((_, found),) = captured_memories(wanting).items()
    assert found["frontmatter"]["refs"] == [f"src/a.py:1-{long.count(chr(10)) + 1}"]
    assert "    …" in found["body"]


def test_long_code_is_truncated_at_a_line() -> None:
    code = "def a():\n" + "    b()\n" * 200

    found = first_lines(code, limit_tokens=50)

    assert count_tokens(found) <= 51
    assert found.split("\n")[-2:] == ["    b()", CUT]
    assert first_lines("def a(): pass", limit_tokens=50) == "def a(): pass"


def test_file_is_cut_with_the_grammar_of_its_language() -> None:
    pytest.importorskip("tree_sitter_typescript")
    body = "\n".join(f"  step{n}(`\nfunction not${{{n}}}() {{\n}}\n`, [{n}, 'one more word']);" for n in range(20))
    code = f"@Part({{\n  name: 'a',\n}})\nexport class A {{\n run() {{\n{body}\n }}\n}}"

    (found,) = patterns_in(code, Edit("a", "", code), "src/a.ts")

    assert (found.name, found.ref) == ("A", f"src/a.ts:1-{code.count(chr(10)) + 1}")


def test_cell_of_a_notebook_is_a_pattern_of_its_line(wanting: Memory, repo: Path) -> None:
    lines = [f"{line}\n" for line in CODE.split("\n")]
    cells = [{"cell_type": "code", "source": ["import time\n"]}, {"cell_type": "code", "source": lines}]
    (repo / "a.ipynb").write_text(json.dumps({"cells": cells}, indent=1))

    on_event.tool_used(wanting, edited(repo, "a.ipynb", CODE))

    ((_, found),) = captured_memories(wanting).items()
    number = (repo / "a.ipynb").read_text().split("\n").index(
        '    "def retried(call, *, times=3, pause_s=0.5):\\n",'
    ) + 1
    assert found["frontmatter"]["refs"] == [f"a.ipynb:{number}-{number + 8}"]


def test_profile_bmad_keeps_patterns(memory: Memory, repo: Path) -> None:
    put_files(repo, {"gitmem.toml": '[session]\nprofile = "bmad"\n'})

    on_event.tool_used(memory, wrote(repo, "src/a.py", CODE))

    assert len(captured_memories(memory)) == 1


def test_lines_that_are_not_sure_are_none() -> None:
    edit = Edit("a.py", "", CODE)

    assert patterns_in(CODE + "\n\n" + CODE, edit, "a.py") == []
    assert patterns_in("changed since", edit, "a.py") == []

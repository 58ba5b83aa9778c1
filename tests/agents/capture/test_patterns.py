"""What an edit defines becomes a code pattern, where the store wants that."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import put_files
from support.agent_work import SECRET, edited, kept, refusals, wrote

from gitmem.agents import on_event
from gitmem.agents.capture.patterns import is_code, is_pattern, pattern_in
from gitmem.agents.event import Edit
from gitmem.memory.memory import Memory

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

    ((key, found),) = kept(wanting).items()
    assert key.startswith("code-pattern-src-gateway-retry-py-retried-")
    assert found["kind"] == "code_pattern"
    assert found["frontmatter"]["refs"] == ["src/gateway/retry.py:4-12"]
    assert found["frontmatter"]["ttl"] == "30d"
    assert "    sleep(pause_s" in found["body"]


def test_same_definition_changed_again_is_the_same_pattern(wanting: Memory, repo: Path) -> None:
    for text in (FILE, f"# moved\n{FILE.replace('times=3', 'times=5')}"):
        wrote(repo, "src/gateway/retry.py", text)
        now = CODE if CODE in text else CODE.replace("=3", "=5")
        on_event.tool_used(wanting, edited(repo, "src/gateway/retry.py", now))

    ((_, found),) = kept(wanting).items()

    assert found["frontmatter"]["refs"] == ["src/gateway/retry.py:5-13"]
    assert "times=5" in found["body"]


def test_without_being_asked_for_there_are_none(memory: Memory, repo: Path) -> None:
    on_event.tool_used(memory, wrote(repo, "src/a.py", CODE))

    assert kept(memory) == {}


def test_a_person_may_want_them_where_the_policy_does_not(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITMEM_CAPTURE_EDITS", "patterns")
    with Memory(repo) as opened:
        opened.init(offline=True)
        on_event.tool_used(opened, wrote(repo, "src/a.py", CODE))

        assert len(kept(opened)) == 1


@pytest.mark.parametrize("path", ["../elsewhere.py", "ignored/a.py", "node_modules/a.js", "README.md", "src/a.min.js"])
def test_what_is_nobodys_code_here_is_left_alone(wanting: Memory, repo: Path, path: str) -> None:
    (repo / ".gitignore").write_text("ignored/\n")

    on_event.tool_used(wanting, wrote(repo, path, CODE))

    assert kept(wanting) == {}


def test_code_with_a_secret_is_refused_and_nowhere_kept(wanting: Memory, repo: Path) -> None:
    on_event.tool_used(wanting, wrote(repo, "src/a.py", f"{CODE}\n    key = '{SECRET}'\n"))

    assert kept(wanting) == {}
    assert "github-token" in refusals(wanting)[0]
    held = [path.read_bytes() for path in Path(wanting.repository.git.repository.state).rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in content for content in held)


@pytest.mark.parametrize(
    ("code", "worth"),
    [
        (CODE, True),
        ("export const retried = async (call: Call) => {\n" + "  await call();\n" * 20 + "}", True),
        ("func (s *Server) Serve(ctx context.Context) error {\n" + "\treturn s.listen(ctx)\n" * 20 + "}", True),
        ("pub(crate) fn serve(self) -> Result<()> {\n" + "    self.listen()?;\n" * 20 + "}", True),
        ("def small():\n    pass", False),
        (CODE * 20, False),
        ("x = 1\n" * 60, False),
    ],
    ids=["python", "typescript", "go", "rust", "small", "large", "nothing-defined"],
)
def test_only_what_defines_something_of_some_length_is_worth_it(code: str, worth: bool) -> None:
    assert is_pattern(code) is worth


def test_lines_that_are_not_sure_are_none() -> None:
    edit = Edit("a.py", "", CODE)

    assert pattern_in(CODE + "\n\n" + CODE, edit, "a.py") is None
    assert pattern_in("changed since", edit, "a.py") is None
    assert is_code("src/a.tsx")

"""Walks through the five systems' documents, in stores that ``init --profile`` made, with their example payloads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import git
from support.agent_work import captured_memories, ran, wrote
from support.console import GITMEM, on_terminal
from support.facts import DAY, Clock
from support.sessions import prompt_event, started

from gitmem.agents import on_event
from gitmem.agents.event import SUBAGENT_STOP, Event
from gitmem.errors import RefusedError
from gitmem.memory import Memory
from gitmem.plugins.import_.run import Sources
from gitmem.plugins.workflow.pre_work import Work
from gitmem.plugins.workflow.step import WorkflowStep
from gitmem.policy import load
from gitmem.policy.profiles import PROFILES, profile_policy
from gitmem.recall.query import Query

STEP = WorkflowStep()


def begun(repo: Path, profile: str, clock: Clock | None = None) -> Memory:
    memory = Memory(repo, clock=clock or Clock())
    memory.init(offline=True, profile=profile)
    return memory


def imported(memory: Memory, path: Path, *tables: object) -> None:
    path.write_text("".join(json.dumps(table) + "\n" for table in tables))
    done = memory.bulk.import_files(Sources((str(path),)))
    assert (done.unreadable.kept, done.refused.kept) == ([], [])


def keys(found) -> list[str]:
    return [hit.key for hit in found.hits]


def test_beadboard(repo: Path, tmp_path: Path) -> None:
    learned = "TaskGroup requires @Sendable closures in strict concurrency mode."
    with begun(repo, "beadboard") as memory:
        # A1, A2, A3, A4, A9: the comment of the document, as its hook sees it
        on_event.tool_used(memory, ran(repo, f'bd comment BD-001 "LEARNED: {learned}"'))
        ((key, found),) = captured_memories(memory).items()
        assert key.startswith("taskgroup-requires-sendable-closures")
        assert {"async", "concurrency"} <= set(found["frontmatter"]["tags"])
        assert found["frontmatter"]["task"] == "BD-001"
        assert found["frontmatter"]["by"]["role"] == "orchestrator"
        # nothing else is captured, and nothing is recalled unasked
        failed = ran(repo, "make", failed=True, output="error: no rule")
        for event in (failed, ran(repo, "make"), wrote(repo, "notes/a.md", "The API wants a Bearer prefix")):
            on_event.tool_used(memory, event)
        assert list(captured_memories(memory)) == [key]
        assert on_event.answer_prompt(memory, prompt_event(f"why does {learned}")) == ""
        # A5, A8: its log and its archive come in; the same key counts once
        row = {"key": "learned-popup", "type": "learned", "content": "MenuBarExtra popup closes on NSWindow activate.",
               "source": "supervisor", "tags": ["learned"], "ts": 1706360000, "bead": "BD-002"}  # fmt: skip
        imported(memory, tmp_path / "knowledge.jsonl", row, row | {"content": "Use activates:false.", "ts": 1706360001})
        imported(memory, tmp_path / "knowledge.archive.jsonl", row | {"key": "old", "content": "Popups were sheets."})
        assert memory.show("learned-popup").document["title"] == "Use activates:false"
        # A6: the newest, how many there are, and how to search
        text = on_event.session_started(memory, started())
        assert "This repository has 2 memories: gitmem recall" in text
        assert "(learned, by agent supervisor) Use activates:false" in text
        assert "Back claims" not in text
        # A7
        assert keys(memory.recall("sheets")) == []
        assert keys(memory.recall(Query("sheets", everything=True))) == ["old"]
        assert keys(memory.recall("popup activates", kinds=["learned"]))[0] == "learned-popup"
        # A10: a sub-agent is asked for its work tree, low-level workers are not
        (repo / "left.py").write_text("x = 1\n")
        for kind, is_asked in (("worker-supervisor", False), ("supervisor", True)):
            git(repo, "worktree", "add", "-q", "-b", kind, str(tmp_path / kind))
            (tmp_path / kind / "left.py").write_text("x = 1\n")
            event = Event("claude-code", SUBAGENT_STOP, session="s1", agent=kind, agent_type=kind)
            with Memory(tmp_path / kind, clock=Clock()) as there:
                assert ("uncommitted" in on_event.subagent_stopped(there, event)) == is_asked


def test_beans(repo: Path, tmp_path: Path) -> None:
    clock = Clock()
    with begun(repo, "beans", clock) as memory:
        # B1, B6
        with pytest.raises(RefusedError, match="needs a check"):
            memory.fact("Session timeout is 24h")
        memory.fact(
            "Auth uses RS256 signing", contains="RS256", within="src/auth/*.py", key="rs256", paths=["src/auth/**"]
        )
        assert memory.repository.policy().verify.ttl_s == 30 * DAY
        # B2, B3: the document's own file, an attempt that fails, and one that closes
        (tmp_path / "41.yaml").write_text(
            "id: '41'\ntitle: Beans Memory System\nslug: beans-memory-system\nstatus: open\npriority: 2\n"
            'created_at: 2026-02-05T18:33:19.000683Z\ndescription: "# Beans Memory System"\n'
        )
        assert memory.bulk.import_files(Sources((str(tmp_path / "41.yaml"),))).unreadable.total == 0
        memory.tasks.add("Implement JWT refresh tokens", key="refresh", paths=["src/auth/**"])
        memory.tasks.claim("refresh")
        memory.tasks.fail("refresh", note="token not in httponly cookie")
        assert memory.tasks.claim("refresh")[1].past_attempts[0].notes == "token not in httponly cookie"
        memory.tasks.close("bean-41", reason="Created JwtClaims, RS256 with env vars")
        # B4, B8: the digest, warnings first
        found = memory.context(budget_tokens=0).document
        names = [section["name"] for section in found["sections"]]
        assert names == ["WARNINGS", "WORKING ON", "RELEVANT FACTS", "RECENT WORK"]
        message = [" ".join(item["text"] for item in section["items"]) for section in found["sections"]]
        assert "PAST FAILURE: Implement JWT refresh tokens" in message[0]
        assert "attempt 2" in message[1]
        assert "Auth uses RS256 signing" in message[2]
        assert "Created JwtClaims" in message[3]
        assert memory.repository.policy().context.budget_tokens == 4000
        assert [row.key for row in memory.tasks.list(states=["closed"])] == ["bean-41"]
        # B9, B10: substrings are found, and no prompt is answered
        assert keys(memory.recall("RS25"))[0] == "rs256"
        assert on_event.answer_prompt(memory, prompt_event("is auth signed with RS256")) == ""
        clock.now += 35 * DAY
        assert memory.show("rs256").document["status"] == "stale"


SUMMARY = {
    "content": "Session summary: Fixed Grafana dashboards by updating Prometheus queries. Modified "
    "memory-overview.json to use correct metric names. Verified dashboards show data.",
    "group_id": "ai-memory", "type": "session_summary", "session_id": "sess_abc123",
    "timestamp": "2026-01-15T20:30:00Z", "importance": "high",
}  # fmt: skip
IMPLEMENTATION = {
    "content": "JWT middleware implementation with RS256 algorithm.\n\nFile: src/auth/jwt.py:1-2\n\nPattern: Two-phase "
    "token validation with refresh token rotation.",
    "group_id": "ecommerce-api", "type": "implementation", "component": "authentication", "story_id": "AUTH-12",
    "file_references": ["src/auth/jwt.py:1-2"], "importance": "high",
}  # fmt: skip
PRACTICE = (
    "Token-Efficient Context Loading: Load only relevant context before agent work. Evidence: 95.2% token savings."
)
PULL = {
    "content": "## PR #42: Add JWT authentication\n\nImplements JWT token-based auth...", "group_id": "ai-memory",
    "type": "github", "source": "github", "github_id": "PR-42", "state": "merged", "timestamp": "2026-02-15T14:30:00Z",
}  # fmt: skip


def test_bmad(repo: Path, tmp_path: Path) -> None:
    with begun(repo, "bmad") as memory:
        # C1, C10: the payloads of the document, in their collections
        imported(memory, tmp_path / "all.jsonl", SUMMARY, IMPLEMENTATION, PULL)
        decision = memory.workflow.decide("JWT over cookies, since PM wants mobile", WorkflowStep(role="pm"))
        practice = memory.remember(PRACTICE, kind="best_practice", category="performance")
        found = {name: keys(memory.recall("JWT token session grafana", collections=[name]))
                 for name in ("discussions", "code-patterns", "conventions", "github")}  # fmt: skip
        assert {name: len(of) for name, of in found.items()} == {
            "discussions": 2, "code-patterns": 1, "conventions": 1, "github": 1,
        }  # fmt: skip
        (pattern,) = found["code-patterns"]
        frontmatter = memory.show(pattern).document["frontmatter"]
        assert (frontmatter["task"], frontmatter["refs"]) == ("AUTH-12", ["src/auth/jwt.py:1-2"])
        assert frontmatter["importance"] == "high"
        # C13: conventions are shared, code is not
        assert memory.show(practice.key).document["scope"] == "universal"
        for key in (pattern, decision.key):
            with pytest.raises(RefusedError, match="other projects"):
                memory.promote(key, to="universal")
        # C2: a start has summaries of sessions only
        text = on_event.session_started(memory, started())
        assert "Fixed Grafana dashboards" in text
        assert not any(word in text for word in ("JWT", "Token-Efficient"))
        # the matrix before work: code patterns, supplemented by conventions; a role adds its own (C6, C7)
        work = memory.workflow.pre_work(Work("JWT token authentication context", STEP))
        assert "JWT middleware" in work.text
        assert "Token-Efficient" in work.text
        assert "PR #42" not in work.text
        assert "over cookies" not in work.text
        architect = memory.workflow.pre_work(Work("JWT token authentication", WorkflowStep(role="architect")))
        assert "over cookies" in architect.text
        assert architect.budget_tokens == 1500
        assert keys(memory.workflow.decisions("cookies", WorkflowStep(role="pm"), limit=3).found) == [decision.key]
        # prompts: nothing, as its list of mistakes says
        assert on_event.answer_prompt(memory, prompt_event("how do we sign a JWT token")) == ""
        # C8, C7: code patterns come from hooks and post-work, with lines, in 50 to 500 tokens
        with pytest.raises(RefusedError, match="accepts no code_pattern from remember"):
            memory.remember("A helper", kind="code_pattern", refs=["src/auth/jwt.py:1"])
        with pytest.raises(RefusedError, match="needs the lines of code"):
            memory.workflow.post_work("One helper signs every token. " * 12, STEP, refs=[])
        with pytest.raises(RefusedError, match="at least 50"):
            memory.workflow.post_work("Short, in src/auth/jwt.py:1", STEP, refs=[])
        # C3: an edit becomes a code pattern
        code = "def verify(token):\n" + "".join(
            f"    step_{n} = token.check({n}, algorithm='RS256')\n" for n in range(9)
        )
        on_event.tool_used(memory, wrote(repo, "src/auth/verify.py", code))
        assert any(
            "def verify" in one["body"] for one in captured_memories(memory).values() if one["kind"] == "code_pattern"
        )


def test_swarm(repo: Path) -> None:
    clock = Clock()
    with begun(repo, "swarm", clock) as memory:
        policy = memory.repository.policy()
        # D5: lifetimes by source; expired ones leave search and can be read
        lives = {name: policy.kind(name).ttl_s for name in ("outcome", "session", "note", "preference")}
        assert lives == {"outcome": 7 * DAY, "session": 3 * DAY, "note": 30 * DAY, "preference": None}
        # D2: the note file of the document
        git(repo, "config", "gitmem.captureNotes", "workspace/personal/memory")
    with Memory(repo, clock=clock) as memory:
        text = (
            "The API requires Bearer prefix on all auth headers.\nWithout it, you get a misleading 403 instead of 401."
        )
        on_event.tool_used(memory, wrote(repo, "workspace/personal/memory/auth-header-fix.md", text))
        ((note, found),) = captured_memories(memory).items()
        assert (found["kind"], "misleading 403" in found["body"]) == ("note", True)
        # D4: the lead's learnings reach all
        mistake = memory.learnings.inject("Gateway tests need the Clock fixture", category="mistake-pattern").key
        assert memory.show(mistake).document["kind"] == "mistake_pattern"
        # D8: relevant memories come before a task, and not with prompts
        work = memory.workflow.pre_work(Work("auth headers of the gateway tests", STEP))
        assert {note, mistake} <= set(work.hits)
        assert on_event.answer_prompt(memory, prompt_event("the gateway tests need a clock fixture")) == ""
        # D6: similarity × 2^(-age/14 d) × access, and nothing else
        clock.now += 14 * DAY
        (hit,) = [hit for hit in memory.recall("gateway clock fixture").hits if hit.key == mistake]
        factors = dict(hit.factors)
        assert set(factors) == {"lexical", "recency", "access", "scope"}
        assert factors["recency"] == pytest.approx(0.5, abs=0.01)
        assert hit.score == pytest.approx(factors["lexical"] * factors["recency"] * factors["access"], rel=0.01)
        # D7, D5
        clock.now += 17 * DAY
        assert keys(memory.recall("bearer prefix auth headers")) == []
        assert memory.show(note).document["kind"] == "note"
        memory.forget(mistake)
        assert keys(memory.recall("gateway clock fixture")) == []


def test_ai_kb(repo: Path) -> None:
    with begun(repo, "ai-kb") as memory:
        # E7: the capsule of the document
        made = memory.remember(
            "Keep generated state out of git; verified in scripts/foo.py:42.",
            title="chezmoi: generated state must stay out of git",
            kind="principle", workspace=str(repo), refs=[], confidence=0.9, tags=["lint"], verified_by="reviewer",
        ).key  # fmt: skip
        frontmatter = memory.show(made).document["frontmatter"]
        assert (frontmatter["confidence"], frontmatter["workspace"]) == (0.9, ".")
        trap = memory.remember("tmux capture-pane reuses the pane's buffer", kind="gotcha").key
        # E8
        newer = memory.remember("tmux capture-pane needs -J for joined lines", kind="gotcha", supersedes=[trap]).key
        assert memory.show(trap).document["frontmatter"]["superseded_by"] == newer
        assert keys(memory.recall("tmux capture-pane", kinds=["gotcha", "anti_pattern"])) == [newer]
        # E3, E11: a start without a topic has the prefix and no capsules; with one, what fits its specification
        text = on_event.session_started(memory, started())
        assert "Back claims about this code" in text
        assert newer not in text
        memory.sessions.use("state", "Move generated state of chezmoi out of git")
        assert "chezmoi: generated state must stay" in on_event.session_started(memory, started("s2"))
        # E13: LEARNING lines alone are captured
        on_event.tool_used(memory, wrote(repo, "notes/a.md", "The API wants a Bearer prefix on each call"))
        before = len(captured_memories(memory))
        on_event.save_learnings(memory, Event("claude-code", "response", session="s2", folder=str(repo),
                                         response="Done.\nLEARNING: panes keep a history of 2000 lines"))  # fmt: skip
        assert len(captured_memories(memory)) == before + 1
        # E7: roles prefer their kinds
        roles = memory.repository.policy().roles
        assert roles["reviewer"].kinds == ("gotcha", "anti_pattern")
        assert roles["planner"].kinds == ()


def test_profile_changes_the_policy_of_an_existing_store_after_a_yes(repo: Path, run_cli) -> None:
    assert run_cli("init", "--offline", "--no-view", "--profile", "beans", cwd=repo).status == 0
    before = git(repo, "show", "memory:gitmem.toml")
    again = run_cli("init", "--offline", "--profile", "bmad", cwd=repo)

    assert again.status == 2
    assert '+profile = "bmad"' in again.out
    assert "the policy was not changed" in again.err
    assert git(repo, "show", "memory:gitmem.toml") == before
    for answer, status in (("n", 2), ("y", 0)):
        asked = on_terminal(
            [str(GITMEM), "init", "--profile", "bmad"],
            repo,
            lambda said, answer=answer: f"{answer}\n" if said.endswith("[y/N] ") else None,
        )
        assert asked[0] == status, asked[1]
    after = load(git(repo, "show", "memory:gitmem.toml"), file="gitmem.toml")
    assert (after.session.profile, after.verify.ttl_s, after.rotation.limit) == ("bmad", 30 * DAY, 0)
    assert "already" in run_cli("init", "--profile", "bmad", "--yes", cwd=repo).out


@pytest.mark.parametrize("name", PROFILES)
def test_printed_profile_is_a_policy(repo: Path, run_cli, name: str) -> None:
    printed = run_cli("init", "--profile", name, "--print", cwd=repo)

    assert printed.status == 0
    assert load(printed.out, file="gitmem.toml") == load(profile_policy(name), file="gitmem.toml")
    assert run_cli("init", "--print", cwd=repo).status == 2

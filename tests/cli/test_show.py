"""``gitmem show``: one memory whole, and what is documented of its JSON."""

from __future__ import annotations

import json
import time
from pathlib import Path

from conftest import commit_files, git, memory_text, put_files
from support.facts import approve_all, make_fact, put
from support.ids import id_of

from gitmem.cli.show import _value
from gitmem.memory import Memory


def test_json_is_as_documented(run_cli, repo: Path) -> None:
    run_cli(
        "fact", "Tokens are signed", "--contains", "RS256", "--in", "src/auth/jwt.py", "--key", "f", "--body", "why"
    )

    found = json.loads(run_cli("show", "f", "--json").out)

    assert list(found)[:8] == ["key", "short_id", "kind", "title", "status", "frontmatter", "body", "verdict"]
    assert (found["key"], found["kind"], found["title"], found["status"]) == (
        "f",
        "fact",
        "Tokens are signed",
        "verified",
    )
    assert (found["body"], found["frontmatter"]["verify"]["contains"]) == ("why\n", "RS256")
    assert list(found["verdict"])[:5] == ["outcome", "commit", "at", "because", "culprit"]
    assert (found["verdict"]["outcome"], found["verdict"]["commit"]) == ("holds", git(repo, "rev-parse", "HEAD"))


def test_memory_without_a_check_has_no_verdict(run_cli) -> None:
    run_cli("remember", "a text", "--key", "k")

    found = json.loads(run_cli("show", "k", "--json").out)

    assert (found["verdict"], found["status"]) == (None, "")


def test_text_shows_why_a_fact_failed_and_when_it_held_last(run_cli, repo: Path) -> None:
    run_cli("fact", "Tokens are signed", "--contains", "RS256", "--in", "src/auth/jwt.py", "--key", "f")
    held = git(repo, "rev-parse", "HEAD")
    failed = commit_files(repo, {"src/auth/jwt.py": "EdDSA\n"})
    run_cli("verify")

    out = run_cli("show", "f").out

    assert out.startswith("✗ Tokens are signed\n  dsps  f  fact, failed\n")
    assert f"  verdict: fails at {failed[:12]}, " in out
    assert "  because: src/auth/jwt.py does not contain 'RS256'\n" in out
    assert f"  held last: at {held[:12]}, " in out
    assert "  by: Ana\n" in out


def test_text_leaves_out_what_the_writer_filled_in(run_cli) -> None:
    run_cli("remember", "a text", "--key", "k")
    run_cli("remember", "another thing", "--key", "high", "--importance", "high")

    usual, high = run_cli("show", "k").out, run_cli("show", "high").out

    assert "importance" not in usual and "project" not in usual and "created" in usual
    assert "importance: high" in high


def test_unambiguous_beginning_of_a_key_is_enough(run_cli) -> None:
    for key in ("auth-a", "auth-b", "gateway"):
        run_cli("remember", f"about {key}", "--key", key)

    one, several, none = run_cli("show", "gat"), run_cli("show", "auth"), run_cli("show", "auht-a")

    assert (one.status, several.status, none.status) == (0, 1, 1)
    assert several.err == "gitmem: error: auth matches several memories\n  hint: choose one of auth-a, auth-b\n"
    assert none.err == "gitmem: error: there is no memory auht-a\n  hint: did you mean auth-a, auth-b?\n"


def test_whole_key_wins_over_longer_ones_that_begin_with_it(run_cli) -> None:
    for key in ("auth", "auth-a"):
        run_cli("remember", f"about {key}", "--key", key)

    assert "about auth\n" in run_cli("show", "auth").out


def test_suspect_names_the_chain_of_causes(run_cli, repo: Path) -> None:
    run_cli("init")
    put_files(
        repo,
        {
            "facts/a.md": memory_text("a", kind="fact", verify="{exists: nosuch}"),
            "learned/b.md": memory_text("b", requires="[a]"),
        },
    )
    run_cli("verify")

    out = run_cli("show", "b").out

    assert "  b  learned, suspect\n" in out
    assert "  suspect: rests on a\n" in out


def test_fields_are_shown_for_people() -> None:
    assert _value("by", {"who": "Ana", "agent": "dev"}) == "Ana (agent dev)"
    assert _value("by", "Ana") == "Ana"
    assert _value("by", {"nick": "x"}) == "nick: x"
    assert (
        _value("retired", {"when": "2026-01-01T00:00:00Z", "by": "Ana", "why": "gone"})
        == "2026-01-01T00:00:00Z by Ana: gone"
    )
    assert _value("verify", {"contains": "x", "in": "a"}) == "contains: x, in: a"
    assert _value("tags", ["a", 1, None]) == "a, 1, None"
    assert _value("confidence", 0.5) == "0.5"


def test_show_at_shows_what_was_known_and_true_then(run_cli, repo: Path) -> None:
    fact = ("fact", "Tokens are signed", "--contains", "RS256", "--in", "src/auth/jwt.py", "--key", "f")
    run_cli(*fact, "--body", "why")
    held = git(repo, "rev-parse", "HEAD")
    between = commit_files(repo, {"src/auth/jwt.py": "RS256 or EdDSA\n"})
    failed = commit_files(repo, {"src/auth/jwt.py": "EdDSA\n"})
    run_cli("verify")
    run_cli("edit", "f", "--body", "another claim")

    text, found = (
        run_cli("show", "f", "--at", "HEAD~1").out,
        json.loads(run_cli("show", "f", "--at", "HEAD", "--json").out),
    )

    assert text.startswith("~ Tokens are signed\n  dsps  f  fact, stale\n")
    assert f"  at HEAD~1: code {between[:12]}, memory " in text
    assert f"  known now: held at {held[:12]}, failed from {failed[:12]}, unknown between\n" in text
    assert (
        f"    held at {held[:12]}: src/auth/jwt.py:1 contains 'RS256'\n"
        f"    failed at {failed[:12]}: src/auth/jwt.py does not contain 'RS256'\n" in text
    )
    assert text.endswith("\nwhy\n")
    assert list(found)[-3:] == ["at", "now", "truth"]
    # The words were changed at this commit: the failure stands until a run shows otherwise.
    assert (found["body"], found["status"], found["now"]["status"]) == ("another claim\n", "failed", "failed")
    assert [(one["outcome"], one["from"]) for one in found["truth"]] == [("holds", held), ("fails", failed)]


def test_knowledge_of_then_and_now_is_distinguished(run_cli, repo: Path) -> None:
    run_cli("fact", "Tokens are signed", "--contains", "RS256", "--in", "src/auth/jwt.py", "--key", "f")
    unseen = commit_files(repo, {"src/auth/jwt.py": "EdDSA\n"})
    commit_files(repo, {"README.md": "other\n"})
    run_cli("verify")

    out = run_cli("show", "f", "--at", unseen).out

    assert out.startswith("~ Tokens are signed\n  dsps  f  fact, stale\n")
    judged = git(repo, "rev-parse", "--short=12", "HEAD")
    assert f"  known now: failed: failed here: judged at {judged}, which has the same inputs\n" in out


def test_end_of_the_output_is_kept_while_a_check_fails(run_cli, memory, repo: Path) -> None:
    token = "AK" + "IA" + "Q3EGTRZ7K5VWXYAB"
    script = f"[ -f ok ] && exit 0\npwd -P\necho {token}\necho first\necho last\nexit 1\n"
    commit_files(repo, {"check.sh": script, "ok": ""})
    put(repo, make_fact("f", ["sh", "check.sh"]))
    approve_all(memory)
    run_cli("verify", "--no-sandbox")
    none = run_cli("show", "f", "--output")
    git(repo, "rm", "-q", "ok")
    commit_files(repo, {"a": ""})
    failed = run_cli("verify", "--no-sandbox")

    out = run_cli("show", "f", "--output").out
    found = json.loads(run_cli("show", "f", "--output", "--json").out)

    assert (failed.status, none.status, "no output of f is kept in this clone" in none.err) == (1, 1, True)
    assert out == ".\n[secret: aws-access-key-id]\nfirst\nlast\n"
    assert found == {"key": "f", "commit": git(repo, "rev-parse", "HEAD"), "at": found["at"], "output": out}
    commit_files(repo, {"ok": ""})
    run_cli("verify", "--no-sandbox")
    assert run_cli("show", "f", "--output").status == 1


def test_output_is_kept_in_this_clone_only(run_cli) -> None:
    assert run_cli("show", "f", "--output", "--at", "HEAD").status == 2


def test_last_commit_where_a_fact_held_is_the_one_before_what_broke_it(run_cli, repo: Path) -> None:
    run_cli("fact", "Tokens are signed", "--contains", "RS256", "--in", "src/auth/jwt.py", "--key", "f")
    judged = git(repo, "rev-parse", "HEAD")[:12]
    before = commit_files(repo, {"a.txt": "nothing to do with it"})[:12]
    commit_files(repo, {"src/auth/jwt.py": "EdDSA\n"})
    run_cli("verify", "--why")

    assert f"  held last: at {before}; last judged at {judged}, " in run_cli("show", "f").out


def test_stale_fact_says_what_changed_or_since_when_its_time_has_passed(run_cli, repo: Path) -> None:
    put(
        repo, make_fact("changed", {"contains": "RS256", "in": "src/auth/*"}), make_fact("old", {"exists": "README.md"})
    )
    with Memory(repo, clock=lambda: time.time() - 40 * 86_400) as earlier:
        earlier.verify()
    judged = git(repo, "rev-parse", "HEAD")[:12]
    commit_files(repo, {"src/auth/jwt.py": "RS256 again\n"})

    changed, old, status = (run_cli(*words).out for words in (["show", "changed"], ["show", "old"], ["status"]))

    assert (
        f"  stale: src/auth/jwt.py changed since {judged}; to judge it: gitmem verify {id_of('changed')}\n" in changed
    )
    assert (
        "  stale: its time to live passed at 20" in old
        and f", 10d ago; to judge it: gitmem verify {id_of('old')}\n" in old
    )
    assert "~ stale: 1 of which inputs have changed, 1 past the time to live  gitmem verify --dry-run\n" in status

"""Known answers, and runs on each commit; the rest is tested with whole changes."""

from __future__ import annotations

from conftest import NOW, commit_files, git
from support.code_changes import RS256, change, check, kinds
from support.facts import BETWEEN, DAY, Clock, approve_all, commit_later, make_fact, put, verdict_file, verify

from gitmem.memory import Memory


def test_verdict_that_is_too_old_does_not_count_as_known(repo):
    clock = Clock()
    with Memory(repo, clock=clock) as memory:
        memory.init(offline=True)
        put(repo, make_fact("timed", "test ! -e late", paths=["src/auth/*"], ttl="1d", created="2026-09-20T00:00:00Z"))
        approve_all(memory)
        verify(memory)
        head = change(repo, {"src/auth/jwt.py": "changed\n"})
        check(memory)
        git(repo, "checkout", "-q", "main")
        commit_files(repo, {"late": ""})
        git(repo, "checkout", "-q", "-B", "later", head)
        git(repo, "rebase", "-q", "main")
        known = check(memory)

        clock.now = NOW + 2 * DAY
        again = check(memory)

    assert kinds(known) == {"timed": "holds"}
    assert kinds(again) == {"timed": "still_false"}


def test_claimed_verdict_of_the_base_does_not_outweigh_what_is_found_there(memory, repo):
    hs512, jwt = {"contains": "HS512", "in": "src/auth/*"}, (repo / "src/auth/jwt.py").read_text(encoding="utf-8")
    put(
        repo,
        make_fact("claimed", "grep -q HS512 src/auth/jwt.py", paths=["src/auth/*"], created=BETWEEN),
        make_fact("builtin", hs512),
        make_fact("b", RS256),
    )
    commit_files(repo, {"src/auth/jwt.py": "# RS256 and HS512\n"})
    commit_later(repo, {"src/auth/jwt.py": jwt})
    approve_all(memory)
    verify(memory)
    for path in (verdict_file(memory, "claimed"), verdict_file(memory, "builtin")):
        lie = git(repo, "show", f"memory:{path}").replace('"fails"', '"holds"')
        put(repo, {path: lie + "\n"})
    (repo / ".git/gitmem/local.sqlite").unlink()
    for name in ("-wal", "-shm"):
        (repo / f".git/gitmem/local.sqlite{name}").unlink(missing_ok=True)
    change(repo, {"src/auth/jwt.py": "# RS256\n"})

    with Memory(repo, clock=lambda: float(NOW)) as fresh:
        checked = check(fresh)

    assert kinds(checked) == {"claimed": "unchecked", "builtin": "still_false", "b": "holds"}
    assert "the environment changed" in checked.of("unchecked")[0].because


def test_claimed_culprit_of_what_fails_there_indeed_is_reported(memory, repo):
    put(repo, make_fact("builtin", {"contains": "HS512", "in": "src/auth/*"}))
    verify(memory)
    path, culprit = verdict_file(memory, "builtin"), git(repo, "rev-parse", "HEAD")
    put(repo, {path: f'{git(repo, "show", f"memory:{path}")}\nculprit = "{culprit}"\n'})
    (repo / ".git/gitmem/local.sqlite").unlink()
    for name in ("-wal", "-shm"):
        (repo / f".git/gitmem/local.sqlite{name}").unlink(missing_ok=True)
    change(repo, {"src/auth/jwt.py": "# RS256\n"})

    with Memory(repo, clock=lambda: float(NOW)) as fresh:
        assert [(f.kind, f.culprit) for f in check(fresh).findings] == [("still_false", culprit)]


def test_run_on_a_weaker_sandbox_than_the_policy_wants_teaches_nothing(memory, repo):
    put(repo, make_fact("a", "grep -q RS256 src/auth/jwt.py", paths=["src/auth/*"]))
    put(repo, {"gitmem.toml": '[verify]\nmin_sandbox = "bubblewrap"\n'})
    approve_all(memory)
    change(repo, {"src/auth/jwt.py": "EdDSA\n"})

    checked = check(memory)

    assert kinds(checked) == {"a": "unchecked"}
    assert checked.of("unchecked")[0].because == "the policy requires the sandbox bubblewrap; it ran in none"

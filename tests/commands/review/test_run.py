"""A review of a whole change: the effects on the store, and that it runs and writes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import NOW, commit_files, git
from support.facts import approve_all, verify
from support.reviews import REF, change_of, changed, commit, fact, of, reviewed, text

from gitmem.commands.review.model import DELETED, NOTE, RENAMED, RESTORED, RETIRED, SUPERSEDED
from gitmem.memory import Memory
from gitmem.text.hazards.instructions import ERROR, WARNING

RS256 = "{contains: RS256, in: src/auth/*.py}"


def test_new_memory_is_reported_with_its_words_and_fields(repo: Path) -> None:
    review = changed(repo, {"gotchas/a.md": text("A")}, {"gotchas/b.md": text("Beta", "Its body.\n", tags="[x, y]")})

    change = change_of(review, "b")
    assert (change.what, change.kind, change.title) == ("added", "gotcha", "Beta")
    assert [(p.op, p.text) for p in change.body] == [("+", "Its body.")]
    assert [(one.name, one.after) for one in change.fields] == [("tags", "x, y")]
    assert review.summary == "1 added; no problems"


def test_retired_restored_renamed_deleted_and_superseded_are_distinguished(repo: Path) -> None:
    base = {f"gotchas/{key}.md": text(f"Title of {key} here") for key in ("retired", "gone", "before", "replaced")}
    base["archive/gotchas/back.md"] = text("Title of back here", retired="{by: ana, why: rotated}")
    head = {
        "archive/gotchas/retired.md": text("Title of retired here", retired="{by: bob, why: the gateway is gone}"),
        "gotchas/back.md": text("Title of back here"),
        "gotchas/after.md": text("Title of before here"),
        "gotchas/replacing.md": text("What counts now", supersedes="[replaced]"),
    }
    gone = ("gotchas/retired.md", "gotchas/gone.md", "gotchas/before.md", "archive/gotchas/back.md")

    review = changed(repo, base, head, gone=gone)

    values = {change.key: (change.what, change.because) for change in review.changes}
    assert values == {
        "retired": (RETIRED, "by bob: the gateway is gone"),
        "back": (RESTORED, ""),
        "after": (RENAMED, "was before"),
        "gone": (DELETED, ""),
        "replaced": (SUPERSEDED, "by replacing"),
        "replacing": ("added", ""),
    }
    assert [(f.severity, f.key) for f in of(review, "deleted")] == [(WARNING, "gone")]


def test_links_to_nothing_and_what_is_still_required_are_found(repo: Path) -> None:
    base = {"gotchas/needed.md": text("Needed"), "gotchas/needs.md": text("It needs", requires="[needed]")}

    review = changed(
        repo, base, {"gotchas/lost.md": text("Lost", requires="[nowhere, 'pay/api:port']")}, gone=("gotchas/needed.md",)
    )

    assert [(f.severity, f.key) for f in of(review, "link-to-nothing")] == [(WARNING, "lost")]
    elsewhere = [(f.severity, f.key, f.message.partition(": ")[2]) for f in of(review, "link-elsewhere")]
    assert elsewhere == [(NOTE, "lost", "pay/api:port")]
    assert [(f.severity, f.key, f.message) for f in of(review, "still-required")] == [
        (WARNING, "needed", "needs require it, but the change removes it")
    ]


def test_what_says_it_is_superseded_by_nothing_and_a_page_that_no_job_wrote_are_found(repo: Path) -> None:
    files = {
        "gotchas/a.md": text("A", superseded_by="nobody"),
        "STATUS.md": "# All verified\n",
        "gitmem.toml": "[kinds.fact]\nneeds_verify = false\n",
    }
    review = changed(repo, {"gotchas/a.md": text("A"), "STATUS.md": "# Facts\n"}, files)

    assert [(f.severity, f.code, f.path) for f in review.findings] == [
        (WARNING, "policy-trust", "gitmem.toml"),
        (WARNING, "link-to-nothing", "gotchas/a.md"),
        (NOTE, "status-page", "STATUS.md"),
    ]


def test_a_key_that_two_files_have_is_an_error(repo: Path) -> None:
    review = changed(repo, {"gotchas/a.md": text("One")}, {"learned/a.md": text("Another one", kind="learned")})

    assert [(f.severity, f.key) for f in of(review, "key-twice")] == [(ERROR, "a")]


@pytest.mark.parametrize(
    ("before", "after", "code", "severity"),
    [
        (
            text("The gateway drops every request without a trace id", "It answers with a plain error and logs it."),
            text("The gateway drops each request without a trace id", "It answers with a plain error, and logs it."),
            "near-duplicate",
            WARNING,
        ),
        (text("Retries are capped at 3 there"), text("Retries are capped at 5 there"), "contradiction", WARNING),
        (fact("It is there", "{exists: src/a.py}"), fact("It is gone", "{absent: src/a.py}"), "opposed-checks", ERROR),
    ],
    ids=["near-duplicate", "contradiction", "opposed-checks"],
)  # fmt: skip
def test_what_speaks_for_or_against_another_memory_is_found(repo: Path, before, after, code, severity) -> None:
    folder = "facts" if "kind: fact" in before else "gotchas"

    review = changed(repo, {f"{folder}/one.md": before}, {f"{folder}/two.md": after})

    found = of(review, code)
    assert [(f.severity, f.key) for f in found] == [(severity, "two")]
    assert found[0].message.startswith("one ")


def test_earlier_problem_is_not_reported_again(repo: Path) -> None:
    base = {"gotchas/one.md": text("Retries are capped at 3"), "gotchas/two.md": text("Retries are capped at 5")}

    review = changed(repo, base, {"gotchas/other.md": text("Something else entirely")})

    assert review.findings == ()


def test_statuses_that_differ_are_reported_with_the_suspects_behind_them(repo: Path) -> None:
    with Memory(repo, clock=lambda: float(NOW)) as memory:
        memory.init(offline=True)
        rests = text("It rests on the algorithm", requires="[alg]")
        commit(repo, {"facts/alg.md": fact("Tokens are signed with RS256", RS256), "gotchas/rests.md": rests})
        verify(memory)
        base = git(repo, "rev-parse", REF)
        commit(repo, {"facts/alg.md": fact("Tokens are signed with RS256", "{contains: HS512, in: src/auth/*.py}")})
        verify(memory)

    review = reviewed(repo, f"{base}..memory")

    assert [(s.key, s.before, s.after, s.chain) for s in review.shifts] == [
        ("alg", "verified", "failed", ()),
        ("rests", "", "suspect", ("alg",)),
    ]
    assert "HS512" in review.shifts[0].because
    assert review.shifts[1].because.startswith("rests on alg, which failed: ")
    assert [(f.severity, f.key) for code in ("status-failed", "status-suspect") for f in of(review, code)] == [
        (WARNING, "alg"),
        (WARNING, "rests"),
    ]
    assert [(f.severity, f.path) for f in of(review, "verdicts-claimed")] == [(NOTE, "verdicts")]
    assert review.verdicts[0] == 1


def test_inverted_and_removed_verdicts_are_found(repo: Path, tmp_path: Path) -> None:
    with Memory(repo, clock=lambda: float(NOW)) as memory:
        memory.init(offline=True)
        commit(repo, {"facts/alg.md": fact("Tokens are signed with HS512", "{contains: HS512, in: src/auth/*.py}")})
        verify(memory)
    base = git(repo, "rev-parse", REF)
    (path,) = git(repo, "ls-tree", "-r", "--name-only", REF, "verdicts").split()
    held = git(repo, "show", f"{base}:{path}").replace('"fails"', '"holds"') + "\n"
    turned, gone = commit(repo, {path: held}), commit(repo, gone=(path,))
    other = tmp_path / "other"  # it knows what the branch says alone, as a forge's job does
    git(repo, "clone", "-q", ".", str(other))

    cleared = reviewed(other, f"{base}..{turned}")
    removed = reviewed(other, f"{base}..{gone}")

    assert [(f.severity, f.key) for f in of(cleared, "status-cleared")] == [(WARNING, "alg")]
    assert [(f.severity, f.path) for f in of(removed, "verdict-removed")] == [(NOTE, path)]
    (unproven,) = of(removed, "status-unproven")
    assert unproven.message.startswith("unproven, was failed") and "its verdict is gone" in unproven.message
    assert "1 status differs" in cleared.summary


def test_a_claim_whose_words_change_is_reported_as_unproven(repo: Path) -> None:
    with Memory(repo, clock=lambda: float(NOW)) as memory:
        memory.init(offline=True)
        commit(repo, {"facts/alg.md": fact("Tokens are signed with RS256", RS256)})
        verify(memory)
    base = git(repo, "rev-parse", REF)
    commit(repo, {"facts/alg.md": fact("All tokens ever are signed with RS256", RS256)})

    review = reviewed(repo, f"{base}..memory")

    assert [(f.severity, f.key) for f in of(review, "status-unproven")] == [(NOTE, "alg")]
    assert [(p.op, p.text.strip()) for p in change_of(review, "alg").words] == [
        ("-", "Tokens"), ("+", "All tokens ever"), ("=", "are signed with RS256"),
    ]  # fmt: skip


def test_commands_are_shown_in_full_with_what_is_known_about_them(repo: Path) -> None:
    command = "|\n  test -f README.md &&\n  grep -q service README.md"
    with Memory(repo, clock=lambda: float(NOW)) as memory:
        memory.init(offline=True)
        base = git(repo, "rev-parse", REF)
        commit(
            repo,
            {
                "facts/new.md": fact("New", command, network="true", env="[CI]"),
                "facts/seen.md": fact("Seen", "test -d src"),
            },
        )
        approve_all(memory)
        verify(memory, "seen")
    commit(repo, {"facts/later.md": fact("Later", "test -s README.md")})

    review = reviewed(repo, f"{base}..memory")

    new = change_of(review, "new").command
    assert new is not None
    assert new.text == "test -f README.md &&\ngrep -q service README.md"
    assert new.asks == ("the network", "the variable CI", "a time limit of 60 s")
    assert new.history == "never run, according to the branch"
    seen = change_of(review, "seen").command
    assert seen is not None
    assert (seen.approval, seen.history.split(" at ")[0]) == ("approved", "holds")
    assert [f.key for f in of(review, "command")] == ["later"]
    assert [f.key for f in of(review, "asks-network")] == ["new"]
    assert [f.message for f in of(review, "asks-variables")] == ["its command sees the variable CI of the environment"]


def test_files_of_a_new_store_are_not_findings(repo: Path) -> None:
    with Memory(repo, clock=lambda: float(NOW)) as memory:
        memory.init(offline=True)

    assert reviewed(repo).findings == ()


def test_policy_is_reported_setting_by_setting(repo: Path) -> None:
    toml = '[verify]\nsetup = "make env"\n[recall]\nhalf_life_days = 3\n'

    review = changed(repo, {"gotchas/a.md": text("A")}, {"gitmem.toml": toml})

    assert [(s.name, s.after) for s in review.settings] == [
        ("recall.half_life_days", "3"),
        ("verify.setup", "make env"),
    ]
    assert [(f.severity, f.code) for f in review.findings] == [(WARNING, "policy-trust"), (NOTE, "policy")]


def test_a_setup_is_shown_in_full_line_by_line_and_settings_that_stop_no_check_are_trusted(repo: Path) -> None:
    setup = "# only a comment\\nmake env\\n" + "true; " * 400 + "make last"
    toml = f'[verify]\nsetup = "{setup}"\n[check]\nfail_on = "never"\n'

    review = changed(repo, {"gotchas/a.md": text("A")}, {"gitmem.toml": toml})

    (stdin,) = [s.after for s in review.settings if s.name == "verify.setup"]
    assert stdin.startswith("# only a comment\\nmake env\\ntrue; ") and stdin.endswith("make last")
    check, setup = of(review, "policy-trust")
    assert check.message == "check.fail_on: default → never"
    assert setup.message.startswith("runs before every command, so that each must be approved again: verify.setup: ")


def test_a_policy_that_cannot_be_read_is_an_error(repo: Path) -> None:
    review = changed(repo, {"gotchas/a.md": text("A")}, {"gitmem.toml": "[verify\n"})

    assert [(f.severity, f.code) for f in of(review, "bad-policy")] == [(ERROR, "bad-policy")]


def test_a_change_may_not_say_itself_what_fails_it(repo: Path) -> None:
    review = changed(repo, {"gotchas/a.md": text("A")}, {"gitmem.toml": '[review]\nfail_on = "never"\n'})

    assert review.fail_on == "error"
    assert changed(repo, {"gotchas/b.md": text("B")}).fail_on == "never"


def test_reading_runs_nothing_and_moves_no_ref(repo: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    commit(repo, {"gotchas/a.md": text("A")})
    commit(repo, {"facts/evil.md": fact("Evil", f"touch {mark}"), "gitmem.toml": f'[verify]\nsetup = "touch {mark}"\n'})
    refs = git(repo, "for-each-ref")

    review = reviewed(repo, "memory~1..memory")

    assert change_of(review, "evil").command is not None
    assert not mark.exists()
    assert git(repo, "for-each-ref") == refs


def test_a_bare_repository_and_a_checkout_of_the_memory_branch_are_reviewed(repo: Path, tmp_path: Path) -> None:
    commit(repo, {"gotchas/a.md": text("A")})
    commit(repo, {"facts/alg.md": fact("Tokens are signed with RS256", RS256)})
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    git(tmp_path, "clone", "-q", "--no-local", str(repo), "pull")
    git(tmp_path / "pull", "checkout", "-q", "--detach", "origin/memory")

    bare = reviewed(tmp_path / "bare.git", "memory~1..memory")
    pull = reviewed(tmp_path / "pull", "HEAD~1..HEAD")

    main = git(repo, "rev-parse", "main")
    assert [(r.code, [c.key for c in r.changes]) for r in (bare, pull)] == [(main, ["alg"])] * 2


def test_without_code_statuses_are_not_reported_and_that_is_reported(repo: Path, tmp_path: Path) -> None:
    commit(repo, {"gotchas/a.md": text("A")})
    commit(repo, {"gotchas/b.md": text("B")})
    git(tmp_path, "clone", "-q", "--no-local", "--single-branch", "-b", "memory", str(repo), "pull")

    review = reviewed(tmp_path / "pull", "HEAD~1..HEAD")

    assert [c.key for c in review.changes] == ["b"]
    assert review.notes == (
        "statuses are not compared: there is no code here to compute them for; give it with --code REV",
    )


def test_the_code_of_another_commit_can_be_asked_for(repo: Path) -> None:
    old = git(repo, "rev-parse", "HEAD")
    commit_files(repo, {"src/auth/jwt.py": "ALGORITHM = 'EdDSA'\n"})
    commit(repo, {"gotchas/a.md": text("A")})

    assert reviewed(repo, "", code=old).code == old

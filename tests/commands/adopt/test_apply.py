"""``gitmem adopt --apply`` on real repositories: what is written, follows edits, and is shown."""

import json

import pytest
from conftest import commit_files, git, put_files
from support.standing_folder import fill, fill_anew, stand

from gitmem.commands.adopt.apply import apply, counts
from gitmem.commands.adopt.documents import DECISION
from gitmem.commands.adopt.memories import proposals_of
from gitmem.commands.adopt.run import adopt
from gitmem.document.parse import parse
from gitmem.memory import Memory
from gitmem.recall.query import Query
from gitmem.text.slugs import KEY_TEXT


@pytest.fixture
def repo(template, tmp_path_factory, monkeypatch):
    return fill_anew(stand(tmp_path_factory, monkeypatch, "apply"), template)


@pytest.fixture
def guide(repo, run_cli):
    """Two statements that hold, one that held, one rule; and a store."""
    fill(repo.parent, "guide", lambda: write_guide(repo, run_cli))
    return repo


def write_guide(repo, run_cli):
    commit_files(
        repo,
        {
            "AGENTS.md": "# Guide\n\n- `src/auth/jwt.py` signs\n- Go 1.24+ is needed\n- `old.py` has the limits\n"
            "- Never log a token in this project\n",
            "go.mod": "module x\n\ngo 1.24\n",
            "old.py": "",
        },
    )
    git(repo, "rm", "-q", "old.py")
    commit_files(repo, {}, "remove old")
    assert run_cli("init").status == 0


def applied(repo, **options):
    with Memory(repo) as memory:
        handle = memory.repository.git
        return apply(memory.repository, adopt(handle, handle.resolve("HEAD")), **options)


def adopted_before(repo):
    """Adopt under the keys that earlier versions gave, and return the texts by path."""
    done = applied(repo)
    with Memory(repo) as memory:
        handle = memory.repository.git
        made = adopt(handle, handle.resolve("HEAD"))
        records = {one.path: git(repo, "show", f"HEAD:{one.path}") for one in made.documents if one.kind == DECISION}
    names = {one.key: one.former for one in proposals_of(made, records)}
    paths = git(repo, "ls-tree", "-r", "--name-only", done.commit, "claims/", "conventions/", "decisions/").split()
    parts = [f"{path}\0{git(repo, 'show', f'memory:{path}')}" for path in paths]
    for key, former in names.items():
        parts = [part.replace(key, former) for part in parts]
    files = dict(part.split("\0") for part in parts)
    git(repo, "update-ref", "refs/heads/memory", "memory~1")
    put_files(repo, files)
    return files


def statuses(repo, run_cli):
    run_cli("verify")
    with Memory(repo) as memory:
        return {hit.title: hit.status for hit in memory.list(query=Query(kinds=("claim",), limit=50)).hits}


def test_version_under_its_former_key_follows_its_source(repo, run_cli):
    commit_files(repo, {"AGENTS.md": "- Python 3.10+ is required\n",
                        "setup.cfg": "[options]\npython_requires = >=3.10\n"})  # fmt: skip
    assert run_cli("init").status == 0
    [path] = adopted_before(repo)
    assert path.startswith("claims/claim-")
    git(repo, "rm", "-q", "setup.cfg")
    commit_files(repo, {"pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.10"\n'})

    assert run_cli("check", "--base", "HEAD~1").status == 0
    run_cli("verify")  # which changes the check
    assert statuses(repo, run_cli) == {"`project.requires-python` in `pyproject.toml` is within 3.10": "verified"}


def test_statements_become_facts_with_the_status_that_adopt_found(guide, run_cli):
    done = applied(guide)

    assert {kind: len(of) for kind, of in done.added.items()} == {"claim": 3, "convention": 1}
    assert git(guide, "rev-list", "--count", "memory~1..memory").strip() == "1"
    assert statuses(guide, run_cli) == {
        "`src/auth/jwt.py` exists": "verified",
        "`go` in `go.mod` is within 1.24": "verified",
        "`old.py` exists": "failed",
    }


def test_facts_are_anchored_to_their_lines_and_names_are_looked_for_as_definitions(repo, run_cli):
    commit_files(
        repo,
        {
            "AGENTS.md": "- `sign_claims` signs\n- `TOKEN_NAME` is read\n- `else` it fails\n"
            "- `main` is in `src/a.py`\n",
            "src/a.py": "if not 1:\n    pass\nelse:\n    pass\nfrom os import TOKEN_NAME\n\n\ndef sign_claims(): ...\n"
            "def main(): ...\n",
        },
    )
    assert run_cli("init").status == 0
    applied(repo)

    paths = git(repo, "ls-tree", "-r", "--name-only", "memory").split()
    claims = [git(repo, "show", f"memory:{path}") for path in paths if path.startswith("claims/")]
    texts = [parse(text, path="x.md").fields for text in claims]
    checks = {fields["title"]: fields["verify"] for fields in texts if "exists" not in fields["verify"]}
    assert checks == {
        "`main` is defined in `src/a.py`": {"symbol": "main", "in": "src/a.py"},
        "`sign_claims` is defined in the code": {"symbol": "sign_claims", "in": "src/a.py", "or-in": "**"},
        "`TOKEN_NAME` occurs in the code": {"contains": "TOKEN_NAME", "in": "src/a.py", "or-in": "**"},
    }
    blob = git(repo, "rev-parse", "HEAD:AGENTS.md").strip()
    assert all(fields["anchors"][0].startswith(f"{fields['refs'][0]} @ {blob} ") for fields in texts)


PARTLY_FALSE = {
    "AGENTS.md": "- No default exports in `src/`\n- Tokens expire after 15 minutes (`TTL_MINUTES`)\n"
    "- `MAX_RETRIES` (default: 5) is in `src/retry.py`\n",
    "src/retry.py": "MAX_RETRIES = 3\n",
    "src/auth.py": "TTL_MINUTES = 15\n",
}


def test_title_of_a_claim_is_what_its_check_proves_and_the_sentence_its_context(repo, run_cli):
    commit_files(repo, PARTLY_FALSE)
    assert run_cli("init").status == 0

    done = applied(repo)

    assert [title for _, title in done.added["claim"]] == [
        "`src` exists",
        "`TTL_MINUTES` in `src/auth.py` is 15",
    ]
    with Memory(repo) as memory:
        found = memory.show(done.added["claim"][0][0]).document
    assert found["frontmatter"]["refs"] == ["AGENTS.md:1"]
    assert found["body"].strip() == "AGENTS.md says:\n\n> No default exports in `src/`"


def test_sentence_of_which_a_part_is_false_becomes_no_claim(repo, run_cli):
    commit_files(repo, PARTLY_FALSE)
    assert run_cli("init").status == 0

    out = run_cli("adopt", "--apply").out

    assert "2 claims added; 1 more is proved by these; 2 in sentences that are false in part" in out
    commit_files(repo, {"AGENTS.md": PARTLY_FALSE["AGENTS.md"].replace("default: 5", "default: 3")})
    assert {title for _, title in applied(repo).added["claim"]} == {
        "`MAX_RETRIES` in `src/retry.py` is 3",
        "`src/retry.py` exists",
    }


def test_word_that_a_folder_elsewhere_has_as_its_name_makes_no_claim_of_the_folder(repo, run_cli):
    text = "- Put `flow-use` in your PATH\n- `hooks/` are here, `core/a.go` too\n"
    files = {"cmd/flow-use/main.go": "package main\n", "pkg/hooks/b.go": "package hooks\n", "pkg/core/a.go": "x\n"}
    commit_files(repo, {"AGENTS.md": text, **files})
    assert run_cli("init").status == 0
    applied(repo)

    assert set(statuses(repo, run_cli)) == {"`pkg/hooks` exists", "`pkg/core/a.go` exists"}


def test_counts_of_what_was_added_account_for_everything_that_holds(repo, run_cli):
    # A plain word that occurs in the code, and that no file defines, makes no claim.
    commit_files(repo, {"AGENTS.md": "- `LEARNED` lines are read by `src/a.py`\n", "src/a.py": "x = ' LEARNED '\n"})
    assert run_cli("init").status == 0

    out = run_cli("adopt", "--apply").out

    assert "0 false, 2 hold" in out
    assert "1 claim added; 1 without a check" in out


def test_number_beside_a_constant_is_its_value_and_fails_with_it(repo, run_cli):
    commit_files(repo, PARTLY_FALSE)
    commit_files(repo, {"AGENTS.md": "- Tokens expire after 15 minutes (`TTL_MINUTES`)\n- 20 tries (`MAX_RETRIES`)\n"})
    assert run_cli("init").status == 0

    out = run_cli("adopt", "--apply").out
    commit_files(repo, {"src/auth.py": "TTL_MINUTES = 99\n"}, "longer")

    assert "0 false" in out  # 20 never was the value: it may be in another unit
    assert statuses(repo, run_cli) == {
        "`TTL_MINUTES` in `src/auth.py` is 15": "failed",
        "`MAX_RETRIES` is defined in the code": "verified",
    }
    assert "says TTL_MINUTES = 15, but src/auth.py:1 says 99" in run_cli("adopt").out


def as_written_before(repo, run_cli):
    """Give the claims of a repository the titles and bodies that earlier versions wrote; return their keys."""
    with Memory(repo) as memory:
        documents = [memory.show(hit.key).document for hit in memory.list(query=Query(kinds=("claim",), limit=50)).hits]
    for one in documents:
        sentence = one["body"].partition("> ")[2].strip()
        assert run_cli("edit", one["key"], "--title", sentence, "--body", "AGENTS.md: a token").status == 0
    return {one["key"]: one["title"] for one in documents}


def test_claims_of_an_earlier_version_are_brought_over_once(guide, run_cli):
    applied(guide)
    titles = as_written_before(guide, run_cli)

    done = applied(guide)

    assert (done.added, sorted(done.updated), done.retired) == ({}, sorted(titles), [])
    with Memory(guide) as memory:
        shown = {key: memory.show(key).document for key in titles}
    assert {key: one["title"] for key, one in shown.items()} == titles
    assert all("> " in one["body"] for one in shown.values())
    assert applied(guide).updated == []


def test_claim_of_an_earlier_version_whose_sentence_is_now_partly_false_is_cut_down(repo, run_cli):
    commit_files(repo, {**PARTLY_FALSE, "src/retry.py": "MAX_RETRIES = 5\n"})
    assert run_cli("init").status == 0
    applied(repo)
    titles = as_written_before(repo, run_cli)
    commit_files(repo, {"src/retry.py": "MAX_RETRIES = 3\n"})

    assert sorted(applied(repo).updated) == sorted(titles)
    assert statuses(repo, run_cli)["`MAX_RETRIES` in `src/retry.py` is 5"] == "failed"


def test_title_that_a_person_gave_a_claim_stays(guide, run_cli):
    (key, _), *_ = applied(guide).added["claim"]
    assert run_cli("edit", key, "--title", "My own words").status == 0

    assert applied(guide).updated == []


def test_name_that_moves_is_followed_unless_its_sentence_says_where_it_is(repo, run_cli):
    commit_files(
        repo,
        {
            "AGENTS.md": "- `sign_claims` signs\n- `check_claims` is in `src/b.py`\n- `TOKEN_NAME` is read\n",
            "src/b.py": "TOKEN_NAME = env.TOKEN_NAME\ndef sign_claims(): ...\ndef check_claims(): ...\n",
            "src/a.py": "from b import sign_claims, check_claims\n",
        },
    )
    assert run_cli("init").status == 0
    applied(repo)
    assert set(statuses(repo, run_cli).values()) == {"verified"}
    commit_files(repo, {"src/b.py": "", "src/c.py": (repo / "src/b.py").read_text()}, "move all")

    def failed():
        run_cli("verify")
        with Memory(repo) as memory:
            hits = memory.list(query=Query(kinds=("claim",), limit=50)).hits
        return [hit.title for hit in hits if hit.status != "verified"]

    assert failed() == ["`check_claims` is defined in `src/b.py`"]
    assert "should say: src/c.py" in run_cli("adopt").out
    assert applied(repo).updated == []  # the alarm stays: only the sentence can be corrected
    assert failed() == ["`check_claims` is defined in `src/b.py`"]


def test_fact_of_an_earlier_version_learns_to_follow_its_name(repo, run_cli):
    commit_files(repo, {"AGENTS.md": "- `sign_claims` signs\n", "src/a.py": "def sign_claims(): ...\n"})
    assert run_cli("init").status == 0
    ((key, _),) = applied(repo).added["claim"]
    assert run_cli("edit", key, "--symbol", "sign_claims", "--in", "src/a.py").status == 0

    assert applied(repo).updated == [key]
    assert applied(repo).updated == []


def test_culprit_that_adopt_found_is_the_culprit_of_the_failed_fact(guide, run_cli):
    commit_files(guide, {"src/more.py": "X = 1\n"}, "go on")

    applied(guide)

    assert "broken by" in run_cli("verify", "--each").out
    assert "remove old" in run_cli("status").out


def test_applied_again_there_is_nothing_to_write(guide):
    applied(guide)
    before = git(guide, "rev-parse", "memory")

    again = applied(guide)

    assert (again.added, again.updated, again.retired, again.unchanged) == ({}, [], [], 4)
    assert git(guide, "rev-parse", "memory") == before


def test_dry_run_writes_nothing(guide):
    before = git(guide, "for-each-ref")

    done = applied(guide, dry_run=True)

    assert counts(done, is_dry=True) == "3 claims, 1 convention would be added"
    assert git(guide, "for-each-ref") == before


def test_edited_sentence_retires_its_fact_and_brings_a_new_one(guide):
    applied(guide)
    text = (guide / "AGENTS.md").read_text().replace("`src/auth/jwt.py` signs", "`src/auth/jwt.py` signs tokens")
    commit_files(guide, {"AGENTS.md": text})

    done = applied(guide)

    ((key, title),) = done.added["claim"]
    assert title == "`src/auth/jwt.py` exists"
    assert len(done.retired) == 1
    with Memory(guide) as memory:
        retired = memory.show(done.retired[0])
        assert memory.show(key).document["body"].strip().endswith("> `src/auth/jwt.py` signs tokens")
    assert retired.document["frontmatter"]["retired"]["why"] == "its document no longer says so"


def test_removed_sentence_retires_its_fact_and_brings_it_back_when_it_returns(guide):
    applied(guide)
    text = (guide / "AGENTS.md").read_text()
    commit_files(guide, {"AGENTS.md": text.replace("- Go 1.24+ is needed\n", "")})
    gone = applied(guide)
    commit_files(guide, {"AGENTS.md": text})

    back = applied(guide)

    assert (len(gone.retired), gone.added) == (1, {})
    assert [key for of in back.added.values() for key, _ in of] == gone.retired


def test_forgotten_fact_stays_forgotten(guide, run_cli):
    (key, _), *_ = applied(guide).added["claim"]
    run_cli("forget", key)

    again = applied(guide)

    assert again.added == {}
    assert again.skipped.total == 1


def test_moved_sentence_keeps_its_fact_verified_with_the_new_line(guide, run_cli):
    applied(guide)
    statuses(guide, run_cli)
    commit_files(guide, {"AGENTS.md": "Preface.\n\n" + (guide / "AGENTS.md").read_text()})

    done = applied(guide)

    assert (done.added, done.retired, len(done.updated)) == ({}, [], 4)
    assert statuses(guide, run_cli)["`go` in `go.mod` is within 1.24"] == "verified"
    with Memory(guide) as memory:
        (key,) = [hit.key for hit in memory.list(query=Query(kinds=("claim",))).hits if hit.title.startswith("`go`")]
        assert memory.show(key).document["frontmatter"]["refs"] == ["AGENTS.md:6"]


def test_facts_are_shown_only_once_they_fail(guide, run_cli):
    applied(guide)
    run_cli("verify")

    quiet = [run_cli("recall", "Go needed").out, run_cli("recall", "--recent", "9").out, run_cli("context").out]
    commit_files(guide, {"go.mod": "module x\n\ngo 1.30\n"})
    run_cli("verify")
    loud = [run_cli("recall", "Go needed").out, run_cli("recall", "--recent", "9").out, run_cli("context").out]

    assert not any("`go.mod`" in text for text in quiet)
    assert ["`go.mod`" in text for text in loud] == [True] * 3, loud
    assert "old.py" in quiet[2]
    assert "Never log a token" in quiet[2]
    assert "`go.mod`" in run_cli("list").out


def test_renamed_document_without_its_facts_is_retired_only_where_it_is_gone(guide):
    applied(guide)
    git(guide, "mv", "AGENTS.md", "CLAUDE.md")
    commit_files(guide, {})

    done = applied(guide)

    assert (len(done.retired), sum(map(len, done.added.values()))) == (4, 4)


def test_facts_of_a_document_that_is_gone_are_left_where_only_others_were_named(guide, run_cli):
    applied(guide)
    git(guide, "rm", "-q", "AGENTS.md")
    commit_files(guide, {"CLAUDE.md": "- `src/auth/jwt.py` signs\n"})

    assert "retired" not in run_cli("adopt", "--apply", "CLAUDE.md").out
    assert "4 retired" in run_cli("adopt", "--apply").out


def test_decision_records_become_decisions_that_supersede_each_other(guide):
    commit_files(
        guide,
        {
            "docs/adr/0001-a.md": "# 1. Use Postgres\n\nDate: 2024-05-02\n\n## Status\n\nSuperseded by ADR-2\n",
            "docs/adr/0002-b.md": "# 2. Use SQLite\n\n## Status\n\nAccepted\n",
        },
    )

    done = applied(guide)

    by_title = {title: key for key, title in done.added["decision"]}
    with Memory(guide) as memory:
        old = memory.show(by_title["Use Postgres"]).document["frontmatter"]
        problems = memory.doctor().problems
    assert (old["superseded_by"], old["status"]) == (by_title["Use SQLite"], "superseded")
    assert old["created"] == "2024-05-02T00:00:00Z"
    assert [problem for problem in problems if problem.key in by_title.values()] == []


def test_decision_superseded_by_one_that_is_not_in_force_is_left_out(guide):
    commit_files(
        guide,
        {
            "docs/adr/0001-a.md": "# 1. Use Postgres\n\n## Status\n\nSuperseded by ADR-2\n",
            "docs/adr/0002-b.md": "# 2. Use SQLite\n\n## Status\n\nDeprecated\n",
        },
    )

    assert "decision" not in applied(guide).added


def test_edited_decision_record_is_updated(guide):
    commit_files(guide, {"docs/adr/0001-a.md": "# 1. Use Postgres\n\n## Status\n\nAccepted\n"})
    applied(guide)
    commit_files(guide, {"docs/adr/0001-a.md": "# 1. Use Postgres\n\n## Status\n\n**Approved**\n"})

    (key,) = applied(guide).updated

    with Memory(guide) as memory:
        assert memory.show(key).document["frontmatter"]["status"] == "approved"


def test_what_an_earlier_version_adopted_is_recognised_changed_and_retired_under_its_key(guide):
    records = {
        "docs/adr/0001-a.md": "# 1. Use Postgres\n\n## Status\n\nSuperseded by ADR-2\n",
        "docs/adr/0002-b.md": "# 2. Use SQLite\n\n## Status\n\nAccepted\n",
    }
    commit_files(guide, records)
    files = adopted_before(guide)
    keys = sorted(path.rpartition("/")[2].removesuffix(".md") for path in files)
    assert [key.rpartition("-")[0] for key in keys] == [
        "claim-go-1-24", "claim-old-py", "claim-src-auth-jwt-py", "convention-never-log-a-token-in-this-project",
        "decision-use-postgres", "decision-use-sqlite",
    ]  # fmt: skip

    assert counts(applied(guide), is_dry=False) == "nothing to write; 6 there already"
    text = (guide / "AGENTS.md").read_text()
    accepted = records["docs/adr/0002-b.md"].replace("Accepted", "**Approved**")
    commit_files(guide, {"AGENTS.md": text.replace("- Go 1.24+ is needed\n", ""), "docs/adr/0002-b.md": accepted})
    done = applied(guide)

    assert not done.added
    assert [key.rpartition("-")[0] for key in done.retired] == ["claim-go-1-24"]
    assert {*done.updated, *done.retired} <= set(keys)
    with Memory(guide) as memory:
        shown = {key.rpartition("-")[0]: memory.show(key).document["frontmatter"] for key in keys}
    assert shown["decision-use-sqlite"]["status"] == "approved"
    assert shown["decision-use-sqlite"]["supersedes"] == [keys[4]]


def test_statements_that_hold_and_their_facts_add_up(repo, run_cli):
    commit_files(repo, {"AGENTS.md": "# G\n\n- `retries` (default: `3`): how often\n", "src/a.py": "retries = 3\n"})
    assert run_cli("init").status == 0

    done = applied(repo, dry_run=True)
    held = json.loads(run_cli("adopt", "--json").out)["holds"]

    assert (len(held), len(done.added["claim"]), done.repeated) == (2, 1, 1)
    assert counts(done, is_dry=True) == "1 claim would be added; 1 more is proved by these"


def test_new_keys_of_statements_are_short_and_do_not_repeat_the_kind(guide):
    commit_files(guide, {"docs/adr/0001-a.md": f"# 1. Use Postgres {'for the ledger ' * 5}\n\n## Status\n\nAccepted\n"})

    keys = {kind: [key for key, _ in of] for kind, of in applied(guide).added.items()}

    assert {kind: sorted(key.rpartition("-")[0] for key in of) for kind, of in keys.items()} == {
        "claim": ["go-1-24", "old-py", "src-auth-jwt-py"],
        "convention": ["never-log-a-token-in-this"],
        "decision": ["use-postgres-for-the-ledger-for"],
    }
    assert max(len(key) for of in keys.values() for key in of) <= KEY_TEXT


def test_decision_that_its_record_calls_deprecated_is_retired(guide):
    commit_files(guide, {"docs/adr/0001-a.md": "# 1. Use Postgres\n\n## Status\n\nAccepted\n"})
    applied(guide)
    commit_files(guide, {"docs/adr/0001-a.md": "# 1. Use Postgres\n\n## Status\n\n⛔ Deprecated\n"})

    (key,) = applied(guide).retired

    assert key.startswith("use-postgres-")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- Go 1.24+ is needed\n", "- Go 1.24+ is needed <!-- gitmem: ignore an example -->\n"),
        ("- Never log", "<!-- gitmem: ignore old -->\n- Never log"),
    ],
)
def test_statement_that_a_comment_ignores_loses_its_memory_until_the_comment_is_gone(guide, before, after):
    applied(guide)
    text = (guide / "AGENTS.md").read_text()
    commit_files(guide, {"AGENTS.md": text.replace(before, after)})

    done = applied(guide)

    assert "1 retired (1 ignored by a comment)" in counts(done, is_dry=False)
    with Memory(guide) as memory:
        retired = memory.show(done.retired[0]).document["frontmatter"]["retired"]
    assert retired["why"] == "a comment in its document says to ignore it"
    commit_files(guide, {"AGENTS.md": text})
    assert [key for of in applied(guide).added.values() for key, _ in of] == done.retired


def test_ignored_decision_record_is_retired(guide):
    record = "# Use git\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use git.\n"
    commit_files(guide, {"docs/adr/0001-git.md": record})
    applied(guide)
    commit_files(guide, {"docs/adr/0001-git.md": f"<!-- gitmem: ignore-file a draft -->\n{record}"})

    done = applied(guide)

    assert (len(done.retired), done.ignored, done.added) == (1, 1, {})


def test_claim_whose_source_moves_stays_one_fact(repo, run_cli):
    parser = 'import argparse\np = argparse.ArgumentParser()\np.add_argument("--dry-run")\n'
    reader = 'import os\nTOKEN = os.environ["APP_TOKEN"]\n'
    text = "- `--dry-run` writes nothing\n- Set `APP_TOKEN` first\n"
    commit_files(repo, {"AGENTS.md": text, "src/a.py": parser, "src/env_a.py": reader})
    assert run_cli("init").status == 0
    applied(repo)
    before = statuses(repo, run_cli)
    git(repo, "mv", "src/a.py", "src/b.py")
    git(repo, "mv", "src/env_a.py", "src/env_b.py")
    commit_files(repo, {}, "move both")

    done = applied(repo)

    assert (len(before), done.added, done.retired) == (2, {}, [])
    assert list(statuses(repo, run_cli).values()) == ["verified", "verified"]


def test_work_that_is_done_retires_what_was_adopted_from_it(guide):
    text = "# Login\n\nStatus: {}\n\n- `src/auth/jwt.py` signs the login\n"
    commit_files(guide, {"docs/epics/login/README.md": text.format("Open")})
    applied(guide)
    commit_files(guide, {"docs/epics/login/README.md": text.format("Done")})

    done = applied(guide)

    assert (len(done.retired), done.ignored, done.added) == (1, 0, {})

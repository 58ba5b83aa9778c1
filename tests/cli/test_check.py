"""``gitmem check``: its words, its exit status, and what is documented of its JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import commit_files, git, tip
from support.code_changes import RS256, change
from support.facts import make_fact, make_memory, put
from support.ids import id_of

EDDSA = {"src/auth/jwt.py": 'ALGORITHM = "EdDSA"\n'}


@pytest.fixture
def facts(run_cli, repo: Path) -> None:
    run_cli("init")
    put(
        repo,
        make_fact("breaks", RS256, by={"who": "ana"}),
        make_fact("mended", {"contains": "EdDSA", "in": "src/**"}),
        make_fact("still", {"contains": "HS512", "in": "src/auth/jwt.py"}),
        make_memory("near", "Rests on it", requires=["breaks"]),
    )


@pytest.mark.usefixtures("facts")
def test_change_that_breaks_a_fact_exits_with_1_and_says_what_and_whose(run_cli, repo: Path) -> None:
    base = git(repo, "rev-parse", "HEAD")
    change(repo, EDDSA)

    done = run_cli("check")

    assert done.status == 1
    assert done.out == (
        "✗ breaks  becomes false — no file of src/auth/*.py contains 'RS256'"
        " (src/auth/jwt.py:1; written by ana; gitmem settle breaks)\n"
        "? near  is suspect — rests on breaks (src/auth/jwt.py:1)\n"
        "✗ still  was false before and still is — src/auth/jwt.py does not contain 'HS512' (src/auth/jwt.py:1)\n"
        "✓ mended  becomes true\n"
        f"1 changed file since {base[:12]} touches 3 of 3 facts: 1 becomes false, 1 is suspect,"
        " 1 was false before and still is, 1 becomes true\n"
    )
    assert done.err == "gitmem: compared with main\n"


@pytest.mark.usefixtures("facts")
def test_staged_changes_are_reported_in_the_same_words(run_cli, repo: Path) -> None:
    nothing = run_cli("check", "--staged")
    (repo / "src/auth/jwt.py").write_text(EDDSA["src/auth/jwt.py"])
    git(repo, "add", "-A")

    done = run_cli("check", "--staged", "breaks")
    found = json.loads(run_cli("check", "--staged", "--json").out)
    refused = run_cli("check", "--staged", "--base", "main")

    assert (nothing.status, nothing.out, nothing.err) == (0, "nothing is staged\n", "")
    assert done.status == 1
    assert "✗ breaks  becomes false" in done.out
    assert done.out.endswith("1 staged file touches 1 of 1 fact: 1 becomes false, 1 is suspect\n")
    assert (found["base"], found["head"], found["against"]) == (git(repo, "rev-parse", "HEAD"), "", "HEAD")
    assert [row["key"] for row in found["newly_false"]] == ["breaks"]
    assert (refused.status, "--base and --head" in refused.err) == (2, True)


@pytest.mark.usefixtures("facts")
def test_json_is_as_documented(run_cli, repo: Path) -> None:
    base = git(repo, "rev-parse", "HEAD")
    head = change(repo, EDDSA)

    found = json.loads(run_cli("check", "--json").out)

    row = {"because": "no file of src/auth/*.py contains 'RS256'", "by": "ana", "path": "facts/breaks.md", "line": 0}
    row |= {"changed": [{"path": "src/auth/jwt.py", "line": 1}], "stated": [], "new": False}
    assert found["newly_false"] == [{"key": "breaks", "short_id": id_of("breaks"), "title": "Fact breaks", **row}]
    assert found["newly_true"] == [
        {"key": "mended", "short_id": id_of("mended"), "title": "Fact mended", "path": "facts/mended.md"}
    ]
    assert [(one["key"], one["because"], one["new"]) for one in found["suspect"]] == [("near", ["breaks"], True)]
    assert (found["memory"], found["sections"]) == (tip(repo), [])
    assert [one["key"] for one in found["still_false"]] == ["still"]
    counts = {name: found[name] for name in ("base", "head", "against", "files", "facts", "holds", "unchecked")}
    assert counts == {
        "base": base, "head": head, "against": "main", "files": 1, "facts": 3, "holds": 0, "unchecked": [],
    }  # fmt: skip


@pytest.mark.usefixtures("facts")
@pytest.mark.parametrize(
    ("files", "status", "message"),
    [
        ({"src/gateway/retry.py": "RETRIES = 4\n"}, 0, ""),
        ({"README.md": "# Changed\n"}, 0, "1 fact waits for approval: command (gitmem trust --review"),
    ],
    ids=["nothing becomes false", "something waits for approval"],
)
def test_fact_that_waits_for_approval_is_one_line_and_stops_nothing(
    run_cli, repo: Path, files, status, message
) -> None:
    put(repo, make_fact("command", "test -f README.md", paths=["README.md"]))
    change(repo, files)

    done = run_cli("check")

    assert (done.status, message in done.err) == (status, True)


@pytest.mark.usefixtures("facts")
@pytest.mark.parametrize(("fail_on", "statuses"), [("unchecked", [1, 3]), ("newly_false", [1, 0]), ("never", [0, 0])])
def test_fail_on_of_the_policy_applies_unless_the_option_is_given(
    run_cli, repo: Path, fail_on: str, statuses: list[int]
) -> None:
    run_cli("init")
    waits = make_fact("waits", "make", paths=["README.md"])
    put(repo, make_fact("breaks", RS256), waits, {"gitmem.toml": f'[check]\nfail_on = "{fail_on}"\n'})
    change(repo, {**EDDSA, "README.md": "# Changed\n"})

    done = [run_cli("check", key) for key in ("breaks", "waits")]

    assert [one.status for one in done] == statuses
    assert "becomes false" in done[0].out
    assert "waits for approval: waits" in done[1].err
    assert run_cli("check", "waits", "--fail-on", "unchecked").status == 3


def test_default_branch_itself_has_no_change(run_cli) -> None:
    done = run_cli("check")

    assert (done.status, done.out) == (0, "nothing to check\n")
    assert "gitmem check --base HEAD~1" in done.err


@pytest.mark.usefixtures("facts")
def test_no_base_is_an_error_that_says_what_to_do(run_cli, repo: Path) -> None:
    git(repo, "branch", "-m", "main", "trunk")

    done = run_cli("check")

    assert (done.status, "--base REV" in done.err) == (3, True)


@pytest.mark.usefixtures("facts")
def test_no_output_lets_escape_sequences_of_a_memory_through(run_cli, repo: Path) -> None:
    put(repo, make_fact("odd", {"contains": "RS256\x1b[2J", "in": "src/**"}, title="T\x1b[2J"))
    commit_files(repo, {"src/a.py": "RS256\x1b[2J"})
    change(repo, {"src/a.py": ""})

    for form in ("text", "json", "github", "markdown", "sarif", "junit"):
        done = run_cli("check", "--format", form)
        assert (done.status, "\x1b" in done.out + done.err) == (1, False), form


def test_without_a_commit_of_its_own_the_uncommitted_change_is_checked(run_cli, repo: Path) -> None:
    run_cli("fact", "t", "--contains", "RS256", "--in", "src/auth/jwt.py", "--key", "f")
    (repo / "src/auth/jwt.py").write_text("EdDSA\n")

    dirty, asked = run_cli("check"), run_cli("check", "--base", "HEAD")
    git(repo, "add", "-A")
    staged = run_cli("check")
    found = json.loads(run_cli("check", "--json").out)

    for done in (dirty, staged):
        assert done.status == 1
        assert done.out.startswith("✗ f  becomes false — src/auth/jwt.py does not contain 'RS256'")
        assert done.out.endswith("1 uncommitted file touches 1 of 1 fact: 1 becomes false\n")
        assert "nothing is committed since main: the uncommitted changes of the work tree were checked" in done.err
    assert (asked.status, asked.out) == (0, "nothing to check\n")
    assert ([row["key"] for row in found["newly_false"]], found["head"]) == (["f"], "")
    assert git(repo, "diff", "--cached", "--name-only") == "src/auth/jwt.py"

"""``gitmem adopt``: what is printed, in which forms, what it corrects, and the exit status."""

import json
import os
import shlex

import pytest
from conftest import commit_files, git


@pytest.fixture
def stale(repo):
    """A document that states a version which the code has left behind."""
    commit_files(repo, {"AGENTS.md": "# Guide\n\n- Go 1.24+ is needed\n", "go.mod": "module x\n\ngo 1.24\n"})
    commit_files(repo, {"go.mod": "module x\n\ngo 1.25\n"}, "go: 1.25")
    return repo


def test_false_statement_is_printed_with_its_culprit(stale, run_cli):
    ran = run_cli("adopt")

    assert ran.status == 1
    assert "✗ AGENTS.md:3  says Go 1.24+, but go.mod:3 says 1.25" in ran.out
    assert "“go: 1.25” (Ana, 2026-09-21)" in ran.out
    assert "should say: 1.25" in ran.out


def test_true_documents_exit_with_0(repo, run_cli):
    commit_files(repo, {"AGENTS.md": "- `src/auth/jwt.py` signs\n"})

    ran = run_cli("adopt", "AGENTS.md")

    lines = ["Read AGENTS.md.", "1 document: 0 false, 1 holds", "Next: gitmem init && gitmem adopt --apply"]
    assert (ran.status, ran.out.splitlines()) == (0, lines)


def test_next_command_fits_the_state_of_the_repository(memory, repo, run_cli):
    commit_files(repo, {"AGENTS.md": "Be kind.\n", "more/README.md": "Welcome.\n"})
    empty = "No AGENTS.md, CLAUDE.md, README, CONTRIBUTING or other document of this kind was found."
    fact = 'gitmem fact "There is a README" --exists README.md'

    assert run_cli("adopt").out.splitlines()[-3::2] == ["Read AGENTS.md, README.md, more/README.md.", f"Next: {fact}"]
    git(repo, "rm", "-q", "README.md", "more/README.md")
    commit_files(repo, {})
    fact = "gitmem fact 'There is a file AGENTS.md' --exists AGENTS.md"
    assert run_cli("adopt").out.splitlines()[-1] == f"Next: {fact}"
    assert run_cli(*shlex.split(fact)[1:]).status == 0
    commit_files(repo, {"AGENTS.md": "- `src/auth/jwt.py` signs\n"})
    assert run_cli("adopt").out.splitlines()[-1] == "Next: gitmem adopt --apply"
    git(repo, "rm", "-q", "AGENTS.md")
    commit_files(repo, {})
    assert run_cli("adopt").out.splitlines() == [empty, "0 documents: 0 false, 0 hold", "Next: gitmem adopt FILE"]


def test_report_with_something_false_or_a_baseline_ends_with_the_counts(stale, run_cli, tmp_path):
    assert run_cli("adopt").out.splitlines()[-1] == "2 documents: 1 false, 0 hold"
    known = run_cli("adopt", "--write-baseline", str(tmp_path / "known.jsonl"))

    assert known.out.splitlines() == ["2 documents: 0 false, 1 known (baseline), 0 hold"]


def test_fix_corrects_the_document_in_the_work_tree(stale, run_cli):
    run_cli("adopt", "--fix")

    assert (stale / "AGENTS.md").read_text() == "# Guide\n\n- Go 1.25+ is needed\n"


def test_line_that_was_moved_since_the_commit_is_left_alone(stale, run_cli):
    changed = "# Guide\n\nGo 1.24 was a good year\n\n- Go 1.24+ is needed\n"
    (stale / "AGENTS.md").write_text(changed)

    run_cli("adopt", "--fix")

    assert (stale / "AGENTS.md").read_text() == changed


def test_ends_of_lines_are_kept(repo, run_cli):
    commit_files(repo, {"go.mod": "module x\n\ngo 1.25\n"})
    (repo / "AGENTS.md").write_bytes(b"- Go 1.24+\r\n- text\r\n")
    commit_files(repo, {})

    run_cli("adopt", "--fix")

    assert (repo / "AGENTS.md").read_bytes() == b"- Go 1.25+\r\n- text\r\n"


def test_suggestions_are_printed_for_forges(stale, run_cli):
    found = json.loads(run_cli("adopt", "--suggest", "rdjson").out)

    (one,) = found["diagnostics"]
    assert one["location"]["range"]["start"] == {"line": 3, "column": 1}
    assert one["suggestions"][0]["text"] == "- Go 1.25+ is needed"
    assert "```suggestion\n- Go 1.25+ is needed\n```" in run_cli("adopt", "--suggest", "github").out


def test_other_forms_name_the_line(stale, run_cli):
    table = json.loads(run_cli("adopt", "--json").out)
    log = json.loads(run_cli("adopt", "--format", "sarif").out)

    assert [(row["path"], row["line"], row["fix"]) for row in table["false"]] == [("AGENTS.md", 3, "1.25")]
    (result,) = log["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}
    said = result["message"]["text"]
    assert said.startswith("AGENTS.md:3 says Go 1.24+, but go.mod:3 says 1.25. Since ")
    assert said.endswith(" Should say: 1.25.")
    assert "::error file=AGENTS.md,line=3" in run_cli("adopt", "--format", "github").out
    assert "| AGENTS.md:3 |" in run_cli("adopt", "--format", "markdown").out.replace("\\", "")


def test_repository_without_a_commit_is_refused(tmp_path, run_cli):
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "-q")

    ran = run_cli("-C", str(empty), "adopt")

    assert (ran.status, "no commit yet" in ran.err) == (3, True)


def test_missing_document_and_two_forms_are_refused(stale, run_cli):
    (stale / "loop").symlink_to("loop")

    ran = run_cli("adopt", "AGENTS.md", "nothing.md", "src/auth", "loop")

    assert (ran.status, "no document at HEAD in nothing.md, src/auth, loop" in ran.err) == (1, True)
    assert run_cli("adopt", "--json", "--format", "sarif").status == 2


def test_document_that_is_not_read_is_noted(stale, run_cli):
    (stale / "CLAUDE.md").symlink_to("AGENTS.md")
    commit_files(stale, {"README.md": "\0", "CONTRIBUTING.md": "a" * 1_100_000})

    ran = run_cli("adopt")

    assert "not read, because they are binary or too large: CONTRIBUTING.md, README.md" in ran.err


@pytest.mark.parametrize("put", ["fifo", "link", "folder", "link above"])
def test_fix_writes_to_nothing_but_the_file_itself(repo, run_cli, put):
    commit_files(repo, {"go.mod": "module x\n\ngo 1.25\n", "app/AGENTS.md": "- Go 1.24+\n"})
    other = repo.parent / "other"
    other.mkdir()
    (other / "AGENTS.md").write_text("- Go 1.24+\n")
    document = repo / "app/AGENTS.md"
    document.unlink()
    if put == "fifo":
        os.mkfifo(document)
    elif put == "link":
        document.symlink_to(other / "AGENTS.md")
    elif put == "folder":
        document.mkdir()
    else:
        document.parent.rmdir()
        document.parent.symlink_to(other)

    ran = run_cli("adopt", "--fix")

    assert ran.err == "gitmem: no line was corrected; 1 statement left to correct by hand\n"
    assert (other / "AGENTS.md").read_text() == "- Go 1.24+\n"


def test_shallow_clone_does_not_guess(stale, run_cli, tmp_path):
    commit_files(stale, {"README.md": "x\n"})
    git(tmp_path, "clone", "-q", "--depth", "1", stale.as_uri(), "cut")

    ran = run_cli("-C", str(tmp_path / "cut"), "adopt")

    assert ran.status == 1
    assert "was not true when it was written" not in ran.out
    assert "git fetch --unshallow" in ran.err


def test_partial_clone_without_its_remote_judges_what_it_has(stale, run_cli, tmp_path):
    git(stale, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", stale.as_uri(), "part")
    git(tmp_path / "part", "remote", "set-url", "origin", (tmp_path / "gone").as_uri())

    ran = run_cli("-C", str(tmp_path / "part"), "adopt")

    assert (ran.status, "says Go 1.24+, but go.mod:3 says 1.25" in ran.out) == (1, True)
    assert "was not true when it was written" not in ran.out
    assert "older files are missing" in ran.err


def test_base_shows_only_what_the_change_makes_false(stale, run_cli):
    git(stale, "switch", "-qc", "topic")
    git(stale, "mv", "src/auth/jwt.py", "src/auth/tokens.py")
    commit_files(stale, {}, "rename jwt")
    git(stale, "switch", "-q", "main")
    commit_files(stale, {"AGENTS.md": "# Guide\n\n- Go 1.24+ is needed\n- `src/auth/jwt.py` signs\n"})
    git(stale, "switch", "-q", "topic")
    git(stale, "merge", "-q", "--no-edit", "main")

    ran = run_cli("adopt", "--base", "main")

    assert ran.status == 1
    assert "✗ AGENTS.md:4  src/auth/jwt.py does not exist" in ran.out
    assert "should say: src/auth/tokens.py" in ran.out
    assert "Go 1.24" not in ran.out


def test_base_counts_in_every_form(stale, run_cli):
    git(stale, "tag", "before")
    commit_files(stale, {"README.md": "x\n"})
    assert run_cli("adopt", "--base", "before").status == 0
    commit_files(stale, {"go.mod": "module x\n\ngo 1.26\n", "README.md": "- Go 1.26\n"})
    commit_files(stale, {"go.mod": "module x\n\ngo 1.27\n"})

    table = json.loads(run_cli("adopt", "--base", "before", "--json").out)

    assert [(row["path"], row["fix"]) for row in table["false"]] == [("README.md", "1.27")]
    assert table["base"] == git(stale, "rev-parse", "before").strip()
    assert table["notes"] == ["1 more statements were false before the change; gitmem adopt shows them"]
    assert "::error file=README.md,line=1" in run_cli("adopt", "--base", "before", "--format", "github").out
    assert "AGENTS" not in run_cli("adopt", "--base", "before", "--format", "sarif").out
    assert "README.md:1\n\n```suggestion\n- Go 1.27" in run_cli("adopt", "--base", "before", "--suggest", "github").out


def test_base_without_a_common_commit_is_refused(stale, run_cli):
    git(stale, "checkout", "-q", "--orphan", "other")
    commit_files(stale, {"b": ""})

    ran = run_cli("adopt", "--base", "main")

    assert ran.status == 3
    assert "no common history" in ran.err


def test_apply_prints_and_returns_what_was_written(stale, run_cli):
    assert run_cli("init").status == 0

    planned = run_cli("adopt", "--apply", "--dry-run")
    written = json.loads(run_cli("adopt", "--apply", "--json").out)["applied"]
    again = run_cli("adopt", "--apply")

    assert (planned.status, again.status, run_cli("adopt").status) == (0, 0, 1)
    assert "  claim: `go` in `go.mod` is within 1.24" in planned.out
    assert planned.out.endswith("1 claim would be added\n")
    assert [one["kind"] for one in written["added"]] == ["claim"]
    assert written["commit"] == git(stale, "rev-parse", "memory").strip()
    assert again.out.endswith("nothing to write; 1 there already\n")


def test_claims_are_counted_apart_from_facts_wherever_facts_are_counted(repo, run_cli):
    commit_files(
        repo,
        {
            "AGENTS.md": "- No default exports in `src/`\n- Tokens expire after 15 minutes (`TTL_MINUTES`)\n"
            "- `MAX_RETRIES` (default: 5) bounds it\n",
            "src/a.py": "MAX_RETRIES = 3\nTTL_MINUTES = 15\n",
        },
    )
    assert run_cli("init").status == 0
    run_cli("adopt", "--apply")
    said = "2 names and values of documents hold"

    assert run_cli("verify").out.endswith(f"Now: {said}.\n")
    assert f"  {said}\n" in run_cli("status").out
    found = json.loads(run_cli("status", "--json").out)
    assert (sum(found["statuses"].values()), found["claims"]["verified"]) == (0, 2)
    assert f"facts: {said}" in run_cli("badge", "-").out
    assert f"![facts: {said}]" in run_cli("forge", "page", "--dry-run").out
    run_cli("report", "report.html")
    report = (repo / "report.html").read_text()
    assert f'<h1 id="_headline">{said}</h1>' in report
    assert "Every" not in report.partition("</h1>")[0].rpartition("<h1")[2]

    commit_files(repo, {"src/a.py": "MAX_RETRIES = 3\n"})
    assert run_cli("verify").out.endswith("Now: 1 name or value of documents holds, 1 failed.\n")
    assert run_cli("status").status == 1
    run_cli("report", "report.html")
    assert '<h1 id="_headline">1 claim of a document is false</h1>' in (repo / "report.html").read_text()


def test_apply_needs_a_store_and_dry_run_needs_apply(stale, run_cli):
    without = run_cli("adopt", "--apply")
    alone = run_cli("adopt", "--dry-run")

    assert (without.status, "gitmem init" in without.err) == (3, True)
    assert (alone.status, "--dry-run needs --apply" in alone.err) == (2, True)


def test_command_and_file_that_never_were_are_a_section_of_their_own_and_no_alarm(repo, run_cli):
    document = "- `npm run typecheck`\n- limits: `src/none.py`\n- use `if/else`, `docs/[name].md`, `load_nothing`\n"
    document += "- again `npm run typecheck`\n- `php artisan app:none` does it\n"
    commit_files(repo, {"AGENTS.md": document, "README.md": "- `src/other.py`\n", "package.json": '{"scripts": {}}'})
    commit_files(repo, {"app/Sync.php": "<?php\n$signature = 'app:sync';\n"})
    commit_files(repo, {"CLAUDE.md": "- `src/none.py`\n"})

    ran = run_cli("adopt")

    assert ran.status == 0
    assert ran.out.split("\n")[:6] == [
        "Never existed here (a typo, an example, or another project's):",
        "· AGENTS.md:1, 4  `npm run typecheck` was never defined",
        "· AGENTS.md:2 and 1 more document  src/none.py never existed",
        "· AGENTS.md:5  `php artisan app:none` was never defined",
        "· README.md:1  src/other.py never existed",
        "  1 more: gitmem adopt -v",
    ]
    assert ", 7 never existed" in ran.out
    assert run_cli("adopt", "-v").out.count("  never existed") == 7


def test_names_of_what_a_program_writes_are_no_missing_files(repo, run_cli):
    archive = "## The archive\n\n- `list.json`: all\n- `options.json`\n- `meta/`\n- `src/none.py`\n"
    commit_files(repo, {"AGENTS.md": f"{archive}\n## Elsewhere\n\n- `one.json`\n", "src/a.py": ""})

    assert [line.split()[2] for line in run_cli("adopt").out.split("\n") if line.startswith("·")] == [
        "src/none.py",
        "one.json",
    ]


def test_section_of_what_never_was_is_short_and_left_to_the_list_of_all(repo, run_cli):
    commit_files(repo, {"AGENTS.md": "".join(f"- see `src/none{number}.py`\n" for number in range(12))})

    assert run_cli("adopt").out.count(".py never existed") == 10
    assert "  2 more: gitmem adopt -v" in run_cli("adopt").out
    assert "Never existed here" not in run_cli("adopt", "-v").out


def test_statements_that_one_commit_made_false_are_shown_as_one(repo, run_cli):
    files = {f"src/part{number}.py": f"NUMBER = {number}\n" for number in range(9)}
    lines = "".join(f"- `{path}` is a part\n" for path in files)
    commit_files(repo, {**files, "AGENTS.md": lines, "go.mod": "module x\n\ngo 1.25\n", "README.md": "- Go 1.24+\n"})
    git(repo, "rm", "-q", "-r", *files)
    commit_files(repo, {"src/whole.py": "\n"}, "one file")

    ran = run_cli("adopt")

    assert ran.out.split("\n")[0] == "✗ AGENTS.md:1  src/part0.py does not exist"
    assert "    and 8 more of the same commit: AGENTS.md:2, 3, 4, 5, 6, …" in ran.out
    assert (ran.out.count("✗"), ran.status) == (2, 1)
    assert "2 documents: 10 false, " in ran.out
    assert run_cli("adopt", "-v").out.count("✗") == 10
    assert len(json.loads(run_cli("adopt", "--json").out)["false"]) == 10


def test_at_most_fifteen_alarms_are_shown_without_verbose(repo, run_cli):
    before = git(repo, "rev-parse", "HEAD")
    files = {f"src/part{number}.py": f"NUMBER = {number}\n" for number in range(18)}
    commit_files(repo, {**files, "AGENTS.md": "".join(f"- `{path}` is a part\n" for path in files)})
    for path in files:
        git(repo, "rm", "-q", path)
        commit_files(repo, {"log.md": path}, f"without {path}")

    ran = run_cli("adopt")

    assert ran.out.count("✗") == 15
    assert "  3 more: gitmem adopt -v\n" in ran.out
    narrowed = run_cli("adopt", "AGENTS.md", "--since", before)
    assert f"  3 more: gitmem adopt AGENTS.md --since {before} -v\n" in narrowed.out
    assert "more of the same" not in ran.out
    assert run_cli("adopt", "-v").out.count("✗") == 18


def test_known_statements_do_not_fail_and_new_ones_do(stale, run_cli):
    wrote = run_cli("adopt", "--write-baseline", "adopt-baseline.jsonl")
    commit_files(stale, {})
    known = run_cli("adopt", "--baseline", "adopt-baseline.jsonl")
    commit_files(
        stale, {"README.md": "- Go 1.22+ is needed\n", "AGENTS.md": "# Guide\n\nText\n\n- Go 1.24+ is needed\n"}
    )
    new = run_cli("adopt", "--baseline", "adopt-baseline.jsonl")

    assert (wrote.status, known.status, new.status) == (0, 0, 1)
    assert "1 entry written to adopt-baseline.jsonl" in wrote.err
    assert "2 documents: 0 false, 1 known (baseline), 0 hold" in known.out
    assert "✗" not in known.out
    assert "✗ README.md:1  says Go 1.22+" in new.out
    assert "2 documents: 1 false, 1 known (baseline)" in new.out


def test_known_statements_are_listed_with_verbose_and_in_json_and_left_out_elsewhere(stale, run_cli):
    run_cli("adopt", "--write-baseline", "adopt-baseline.jsonl")
    option = ("adopt", "--baseline", "adopt-baseline.jsonl")

    table = json.loads(run_cli(*option, "--json").out)

    assert ([row["token"] for row in table["known"]], table["false"]) == (["Go 1.24+"], [])
    assert "- AGENTS.md:3  known: says Go 1.24+, but go.mod:3 says 1.25" in run_cli(*option, "-v").out
    assert json.loads(run_cli(*option, "--format", "sarif").out)["runs"][0]["results"] == []
    assert "::error" not in run_cli(*option, "--format", "github").out
    assert run_cli(*option, "--format", "markdown").status == 0


def test_entries_that_are_gone_are_named(stale, run_cli):
    run_cli("adopt", "--write-baseline", "adopt-baseline.jsonl")
    commit_files(stale, {"AGENTS.md": "- Go 1.25+ is needed\n", "README.md": "text\n"})
    option = ("adopt", "--baseline", "adopt-baseline.jsonl")

    ran = run_cli(*option)

    assert ran.status == 0
    assert "no longer false, remove 1 entry from adopt-baseline.jsonl:" in ran.err
    assert "AGENTS.md  Go 1.24+" in ran.err
    assert "no longer false" not in run_cli(*option, "README.md").err
    assert "no longer false" not in run_cli(*option, "--base", "HEAD~").err


def test_names_in_a_baseline_do_not_count_as_code(repo, run_cli):
    commit_files(repo, {"AGENTS.md": "- `load_limits()` reads them\n", "src/a.py": "def load_limits(): pass\n"})
    commit_files(repo, {"src/a.py": "\n"})
    run_cli("adopt", "--write-baseline", "adopt-baseline.jsonl")
    commit_files(repo, {})

    assert "load_limits" in (repo / "adopt-baseline.jsonl").read_text()
    assert run_cli("adopt").status == 1
    assert "its words count as code" in run_cli("adopt", "--write-baseline", "known.json").err


def test_baseline_that_cannot_be_read_or_written_is_refused(stale, run_cli, tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff")
    (tmp_path / "text").write_text("known\n")
    refused = {name: run_cli("adopt", "--baseline", str(tmp_path / name)) for name in ("none", "bytes", "text", "")}
    unwritten = run_cli("adopt", "--write-baseline", str(tmp_path / "none/none"))

    assert [ran.status for ran in refused.values()] == [2, 2, 2, 2]
    assert "cannot read the baseline" in refused["none"].err
    assert "not valid UTF-8" in refused["bytes"].err
    assert "text:1 is not an entry of a baseline" in refused["text"].err
    assert (unwritten.status, "cannot write the baseline" in unwritten.err) == (3, True)
    assert run_cli("adopt", "--write-baseline", "x", "--baseline", "y").status == 2
    assert run_cli("adopt", "--write-baseline", "x", "--base", "HEAD").status == 2
    assert run_cli("adopt", "--write-baseline", "x", "--since", "HEAD").status == 2


def test_since_checks_only_statements_written_after_a_commit(stale, run_cli):
    old = git(stale, "rev-parse", "HEAD")
    guide = "# Guide\n\n- `src/auth/jwt.py` is new\n- Go 1.20+ is fine\n\nMore.\n\n  - Go 1.24+ is needed\n"
    commit_files(stale, {"AGENTS.md": guide})

    ran = run_cli("adopt", "--since", old)
    table = json.loads(run_cli("adopt", "--since", old, "--json").out)

    assert ran.status == 1
    assert "✗ AGENTS.md:4  says Go 1.20+" in ran.out
    assert "Go 1.24+" not in ran.out
    assert f" documents, lines since {old[:10]}: 1 false, 1 holds" in ran.out
    assert (table["since"], [row["line"] for row in table["false"]]) == (old, [4])
    assert run_cli("adopt", "--since", "HEAD").status == 0
    assert run_cli("adopt").out.count("✗") == 2


def test_since_goes_with_a_baseline_but_not_with_apply(stale, run_cli):
    run_cli("adopt", "--write-baseline", "adopt-baseline.jsonl")

    ran = run_cli("adopt", "--since", "HEAD", "--baseline", "adopt-baseline.jsonl")

    assert (ran.status, "no longer false" in ran.err) == (0, False)
    assert run_cli("adopt", "--since", "HEAD", "--apply").status == 2
    assert run_cli("adopt", "--since", "none").status == 1


def test_verbose_lists_which_clients_load_which_file_and_a_note_what_is_too_long(repo, run_cli):
    commit_files(repo, {"AGENTS.md": "Be kind.\n", "web/AGENTS.md": "x" * 33_000 + "\n", "README.md": "Hello.\n"})

    verbose, plain = run_cli("adopt", "-v"), run_cli("adopt")
    loaded = json.loads(run_cli("adopt", "--json").out)["loaded"]

    assert "  AGENTS.md  about 3 tokens: Auggie, " in verbose.out
    assert "  web/AGENTS.md  about 8,251 tokens, for web/: " in verbose.out
    assert "What clients load" not in plain.out
    assert "web/AGENTS.md is too long: Codex loads 32,768 bytes, and it has 33,010 with the files above it" in plain.err
    assert [(one["path"], one["folder"], one["tokens"]) for one in loaded] == [
        ("AGENTS.md", "", 3),
        ("web/AGENTS.md", "web", 8251),
    ]


def test_fix_exits_with_0_only_when_nothing_false_is_left(repo, run_cli):
    code = {"go.mod": "module x\n\ngo 1.24\n", "src/gone.py": "GONE = 1\n"}
    commit_files(repo, {"AGENTS.md": "# Guide\n\n- Go 1.24+ is needed\n", **code})
    commit_files(repo, {"go.mod": "module x\n\ngo 1.25\n"})
    fixed = run_cli("adopt", "--fix")
    commit_files(repo, {"AGENTS.md": "# Guide\n\n- Go 1.24+ is needed, see `src/gone.py` and `src/auth/jwt.py`\n"})
    git(repo, "rm", "-q", "src/gone.py")
    commit_files(repo, {})

    part = run_cli("adopt", "--fix")

    assert (fixed.status, fixed.err) == (0, "gitmem: 1 line corrected; see git diff\n")
    assert part.status == 1
    assert "1 statement left to correct by hand\n" in part.err


def test_what_only_names_something_that_occurs_is_counted_apart(repo, run_cli):
    commit_files(
        repo,
        {"AGENTS.md": "- set `SHOP_DB_URL` first\n- code is in `src/a.py`\n", "src/a.py": "x = env('SHOP_DB_URL')\n"},
    )

    ran = run_cli("adopt", "-v")

    assert "`SHOP_DB_URL` occurs in the code" in ran.out
    assert "0 false, 2 hold, 1 of them by name only" in ran.out

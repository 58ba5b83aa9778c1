"""A newcomer's first day: everything that the README and the guide show, typed as shown, and the demo."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from conftest import CODE, PINNED, commit_files, git, put_files, tip
from support.console import GITMEM, Console, environment, fsck, on_terminal, run, untouched

PROJECT = Path(__file__).resolve().parents[2]
SHOWN = ("README.md", "docs/install.md", "docs/guide.md")
README = "".join((PROJECT / name).read_text(encoding="utf-8") for name in SHOWN)
BLOCKS = [(b.group(1), b.group(2)) for b in re.finditer(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)]
DIGITS = re.compile(r"\b[0-9a-f]{12}\b")


def block(containing: str) -> str:
    """Return the only code block of the README and the guide that has a text in it."""
    (found,) = [text for _, text in BLOCKS if containing in text]
    return found


@pytest.fixture
def console(repo: Path) -> Console:
    return Console(repo)


def say_rs256(console: Console) -> None:
    console.ok("fact", "Tokens are signed with RS256", "--contains", "RS256", "--in", "src/auth/jwt.py",
               "--key", "tokens-rs256")  # fmt: skip
    console.ok("remember", "The gateway only holds public keys", "--kind", "decision", "--requires", "tokens-rs256")


GATEWAY = "the-gateway-only-holds-public-keys"


def switch_to_eddsa(folder: Path) -> str:
    return commit_files(folder, {"src/auth/jwt.py": CODE["src/auth/jwt.py"].replace("RS256", "EdDSA")}, "EdDSA")


# What the README, the page Install and the guide show


def test_every_block_of_the_readme_is_typed_here() -> None:
    typed = (
        "gitmem adopt ",
        "gitmem completion",
        "uv tool install",  # test_installed.py does
        '"…" --exists',
        "verdicts/",
        "title:",
        "from gitmem",
        "Close the pool",
        "# which facts this branch",
        "verify --dry-run",
        "install github",
        "gitmem report",
        "install claude-code codex",
        "install git-hooks",
        "gitmem propose",
        "gitmem task add",
        "recall --syntax",
        "knowledge.jsonl",
        "uninstall --all",
    )

    assert [sum(name in text for name in typed) for _, text in BLOCKS] == [1] * len(typed)


@pytest.mark.whole_system
def test_commands_of_a_first_afternoon_are_typed_as_shown(console: Console) -> None:
    commit_files(console.folder, {"src/pool.py": "POOL = 4\n"})
    console.ok("fact", "There is a README", "--exists", "README.md")
    git(console.folder, "switch", "-q", "-c", "topic")
    git(console.folder, "rm", "-q", "README.md")
    git(console.folder, "commit", "-qm", "No README")

    done = [console.type(line) for line in block("Close the pool").splitlines()]

    assert [one.status for one in done] == [0, 0, 1, 0, 1, 0], done
    assert "Close the pool before a fork" in done[1].out
    assert tip(console.folder, "HEAD")[:12] in done[3].out
    assert "becomes false" in done[4].out


def test_make_knows_the_targets_that_are_shown() -> None:
    targets = set(re.findall(r"`make ([\w-]+)`", README))

    assert {"demo", "test"} <= targets
    for target in targets:
        assert run(["make", "--dry-run", target], PROJECT).status == 0


@pytest.mark.whole_system
def test_demo_ends_well_and_leaves_nothing(tmp_path: Path) -> None:
    """Run it on a source distribution of what its facts read: `make bare` runs it on a clone of everything."""
    source, scratch = tmp_path / "source", tmp_path / "scratch"
    for name in ("demo", "gitmem", ".memory"):
        shutil.copytree(PROJECT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("README.md", "CONTRIBUTING.md", "LICENSE", "pyproject.toml"):
        shutil.copy(PROJECT / name, source)
    scratch.mkdir()

    done = run(["bash", str(source / "demo/demo.sh")], scratch, env=environment(TMPDIR=str(scratch)))

    assert done.status == 0, done
    assert "python-3.11  failed" in done.out
    assert "ci-runs-on-3.11  suspect" in done.out
    late = r"nothing was due; verdicts of earlier runs committed as [0-9a-f]{12}\. Now: \d+ verified\."
    assert re.search(late, done.out)
    assert done.err == ""
    assert list(scratch.iterdir()) == []
    assert not (source / ".git").exists()


def test_installed_programs_are_gitmem_and_git_mem() -> None:
    scripts = {e.name: e.value for e in entry_points(group="console_scripts") if e.value.startswith("gitmem")}

    assert scripts == {"gitmem": "gitmem.__main__:script", "git-mem": "gitmem.__main__:script"}
    assert GITMEM.is_file()


def test_change_is_proposed_as_shown(console: Console) -> None:
    git(console.folder, "init", "-q", "--bare", "../hub.git")
    git(console.folder, "remote", "add", "origin", "../hub.git")
    assert console.type("gitmem init && gitmem sync && gitmem remember 'Keys live in the vault' --key keys").status == 0

    _, propose = block("gitmem propose").splitlines()  # what `gitmem sync` sends is not proposed
    done = console.type(propose)

    assert (done.status, done.out) == (0, "branch gitmem/auth-notes, base memory\n")
    assert "learned/keys.md" in git(
        console.folder.parent / "hub.git", "ls-tree", "-r", "--name-only", "gitmem/auth-notes"
    )


def test_completion_is_installed_as_shown_and_completes_commands(console: Console, tmp_path: Path) -> None:
    lines = [line for line in block("gitmem completion").splitlines() if not line.startswith("make ")]

    done = console.type("\n".join(lines), HOME=str(tmp_path / "newcomer"))
    script = Path(os.environ["XDG_DATA_HOME"], "bash-completion/completions/gitmem")

    assert (done.status, done.out) == (0, f"wrote  {script}\nwrote  {script.parent / 'git-mem'}\n")
    asked = f'. "{script}"; COMP_WORDS=(gitmem rec); COMP_CWORD=1; _gitmem; echo "${{COMPREPLY[@]}}"'
    words = run(["bash", "-c", asked], tmp_path)
    assert words.out.split() == ["recall"], words


@pytest.mark.whole_system
def test_change_is_checked_and_explained_as_shown(console: Console) -> None:
    say_rs256(console)
    git(console.folder, "switch", "-q", "-c", "topic")
    broke = switch_to_eddsa(console.folder)

    asked = [console.type(line) for line in block("# which facts this branch").splitlines()]

    assert [done.status for done in asked] == [1, 1, 0, 0], asked
    assert "tokens-rs256  becomes false" in asked[0].out
    assert all(f"broken by {broke[:12]}" in done.out for done in asked[1:3])
    assert "known now: held here" in asked[3].out


def test_page_badge_and_numbers_are_made_as_shown(console: Console) -> None:
    say_rs256(console)

    done = console.type(block("gitmem report"))

    assert done.status == 0, done
    assert "Tokens are signed with RS256" in (console.folder / ".git/gitmem/report.html").read_text(encoding="utf-8")
    assert "1 verified" in (console.folder / "facts.svg").read_text(encoding="utf-8")
    assert 'gitmem_facts{repository="service",status="verified"} 1\n' in done.out


def test_verify_jobs_are_typed_as_shown(console: Console) -> None:
    say_rs256(console)
    commit_files(console.folder, {"src/auth/jwt.py": CODE["src/auth/jwt.py"] + "# more\n"})

    *looked, scheduled = (console.type(line) for line in block("verify --dry-run").splitlines())

    assert [done.status for done in looked] == [0, 0], looked
    assert "tokens-rs256  inputs (src/auth/jwt.py)" in looked[0].out
    # A machine without any scheduler says so.
    assert scheduled.status in (0, 3), scheduled


def test_workflows_and_the_list_that_they_use_are_written_as_shown(console: Console) -> None:
    console.ok("init")
    console.ok("fact", "It is built by make", "--unproven", "--", "make")

    # The gitmem of the tests comes from a folder, which a forge cannot fetch.
    done = console.type(
        block("install github").replace("gitmem install github", f"gitmem install github --package {PINNED}")
    )

    assert done.status == 0, done
    names = git(console.folder, "ls-files", "--others", "--", ".github").split("\n")
    assert [Path(name).name for name in names] == ["gitmem-approved", "gitmem-write.yml", "gitmem.yml"]
    assert "  make" in (console.folder / ".github/gitmem-approved").read_text(encoding="utf-8")


def test_hooks_are_installed_as_shown_and_capture_what_a_commit_says(console: Console) -> None:
    console.ok("init")
    assert console.type(block("install git-hooks")).status == 0

    said = "git commit -q --allow-empty -m 'Learned: the gateway drops idle connections'"
    assert console.type(said, GITMEM_BACKGROUND=None).status == 0

    assert console.listed() == ["the-gateway-drops-idle-connections"]


def test_agents_call_it_as_shown(console: Console) -> None:
    console.ok("init")

    assert console.type(block("install claude-code codex")).status == 0

    assert "gitmem hook claude-code" in (console.folder / ".claude/settings.json").read_text()
    assert "gitmem hook codex" in (console.folder / ".codex/hooks.json").read_text()


@pytest.mark.whole_system
def test_steps_of_a_workflow_are_played_as_shown(console: Console) -> None:
    commit_files(console.folder, {"src/auth/jwt.py": "".join(f"LINE_{number} = 1\n" for number in range(1, 160))})
    console.ok("init")
    built = "The middleware checks a token in two phases: the signature first, then what it claims. " * 6
    (console.folder / "what-was-built.md").write_text(built)
    (console.folder / "run.json").write_text('[{"kind": "gotcha", "title": "Tests hang", "body": "Without the VPN."}]')

    page = (PROJECT / "docs/workflow.md").read_text(encoding="utf-8")
    ran = console.type(page.partition("```sh\n")[2].partition("```")[0])

    assert ran.status == 0, ran.err
    assert len(console.listed()) == 3
    assert "RS256, since" in ran.out
    assert "Clock fixture" in console.ok("recall", "clock fixture", GITMEM_AGENT="worker-2")


def test_task_is_played_as_shown(console: Console) -> None:
    commit_files(console.folder, {"src/auth/jwt.py": "def rotate_refresh(): ...\n"})

    done = console.type(block("gitmem task add"))

    assert done.status == 0, done
    assert console.json("task", "show", "refresh")["state"] == "closed"


def test_questions_are_asked_as_shown(console: Console) -> None:
    console.ok("fact", "Auth tokens are signed", "--exists", "src/auth/jwt.py")
    console.ok("remember", "The gateway drops requests", "--kind", "gotcha")
    console.ok("remember", "Authentication fails behind the gateway", "--kind", "gotcha")

    asked = [console.type(line) for line in block("recall --syntax").splitlines()]

    assert [done.status for done in asked] == [0, 0, 0], asked
    assert "authentication-fails" in asked[1].out
    assert "authentication-fails" in asked[2].out


def test_memories_move_in_and_out_as_shown(console: Console) -> None:
    log = console.folder / ".beads/memory/knowledge.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text('{"key": "x", "type": "learned", "content": "Deploys need the VPN", "ts": 1700000000}\n')
    console.ok("remember", "Gone by mistake", "--key", "gone")
    console.ok("forget", "gone")

    done = console.type(block("knowledge.jsonl").replace(" KEY", " gone"))

    assert done.status == 0, done
    assert console.listed() == ["gone", "x"]
    assert len((console.folder / "memories.jsonl").read_text().splitlines()) == 2


def test_git_mem_does_the_same(console: Console) -> None:
    console.ok("remember", "Deploys need the VPN")

    assert console.type("git mem list").out == console.type("gitmem list").out != ""


def test_first_memory_needs_no_init(console: Console) -> None:
    assert console.ok("remember", "Deploys need the VPN") == "deploys-need-the-vpn"
    fsck(console.folder)


def test_first_fact_needs_no_init_and_is_proved(console: Console) -> None:
    assert console("verify").status == 3

    say_rs256(console)

    assert {memory["key"]: memory["status"] for memory in console.json("list")["memories"]}[
        "tokens-rs256"
    ] == "verified"
    assert console("fact", "Never true", "--exists", "nowhere").status == 2
    fsck(console.folder)


def test_every_row_of_what_can_be_written_down_works(console: Console) -> None:
    for kind in ("gotcha", "pattern", "decision", "convention"):
        assert console.ok("remember", f"Something about a {kind}", "--kind", kind) == f"something-about-a-{kind}"
    old = console.ok("remember", "-", input="The port is 80\n\nIt always was.\n")
    new = console.ok("remember", "The port is 8080")
    console.ok("edit", old, "--title", "The port was 80")
    console.ok("supersede", old, new)
    console.ok("forget", "something-about-a-pattern", "--why", "nobody needs it")
    printed = console.ok("log", old) + console.ok("show", old)

    assert {old, new} & set(console.listed()) == {new}
    assert "something-about-a-pattern" not in console.listed()
    assert "something-about-a-pattern" in console.listed("--all")
    assert "The port was 80" in printed
    assert "It always was." in printed
    assert "learned: add" in printed


def test_key_that_is_taken_gets_a_hash_and_a_key_that_is_given_is_overwritten(console: Console) -> None:
    long = "The same first sixty characters of two quite different memories"
    first = console.ok("remember", f"{long} begin here", "--kind", "gotcha")
    second = console.ok("remember", f"{long} end elsewhere, with nothing at all in common but that")
    third = console.ok("remember", f"{long} can be about fish, bicycles, the moon, and much more", "--kind", "gotcha")
    for text in ("It is red", "It is blue, and this is quite another text"):
        console.ok("remember", text, "--key", "colour")

    assert len({first, second, third}) == 3
    shared, _, digest = third.rpartition("-")
    assert first.startswith(shared)
    assert re.fullmatch("[0-9a-f]{6}", digest)
    assert console.json("show", "colour")["title"] == "It is blue, and this is quite another text"
    assert "It is red" in git(console.folder, "log", "-p", "memory", "--", "learned/colour.md", "learnings/colour.md")


def test_secret_is_refused_and_not_repeated(console: Console) -> None:
    secret = "ghp_" + "wq8ZrT1kXv5LmB3nYc7HdJ2fSg9PaQ4eUiOx"
    console.ok("init")
    before = tip(console.folder)

    done = console("remember", f"The token is {secret}")

    assert done.status == 2
    assert secret not in done.out + done.err
    assert tip(console.folder) == before
    assert console("remember", "Looks\u200b innocent").status == 2


VALUES = {
    "--exists PATH": "--exists README.md",
    "--contains TEXT": "--contains RETRIES",
    "--value PATH#KEY --is VALUE": "--value pyproject.toml#project.version --is 1.0",
    "--agree PATH#KEY PATH#KEY": "--agree pyproject.toml#project.version package.json#version",
    "--script NAME": "--script test",
    "--depends NAME": "--depends requests",
    "--symbol NAME --in GLOB": "--symbol retry --in 'src/**'",
}
# What the guide only names, or leaves to the page on checks.
FURTHER = (
    "gitmem fact '…' --matches 'RS[0-9]+' --in 'src/**'",
    "gitmem fact '…' --lacks print --in 'src/**/*.py'",
    "gitmem fact '…' --same $(sha256sum README.md | cut -d' ' -f1) --in README.md",
)
MANIFESTS = {
    "pyproject.toml": '[project]\nname = "service"\nversion = "1.0"\ndependencies = ["requests>=2"]\n',
    "package.json": '{"version": "1.0"}\n',
    "Makefile": "test:\n\tpytest\n",
    "src/gateway/retry.py": "RETRIES = 3\n\n\ndef retry():\n    return RETRIES\n",
}


def test_every_builtin_check_holds_and_can_fail(console: Console) -> None:
    commit_files(console.folder, MANIFESTS)
    lines = [line for line in block('"…" --exists').splitlines() if line]
    for shown, meant in VALUES.items():
        (number,) = (number for number, line in enumerate(lines) if shown in line)
        lines[number] = lines[number].replace(shown, meant)
    lines += FURTHER
    for number, typed in enumerate(lines):
        done = console.type(typed.replace("…", f"Claim {number}"))
        assert done.status == 0, done
    assert console("verify").status == 0

    other = {"pyproject.toml": '[project]\nname = "service"\nversion = "2.0"\n', "Makefile": "all:\n\ttrue\n"}
    texts = {"src/auth/jwt.py": "print(1)\n", "src/gateway/retry.py": "x\n"}
    commit_files(console.folder, texts | other)
    git(console.folder, "rm", "-q", "README.md")
    git(console.folder, "commit", "-qm", "none holds")

    assert len(lines) == len(VALUES) + len(FURTHER)
    done = console.json("verify")
    assert {r["key"]: r["outcome"] for r in done["results"] if r["outcome"] == "error"} == {}
    assert [r["outcome"] for r in done["results"]] == ["fails"] * len(lines)


def test_command_is_refused_when_it_cannot_fail(console: Console) -> None:
    for command in ("true", "echo ok"):
        done = console("fact", "Nothing", "--verify", command)

        assert done.status == 2
        assert "proves nothing" in done.err
    assert console("fact", "Prose only").status == 2


def test_reviewed_list_lets_ci_run_a_command_and_an_edit_takes_that_back(console: Console) -> None:
    command = "touch ran; grep -q RS256 src/auth/jwt.py"
    key = console.ok("fact", "Tokens are signed with RS256", "--verify", command, "--path", "src/auth/jwt.py")
    program = console.ok("fact", "There are retries", "--", "grep", "-q", "RETRIES", "src/gateway/retry.py")
    waits = console("verify")
    listing = "mkdir -p .github\ngitmem trust --print > .github/gitmem-approved\n"
    done = console.type(listing + "gitmem verify --approved .github/gitmem-approved")

    assert waits.status == 3
    assert "not approved" in waits.out + waits.err
    assert done.status in (1, 3), "a list that was not committed approves nothing"
    git(console.folder, "add", ".github")
    git(console.folder, "commit", "-qm", "approve")

    assert console("verify", "--approved", ".github/gitmem-approved").status == 0
    assert console.listed("--status", "verified") == sorted([key, program])
    assert not (console.folder / "ran").exists()
    console.ok("edit", program, "--verify", "grep -q RETRIES src/gateway/retry.py; touch ran")
    again = console.json("verify", "--approved", ".github/gitmem-approved", allowed=3)
    assert [(r["key"], r["outcome"]) for r in again["results"]] == [(program, "skipped")]


def approve_by_hash(said: str) -> str | None:
    asked = re.search(r"hash ([0-9a-f]+)….*decide later: $", said, re.DOTALL)
    return f"{asked.group(1)}\n" if asked else None


def test_person_at_a_terminal_approves_by_typing_the_hash_and_takes_it_back(console: Console) -> None:
    console.ok("fact", "RS256", "--verify", "grep -q RS256 src/auth/jwt.py", "--key", "rs256")
    assert console("trust", "--review").status == 3, "no terminal"
    assert console("verify").status == 3

    status, said = on_terminal([str(GITMEM), "trust", "--review"], console.folder, approve_by_hash)

    assert (status, "1 of 1 approved" in said) == (0, True), said
    assert "grep -q RS256 src/auth/jwt.py" in said
    assert console("verify").status == 0
    console.ok("untrust", "rs256")
    assert console("verify", "rs256").status == 3


def test_fact_typed_at_a_terminal_is_approved_and_proved_at_once(console: Console) -> None:
    argv = [str(GITMEM), "fact", "RS256", "--key", "rs256", "--", "grep", "-q", "RS256", "src/auth/jwt.py"]

    status, said = on_terminal(argv, console.folder, lambda _: None)

    assert (status, "✓ holds  RS256" in said) == (0, True), said
    assert console.json("show", "rs256")["status"] == "verified"


def test_what_lies_inside_is_what_is_shown(console: Console) -> None:
    say_rs256(console)
    shown = block("verdicts/").splitlines()
    names = [line.split("  ")[0] for line in shown]
    paths = git(console.folder, "ls-tree", "-r", "--name-only", "memory").splitlines()

    console.ok("init")
    console.ok("verify")

    patterns = [re.escape(name).replace("…", "[0-9a-f]{16}") for name in names]
    paths = git(console.folder, "ls-tree", "-r", "--name-only", "memory").splitlines()
    for pattern in patterns:
        assert any(re.fullmatch(pattern, path) for path in paths), (pattern, paths)


def test_memory_file_that_is_shown_is_one_that_gitmem_writes(console: Console) -> None:
    put_files(console.folder, {"facts/tokens-rs256.md": block("title: Tokens")})

    assert console("doctor").status == 0
    assert console("verify").status == 0
    assert console.json("show", "tokens-rs256")["status"] == "verified"
    console.ok("fact", "Tokens are signed with RS256", "--contains", "RS256", "--in", "src/auth/jwt.py",
               "--tag", "auth", "--body", "HS256 was dropped because the gateway only holds public keys.",
               "--key", "again", "--force")  # fmt: skip
    names = [line.split(":")[0] for line in block("title: Tokens").split("---")[1].splitlines()]
    written = git(console.folder, "show", "memory:facts/again.md")
    assert [line.split(":")[0] for line in written.split("---")[1].splitlines()] == names


def test_python_example_finds_the_memory(console: Console) -> None:
    say_rs256(console)

    done = run([sys.executable, "-c", block("from gitmem import")], console.folder)

    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines()[0] == "tokens-rs256 verified Tokens are signed with RS256"


# The story of the demo


def test_broken_fact_is_reported_everywhere_and_clears_by_itself(console: Console) -> None:
    say_rs256(console)
    assert console("verify").status == 0
    holding = tip(console.folder)
    broke = switch_to_eddsa(console.folder)
    stale = console.json("list", "--status", "stale")["memories"]

    done = console("verify")

    assert [memory["key"] for memory in stale] == ["tokens-rs256"]
    assert done.status == 1
    assert git(console.folder, "rev-list", "--count", f"{holding}..memory") == "1"
    trailers = git(console.folder, "log", "-1", "--format=%(trailers:only,unfold)", "memory").strip().splitlines()
    assert trailers == [
        f"Code-Commit: {broke}",
        "Gitmem-Verdicts: 1",
        "Gitmem-Failed: tokens-rs256",
        f"Gitmem-Suspect: {GATEWAY} (because tokens-rs256)",
        f"Gitmem-Culprit: tokens-rs256 {broke}",
    ]
    assert {h["key"]: h["status"] for h in console.json("recall", "gateway", "public", "keys", "tokens")["hits"]} == {
        "tokens-rs256": "failed",
        GATEWAY: "suspect",
    }
    warnings = console.json("context")["sections"][0]
    assert (warnings["name"], [i["key"] for i in warnings["items"]]) == ("WARNINGS", ["tokens-rs256", GATEWAY])
    page = git(console.folder, "show", "memory:STATUS.md")
    assert "## Failed" in page
    assert "## Suspect" in page
    assert console("settle", "tokens-rs256").status == 1


def test_revert_clears_the_failure_and_says_so_on_the_branch_without_a_run(console: Console) -> None:
    say_rs256(console)
    switch_to_eddsa(console.folder)
    assert console("verify").status == 1
    failing = tip(console.folder)
    git(console.folder, "revert", "--no-edit", "HEAD")
    before = console.json("list")["memories"]

    done = console.json("verify")

    assert {m["key"]: m["status"] for m in before} == {"tokens-rs256": "verified", GATEWAY: ""}
    assert (done["ran"], done["results"]) == (0, [])
    assert git(console.folder, "rev-list", "--count", f"{failing}..memory") == "1"
    trailers = git(console.folder, "log", "-1", "--format=%(trailers:only,unfold)", "memory").strip().splitlines()
    assert trailers[2:] == ["Gitmem-Holds-Again: tokens-rs256", f"Gitmem-Cleared: {GATEWAY}"]
    page = git(console.folder, "show", "memory:STATUS.md")
    assert "| verified | 1 |" in page
    assert "Failed" not in page
    assert console("verify").status == 0
    assert git(console.folder, "rev-list", "--count", f"{failing}..memory") == "1", "saying it once is enough"


def test_branch_of_the_code_shows_its_own_statuses_and_writes_nothing(console: Console) -> None:
    say_rs256(console)
    git(console.folder, "switch", "-q", "-c", "topic")
    switch_to_eddsa(console.folder)
    before = tip(console.folder)

    assert console("verify").status == 1
    assert {m["key"]: m["status"] for m in console.json("list")["memories"]} == {
        "tokens-rs256": "failed",
        GATEWAY: "suspect",
    }
    git(console.folder, "switch", "-q", "main")
    assert {m["key"]: m["status"] for m in console.json("list")["memories"]} == {
        "tokens-rs256": "verified",
        GATEWAY: "",
    }
    assert tip(console.folder) == before


def test_whole_day_leaves_repository_of_the_code_as_it_was(console: Console) -> None:
    hook = console.folder / ".git/hooks/reference-transaction"
    hook.write_text("#!/bin/sh\ntouch hook-ran\n")
    hook.chmod(0o755)
    (console.folder / "README.md").write_text("changed, not staged\n")
    (console.folder / "untracked").write_text("mine\n")
    before = untouched(console.folder)

    say_rs256(console)
    for words in (["verify"], ["status"], ["context"], ["recall", "tokens"], ["doctor"], ["index", "--rebuild"],
                  ["forget", GATEWAY, "--why", "done"], ["edit", "tokens-rs256", "--tag", "auth"]):  # fmt: skip
        console.ok(*words)

    assert untouched(console.folder) == before
    fsck(console.folder)


def test_json_of_the_commands_that_others_build_on(console: Console) -> None:
    say_rs256(console)

    tables = {name: console.json(*words) for name, words in {
        "recall": ["recall", "tokens"], "list": ["list"], "show": ["show", "tokens-rs256"],
        "verify": ["verify", "--all"], "context": ["context"], "status": ["status"], "doctor": ["doctor"],
    }.items()}  # fmt: skip

    promised = {
        "recall": {"query", "commit", "hits", "more"},
        "list": {"memories"},
        "show": {"key", "kind", "title", "status", "frontmatter", "body", "verdict"},
        "verify": {"commit", "ran", "skipped", "results", "recorded"},
        "context": {"sections", "tokens", "more"},
        "status": {"kinds", "statuses"},
        "doctor": {"problems"},
    }
    for name, fields in promised.items():
        assert fields <= set(tables[name]), (name, sorted(tables[name]))
    assert {"key", "kind", "title", "status", "score", "scope", "snippet"} <= set(tables["recall"]["hits"][0])
    assert {"outcome", "commit", "at", "because", "culprit"} <= set(tables["show"]["verdict"])
    assert json.loads(console.ok("remember", "Another", "--json")).keys() == {"key", "short_id", "path", "commit"}

"""Memories, names, authors and check output made to harm a terminal: nothing of it stays alive in any command."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import commit_files, git, put_files
from support.each import each
from support.golden import assert_golden, steady
from support.terminal import ALIVE, GITMEM, Terminal, environment, gitmem

# Writes to the clipboard (OSC 52), clears the screen, goes back over what was shown, turns the line around, and clears
# with an 8-bit introducer.
EVIL = "\x1b]52;c;aGk=\x07\x1b[2J\r\x08\u202e\x9b2J"
# The same in a double-quoted scalar of YAML.
SPELT = '"' + "".join(f"\\x{ord(c):02x}" if ord(c) < 256 else f"\\u{ord(c):04x}" for c in EVIL) + 'evil"'
PRINTS = r"printf '\033]52;c;aGk=\007\033[2J\r\010 boo\n\342\200\256x'; exit 1"

FILES: dict[str, bytes | str] = {
    "learned/title.md": f"---\ntitle: {SPELT}\nkind: learned\ntags: [{SPELT}]\npaths: [{SPELT}]\nrefs: [{SPELT}]\n"
    f"by: {{who: {SPELT}, agent: {SPELT}}}\nodd: {SPELT}\n---\nplain gateway\n",
    "learned/body.md": f"---\ntitle: a body\nkind: learned\n---\ngateway {EVIL} gateway\n",
    "learned/raw.md": f"---\ntitle: raw {EVIL}\nkind: learned\n---\n",
    "learned/kind.md": f"---\ntitle: a kind\nkind: {SPELT}\n---\n",
    "learned/key.md": f"---\ntitle: a key\n{SPELT}: x\n---\n",
    "learned/yaml.md": f"---\ntitle: [{EVIL}\n---\n",
    "facts/builtin.md": f"---\ntitle: {SPELT}\nkind: fact\nby: {SPELT}\n"
    f"verify: {{contains: {SPELT}, in: README.md}}\n---\n",
    "facts/command.md": f"---\ntitle: a command\nkind: fact\nverify: {SPELT}\n---\n",
    "facts/prints.md": f"---\ntitle: prints\nkind: fact\nverify: {json.dumps(PRINTS)}\n---\n",
    "facts/rests.md": f"---\ntitle: rests\nkind: fact\nrequires: [builtin, {SPELT}]\n"
    "verify: {exists: README.md}\n---\n",
    "learned/--json.md": "---\ntitle: an option\n---\n",
    "gitmem.toml": f"{EVIL} = 1\n",
}
NAMES = [b"\x1b]52;c;aGk=\x07.md", b"new\nline.md", "\u202egpj.md".encode(), b"\xff\xfe.md", b"tab\t.md"]


@pytest.fixture(scope="module")
def hostile_template(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository whose memory branch was pushed by somebody who means harm; its code has odd names too."""
    repo = Path(shutil.copytree(template, tmp_path_factory.mktemp("hostile") / "service"))
    commit_files(repo, {"src/\x1b]52;c;aGk=\x07\u202ename.py": "x\n"})
    gitmem(repo, "init")
    put_files(repo, FILES)
    put_files(repo, {"learned/late.md": "---\ntitle: late\nkind: learned\n---\n"})
    _set_tip(repo, b"memory^{tree}", "memory~1")
    blob = git(repo, "hash-object", "-w", "--stdin", input="---\ntitle: x\n---\n").encode()
    folder = _tree(repo, [b"100644 blob " + blob + b"\t" + name for name in NAMES])
    learned = _tree(repo, [*_entries(repo, "memory:learned"), b"040000 tree " + folder + b"\todd\x1b[2J"])
    others = [entry for entry in _entries(repo, "memory") if not entry.endswith(b"\tlearned")]
    _set_tip(repo, _tree(repo, [*others, b"040000 tree " + learned + b"\tlearned"]), "memory")
    commit_files(repo, {"approved": gitmem(repo, "trust", "--print").out})
    return repo


@pytest.fixture
def hostile(hostile_template: Path, tmp_path: Path) -> Path:
    """Return a copy of it that a test may change."""
    return Path(shutil.copytree(hostile_template, tmp_path / "service"))


def _entries(repo: Path, tree: str) -> list[bytes]:
    listed = subprocess.run(["git", "ls-tree", "-z", tree], cwd=repo, capture_output=True, check=True).stdout
    return listed.split(b"\0")[:-1]


def _tree(repo: Path, entries: list[bytes]) -> bytes:
    data = b"".join(entry + b"\0" for entry in entries)
    return subprocess.run(["git", "mktree", "-z"], cwd=repo, input=data, capture_output=True, check=True).stdout.strip()


def _set_tip(repo: Path, tree: bytes, parent: str) -> None:
    """Commit a tree as somebody whose name and subject mean harm."""
    names = {f"GIT_{who}_{what}": f"{EVIL}Mal" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    argv = ["git", "commit-tree", tree.decode(), "-p", parent, "-m", f"subject {EVIL}"]
    done = subprocess.run(argv, cwd=repo, env=environment(**names), capture_output=True, check=True)
    git(repo, "update-ref", "refs/heads/memory", done.stdout.decode().strip())


COMMANDS = (
    ("list", "--all"),
    ("recall", "gateway"),
    ("recall", "--recent", "20"),
    ("recall", EVIL),
    ("show", "title"),
    ("show", "body"),
    ("show", "raw"),
    ("show", EVIL),
    ("show", "--", "--json"),
    ("verify", "--dry-run"),
    ("verify", "--approved", "approved"),
    ("verify", "--approved", EVIL),
    ("show", "builtin"),
    ("show", "prints"),
    ("settle", "builtin"),
    ("log", "late"),
    ("log", "prints"),
    ("status",),
    ("help",),
    ("context",),
    ("context", "--path", EVIL),
    ("doctor",),
    ("trust", "--print"),
    ("list", "--tag", EVIL),
    ("list", "--kind", EVIL),
    ("remember", EVIL),
    ("remember", "x", "--path", EVIL),
    ("fact", "x", "--contains", EVIL, "--in", "README.md"),
    ("edit", "title", "--ttl", EVIL),
    ("forget", "body", "--why", EVIL),
    ("forget", "body"),
    ("log", "body"),
    ("review",),
    ("review", "--format", "github"),
    ("review", EVIL),
    ("similar", "title"),
    ("curate", "dedupe"),
    ("stores", "add", "."),
    ("stores", "add", f"{EVIL}=."),
    ("stores", "add", EVIL),
    ("stores", "remove", EVIL),
    ("stores", "list"),
    ("embed", "status"),
    ("session", "use", EVIL, "text"),
    ("session", "use", "gateway", f"text {EVIL}"),
    ("session", "note", EVIL),
    ("session", "evidence", "--ref", EVIL, EVIL),
    ("session", "status"),
    ("session", "status", EVIL),
    ("session", "log", "--session", EVIL),
    ("-C", EVIL, "list"),
    (EVIL,),
    ("list", f"--{EVIL}"),
    ("list", "--limit", EVIL),
    ("doctor", "--fix"),
)


@pytest.mark.whole_system
def test_nothing_alive_is_drawn_by_the_full_screen_program(hostile: Path) -> None:
    pytest.importorskip("textual", reason="the extra tui is not installed")
    put_files(hostile, {"learned/raw.md": f"---\ntitle: '[bold @click=quit]raw[/] gateway'\n---\n{EVIL}\n"})
    with Terminal(hostile, *GITMEM, "browse", "gateway") as terminal:
        terminal.wait_for("best")
        terminal.type("\r")
        terminal.wait_for("History")
        for number in (2, 3):
            terminal.type("n")
            terminal.wait_for(f"{number} of 3")
        drawn = terminal.output.count("clear, or leave")
        terminal.type("q")
        terminal.wait_for("clear, or leave", times=drawn + 1)
        terminal.type("\t")
        terminal.wait_for("failures to settle")
        terminal.type("1")
        terminal.wait_for("previous")
        terminal.type("\x03")
        terminal.finish()

    for alive in ("\x1b]52", "\u202e", "\x9b", "\x08"):
        assert alive not in terminal.output
    assert "[bold @click=quit]raw[/]" in terminal.output


def test_nothing_alive_is_printed_by_any_command(hostile: Path) -> None:
    said = []
    for words in COMMANDS:
        done = gitmem(hostile, *words)
        assert ALIVE.findall(done.out + done.err) == [], words
        assert done.status in (0, 1, 2, 3), done
        said.append(f"$ gitmem {' '.join(words)}".translate({ord(c): None for c in EVIL if not c.isprintable()}))
        said.append(f"{done.out}{done.err}[{done.status}]\n")

    if not shutil.which("bwrap"):
        pytest.skip("without bubblewrap the text names another sandbox")
    text = re.sub(
        r"(?m)^(bubblewrap|landlock|overlays|tracing|less|man|gh|extra \w+): .*\n", "", "\n".join(said)
    )  # as this machine has it
    assert_golden("hostile.txt", steady(text, repo=hostile))


@each(
    "words",
    [
        words
        for words in COMMANDS
        if words[0] in ("list", "recall", "show", "verify", "status", "context", "doctor", "log", "similar", "curate")
        or words[:2] in (("stores", "list"), ("embed", "status"), ("session", "status"), ("session", "log"))
    ],
)
def test_json_is_one_document_with_nothing_alive_in_it(hostile: Path, words: tuple[str, ...]) -> None:
    border = words.index("--") if "--" in words else len(words)

    done = gitmem(hostile, *words[:border], "--json", *words[border:])

    assert ALIVE.findall(done.out + done.err) == []
    assert done.out or done.err.startswith("gitmem: error: ")
    if done.out:
        json.loads(done.out)


def test_the_page_has_nothing_alive_in_it_and_nothing_of_it_is_more_than_text(hostile: Path) -> None:
    gitmem(hostile, "verify", "--approved", "approved", "--no-sandbox")

    page, data = gitmem(hostile, "report", "-"), gitmem(hostile, "report", "--json")

    assert (page.status, data.status) == (0, 0)
    assert ALIVE.findall(page.out + page.err + data.out + data.err) == []
    assert len(re.findall('<script(?! type="text/plain" )', page.out)) == 1
    assert 'id="title"' in page.out
    assert json.loads(data.out)["statuses"]["failed"] == 1


def test_what_an_agent_ran_and_what_another_repository_says_is_shown_with_nothing_alive_in_it(
    hostile: Path, template: Path, tmp_path: Path
) -> None:
    evil = Path(shutil.copytree(hostile, tmp_path / f"other{EVIL}"))
    repo = Path(shutil.copytree(template, tmp_path / "mine"))
    gitmem(repo, "remember", "The gateway needs a trace id", "--key", "own")
    ran = {"session_id": f"s{EVIL}", "cwd": str(repo), "hook_event_name": "PostToolUseFailure", "tool_name": "Bash"}
    document = json.dumps({**ran, "tool_input": {"command": f"make {EVIL}"}, "error": f"Exit code 1\n{EVIL}"})
    done = [gitmem(repo, "hook", "claude-code", input=document), gitmem(repo, "stores", "add", f"theirs={evil}")]

    for words in (["session", "status"], ["session", "log"], ["stores"], ["recall", "gateway"], ["recall", "evil"]):
        done += [gitmem(repo, *words), gitmem(repo, *words, "--json")]

    assert [one for one in done if ALIVE.findall(one.out + one.err)] == []
    assert [one.status for one in done if one.status not in (0, 1)] == []
    assert "make \\x1b]52" in done[2].out
    assert "theirs" in done[6].out
    assert "own" in done[8].out
    assert "theirs" in done[10].out


def test_hostile_titles_come_through_json_as_they_are(hostile: Path) -> None:
    found = json.loads(gitmem(hostile, "show", "title", "--json").out)

    assert found["title"] == f"{EVIL}evil"


@each("words", [("list",), ("recall", "gateway"), ("show", "title"), ("status",), ("context",), ("trust", "--review")])
def test_terminal_gets_colours_and_nothing_else(hostile: Path, words: tuple[str, ...]) -> None:
    with Terminal(hostile, *GITMEM, *words) as terminal:
        if words[0] == "trust":
            terminal.wait_for("decide later: ")
            terminal.type("q\n")
        terminal.finish()

    shown = terminal.output.replace("\r\n", "\n")
    for code in ("0", "1", "2", "31", "32", "33", "36", "1;31", "4;36"):
        shown = shown.replace(f"\x1b[{code}m", "")
    assert ALIVE.findall(shown) == []


def test_badge_and_metrics_have_nothing_alive_in_them(hostile: Path) -> None:
    named = ("--label", EVIL)
    done = [
        gitmem(hostile, *words)
        for words in (
            ("badge", *named),
            ("badge", *named, "--json"),
            ("badge", *named, f"{EVIL}.svg"),
            ("badge", f"none/{EVIL}"),
            ("metrics", "--repository", EVIL),
            ("metrics", "--textfile", EVIL),
            ("metrics", "--textfile", f"none/{EVIL}.prom"),
        )
    ]

    assert [one for one in done if ALIVE.findall(one.out + one.err)] == []
    assert [one.status for one in done] == [0, 0, 0, 3, 0, 2, 3]


def test_commits_that_gitmem_makes_have_nothing_alive_in_their_messages(hostile: Path) -> None:
    gitmem(hostile, "verify", "--approved", "approved")
    gitmem(hostile, "forget", "title")

    made = git(hostile, "log", "-2", "--format=%B%an%ae", "memory")

    assert ALIVE.findall(made) == []
    assert ALIVE.findall(git(hostile, "show", "memory:STATUS.md")) == []

"""A hostile memory branch: every bad entry is one problem, hides nothing else, and runs nothing."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from conftest import commit_files, git, memory_text, put_files, tip
from support.console import GITMEM, Console, fsck, run, snapshot, untouched
from support.hostile_branch import (
    FILE,
    FOLDER,
    LINK,
    MODULE,
    NOWHERE,
    PROGRAM,
    Entry,
    blob,
    commit,
    entries_of,
    point,
    push,
    sort,
    tree,
    zeros,
)

from gitmem.commands.review import sanitize
from gitmem.memory import Memory

READS = {
    "list": ["list", "--limit", "1000"],
    "everything": ["list", "--all", "--json", "--limit", "1000"],
    "recall": ["recall", "good", "tokens"],
    "explained": ["recall", "good", "tokens", "--explain"],
    "newest": ["recall", "--recent", "100"],
    "statistics": ["recall", "--stats"],
    "show": ["show", "good"],
    "shown": ["show", "good", "--json"],
    "log": ["log", "good"],
    "context": ["context", "--budget", "100000"],
    "status": ["status"],
    "badge": ["badge"],
    "metrics": ["metrics"],
    "dry-run": ["verify", "--dry-run"],
    "print": ["trust", "--print"],
    "approvals": ["trust", "--list"],
    "settle": ["settle", "good"],
}
# What reads the list, the search, one memory, the text for an agent and the counts.
FEW = {name: READS[name] for name in ("list", "recall", "show", "context", "status")}


def framed(fields: str, body: str = "Body\n") -> bytes:
    return f"---\ntitle: Bad one\n{fields}---\n{body}".encode()


def fact(check: str, more: str = "") -> bytes:
    return framed(f"kind: fact\nverify: {check}\n{more}")


LEARNED = "kind: learned\n"
BOMB = "".join(f"{b}: &{b} [{','.join(['*' + a] * 9)}]\n" for a, b in zip("abcdefg", "bcdefgh", strict=True))
# What stands in a file, and the code of its problem.
FILES: dict[str, tuple[bytes, str]] = {
    "1-empty": (b"", "empty-file"),
    "2-prose": (b"Just text.\n", "no-frontmatter"),
    "3-unclosed": (b"---\ntitle: Bad one\nkind: learned\n", "unclosed-frontmatter"),
    "4-list": (b"---\n- a\n- b\n---\n", "not-a-mapping"),
    "4-scalar": (b"---\nhello\n---\n", "not-a-mapping"),
    "4-null": (b"---\n~\n---\n", "not-a-mapping"),
    "5-twice": (fact("grep x y", "verify: rm -rf /\n"), "duplicate-key"),
    "7-bomb": (framed(f"{LEARNED}a: &a [x,x,x,x,x,x,x,x,x]\n{BOMB}"), "anchor"),
    "8-itself": (framed(f"{LEARNED}a: &a [*a]\n"), "anchor"),
    "9-tag": (framed("kind: !!python/object/apply:os.system ['touch MARKER']\n"), "tag"),
    "10-deep": (framed(f"{LEARNED}a: {'[' * 7000}\n"), "too-deep"),
    "10-deeper": (framed(f"{LEARNED}a: {'[' * 60000}\n"), "frontmatter-too-large"),
    "11-long-list": (framed(f"{LEARNED}a: [{'1,' * 500_000}1]\n"), "too-large"),
    "12-merge": (framed(f"{LEARNED}<<: {{a: b}}\n"), "merge-key"),
    "13-digits": (framed(f"{LEARNED}created: {'1' * 5000}\n"), "bad-created"),
    "14-sixty": (framed(f"{LEARNED}confidence: 1{':1' * 3000}\n"), "bad-confidence"),
    "15-date": (framed(f"{LEARNED}created: 2026-99-99T99:99:99Z\n"), "bad-created"),
    "16-nan-key": (framed(f"{LEARNED}.nan: 1\n"), "bad-key"),
    "16-nan": (framed(f"{LEARNED}confidence: .nan\n"), "bad-confidence"),
    "17-list-key": (framed(f"{LEARNED}? [a, b]\n: 1\n"), "complex-key"),
    "17-map-key": (framed(f"{LEARNED}? {{a: b}}\n: 1\n"), "complex-key"),
    "22-nul": (framed("kind: lear\0ned\n"), "nul-character"),
    "22-nul-body": (framed(LEARNED, "a\0b\n"), "nul-character"),
    "23-bytes": (b"---\ntitle: \xff\xfe\nkind: learned\n---\n", "not-utf8"),
    "23-bytes-body": (framed(LEARNED) + b"\xc3\x28", "not-utf8"),
    "25-surrogate": (b'---\ntitle: "\\ud800"\nkind: learned\n---\n', "bad-yaml"),
    "26-separator": (fact("grep x y\u2028touch MARKER"), "line-separator"),
    "26-next-line": (fact("grep x y\x85touch MARKER"), "line-separator"),
    "28-large": (framed(LEARNED, "x" * 65536), "too-large"),
    "32-bool": (fact("true"), "bad-verify"),
    "32-empty": (fact("[]"), "bad-verify"),
    "32-nested": (fact("[touch, [MARKER]]"), "bad-verify"),
    "32-unknown": (fact("{run: touch MARKER}"), "bad-verify"),
    "32-two": (fact("{exists: x, absent: y}"), "bad-verify"),
    "33-outside": (fact("{exists: ../../etc/passwd}"), "bad-verify"),
    "34-nul": (fact('"grep\\0 a b"'), "nul-character"),
    "34-return": (fact('"grep a b\\r touch MARKER"'), "unapprovable-command"),
    "34-escape": (fact('"grep a b\\e[2K"'), "unapprovable-command"),
    "34-override": (fact('"grep a \\u202e b"'), "unapprovable-command"),
    "34-tags": (fact('"grep a \\U000e0041 b"'), "unapprovable-command"),
    "35-minus": (fact("grep x y", "timeout: -1\n"), "bad-timeout"),
    "35-zero": (fact("grep x y", "timeout: 0\n"), "bad-timeout"),
    "35-huge": (fact("grep x y", "timeout: 1e308\n"), "bad-timeout"),
    "35-sign": (fact("grep x y", "timeout: ∞\n"), "bad-timeout"),
    "35-ttl": (fact("grep x y", f"ttl: {'9' * 400}d\n"), "bad-ttl"),
    "kind": (framed("kind: ../../etc\n"), "bad-kind"),
    "title": (b"---\ntitle: [a, b]\nkind: learned\n---\n", "bad-title"),
}
# What looks odd and is a memory all the same.
ODD = {
    "19-two": b"---\ntitle: Good with a rule\nkind: learned\n---\nOne\n---\ntitle: two\n---\n",
    "20-mark": b"\xef\xbb\xbf---\ntitle: Good with a mark\nkind: learned\n---\n",
    "34-osc": b'---\ntitle: "Good \\e]52;c;aGk=\\a \\u202e \\U000e0041"\nkind: learned\n---\n\x1b[2J\x07\xe2\x80\xae\n',
    "38-crlf": b"---\r\ntitle: Good with returns\r\nkind: learned\r\n---\r\nBody\r\n",
    "39-regex": fact("{matches: '(R|RS|RS2)+(56|256)+$|(a+)+$|RS256', in: 'src/**'}"),
    "41-paths": framed(f"{LEARNED}paths: ['../../../etc/**', /etc/passwd, '[']\n"),
    "runs": fact("touch MARKER", "refute: touch MARKER\n"),
    "program": fact("[touch, MARKER]"),
}
VERDICTS = {
    "junk.0000000000000000": b"\x00\xff",
    "empty.0000000000000000": b"",
    "huge.0000000000000000": b"# " + b"x" * 20_000,
    "future.0000000000000000": b'outcome = "holds"\ncommit = "x"\nat = "9999-99-99"\nspec = "y"\nclaim = "z"\n',
}


def names(ok: str, target: str, folder: str) -> dict[str, tuple[list[Entry], str]]:
    """Return bad entries of one folder: the path that is told of each, the entries, and the code of its problem."""
    long = b"n" * 300 + b".md"
    plain = (
        b".", b"..", b".git", b".GIT", b"git~1", b".git ", b".git::$INDEX_ALLOCATION", ".g\u200cit".encode(), b"A.md",
        b"new\nline.md", b"esc\x1b[2J.md", b"tab\t.md", b"con.md", b"-rf.md", b" .md", b'q".md', b"a\\b.md", b"x.txt",
        long,
    )  # fmt: skip
    found = {name.decode(): ([(FILE, name, ok)], "bad-name") for name in plain}
    return found | {
        "\\xff\\xfe.md": ([(FILE, b"\xff\xfe.md", ok)], "bad-name"),
        "/etc/x": ([(FILE, b"/etc/x", ok)], "bad-name"),
        "slash/b.md": ([(FILE, b"slash/b.md", ok)], "bad-name"),
        "passwd.md": ([(LINK, b"passwd.md", target)], "symlink"),
        "module.md": ([(MODULE, b"module.md", NOWHERE)], "submodule"),
        "null.md": ([(FILE, b"null.md", "0" * 40)], "missing-object"),
        "missing.md": ([(FILE, b"missing.md", NOWHERE)], "missing-object"),
        "a-tree.md": ([(FILE, b"a-tree.md", folder)], "missing-object"),
        "twice.md": ([(FILE, b"twice.md", ok), (FILE, b"twice.md", target)], "duplicate-entry"),
        "both.md/x.md": ([(FILE, b"both.md", ok), (FOLDER, b"both.md", folder)], "bad-name"),
    }  # fmt: skip


def top_names(ok: str, target: str, folder: str) -> dict[str, tuple[list[Entry], str]]:
    """Return bad entries of the top, as ``names`` does."""
    return {
        "../x.md": ([(FOLDER, b"..", folder)], "bad-name"),
        ".git/x.md": ([(FOLDER, b".git", folder)], "bad-name"),
        "UPPER/x.md": ([(FOLDER, b"UPPER", folder)], "bad-name"),
        ".gitmodules": ([(LINK, b".gitmodules", target)], "bad-name"),
        "archive": ([(FILE, b"archive", ok)], "bad-name"),
        "stray.md": ([(FILE, b"stray.md", ok)], "bad-name"),
    }


# Modes that git reads as those of a regular file.
ODD_MODES = {"100777": b"mode-777.md", "0100644": b"mode-padded.md", "100600": b"mode-600.md", PROGRAM: b"mode-x.md"}
GOOD = {"good", "holds", "both", "twice", *ODD, *(name.decode().removesuffix(".md") for name in ODD_MODES.values())}


@pytest.fixture(scope="session")
def huge(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Return a blob of 300 MB of zeros: its name, and the file of 1.3 MB that holds it."""
    folder = tmp_path_factory.mktemp("huge")
    git(folder, "init", "-q")
    name = zeros(folder, 300 << 20)
    return name, folder / ".git/objects" / name[:2] / name[2:]


class Pushed:
    """A repository whose memory branch somebody pushed everything bad to.

    Attributes:
        console: A person's shell in it.
        bad: The code of the one problem of each bad path.
        marker: The file that commands on the branch would make.
    """

    def __init__(self, repo: Path, huge: tuple[str, Path], *, is_warm: bool) -> None:
        self.console, self.marker = Console(repo), repo.parent / "marker"
        say_good(self.console)
        if not is_warm:
            shutil.rmtree(repo / ".git/gitmem")
        place = repo / ".git/objects" / huge[0][:2] / huge[0][2:]
        place.parent.mkdir(exist_ok=True)
        shutil.copyfile(huge[1], place)
        self._push(repo, huge[0])

    def _push(self, repo: Path, huge: str) -> None:
        ok, target = blob(repo, memory_text("Good in a bad place").encode()), blob(repo, b"/etc/passwd")
        folder = tree(repo, [(FILE, b"x.md", ok)])
        here, top = names(ok, target, folder), top_names(ok, target, folder)
        contents = {name: content for name, (content, _) in FILES.items()} | ODD
        made = [
            (FILE, f"{name}.md".encode(), blob(repo, content.replace(b"MARKER", str(self.marker).encode())))
            for name, content in contents.items()
        ]
        made += [(mode, name, ok) for mode, name in ODD_MODES.items()]
        made += [(FILE, b"huge.md", huge), *(entry for entries, _ in here.values() for entry in entries)]
        verdicts = [(FILE, f"{name}.toml".encode(), blob(repo, content)) for name, content in VERDICTS.items()]
        push(
            repo,
            {
                "learned": made,
                "verdicts": [(FOLDER, b"zz", tree(repo, sort(verdicts)))],
                "": [entry for entries, _ in top.values() for entry in entries],
            },
            who="M\x1b[31mallory",
            subject="sub\x1b]0;title\x07ject\r",
        )
        self.bad = {f"learned/{name}.md": code for name, (_, code) in FILES.items()}
        self.bad |= {f"learned/{path}": code for path, (_, code) in here.items()}
        self.bad |= {path: code for path, (_, code) in top.items()} | {"learned/huge.md": "too-large"}
        self.bad |= {f"verdicts/zz/{name}.toml": "bad-name" for name in VERDICTS}


def say_good(console: Console) -> None:
    with Memory(console.folder) as memory:
        memory.init(offline=True)
        memory.remember("The good memory of tokens", key="good")
        memory.fact("It holds", verify={"contains": "RS256", "in": "src/**"}, key="holds")


@pytest.fixture(params=["warm", "cold"])
def pushed(repo: Path, huge: tuple[str, Path], request: pytest.FixtureRequest) -> Pushed:
    """Return a repository with a hostile branch, its index of the state before, or no index at all."""
    return Pushed(repo, huge, is_warm=request.param == "warm")


# All together


@pytest.mark.whole_system
def test_every_bad_entry_is_one_problem_and_hides_nothing_else(pushed: Pushed) -> None:
    problems = pushed.console.json("doctor")["problems"]

    errors = [(p["path"], p["code"]) for p in problems if p["severity"] == "error"]
    assert sorted(errors) == sorted([*pushed.bad.items(), ("refs/heads/memory", "stray-entries")])
    assert set(pushed.console.listed("--limit", "1000")) == GOOD
    titles = {m["key"]: m["title"] for m in pushed.console.json("list", "--limit", "1000")["memories"]}
    assert titles["good"] == "The good memory of tokens"
    assert titles["twice"] == titles["both"] == "Good in a bad place"


def test_good_memories_are_reported_by_every_reading_command(pushed: Pushed) -> None:
    done = {name: pushed.console(*words) for name, words in READS.items()}

    assert {name: ran.status for name, ran in done.items()} == dict.fromkeys(READS, 0), done
    for name in ("list", "recall", "newest", "show", "context", "everything", "shown", "explained", "settle"):
        assert "The good memory of tokens" in done[name].out, name
    assert f"{len(pushed.bad)} files of the store cannot be read" in done["context"].out
    assert f"{len(pushed.bad)} problems" in done["status"].out


@pytest.mark.whole_system
def test_no_control_character_of_the_branch_reaches_anybody_alive(pushed: Pushed) -> None:
    for words in [
        *READS.values(),
        ["doctor"],
        ["doctor", "--json"],
        ["show", "34-osc"],
        ["log", "34-osc"],
        ["show", "runs"],
    ]:
        done = pushed.console(*words)

        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\U000e0000-\U000e007f]", done.out + done.err), (
            words
        )


def test_nothing_runs_and_nothing_outside_the_own_state_is_written(pushed: Pushed, tmp_path: Path) -> None:
    repo, home = pushed.console.folder, tmp_path / "own home"
    home.mkdir()
    console = Console(repo, HOME=str(home), XDG_STATE_HOME=None)
    before, around = untouched(repo), snapshot(tmp_path, apart_from=("service/.git/", "home", "own home"))
    branch = tip(repo)

    statuses = {name: console(*words).status for name, words in READS.items()}
    verified = console("verify")
    asked = console("verify", "runs", "program", "--no-sandbox")
    trusted = console("trust", "--review")
    rebuilt = console("index", "--rebuild")

    assert set(statuses.values()) == {0}
    assert (verified.status, asked.status, trusted.status, rebuilt.status) == (3, 3, 3, 0)
    assert not pushed.marker.exists()
    assert untouched(repo) == before
    assert snapshot(tmp_path, apart_from=("service/.git/", "home", "own home")) == around
    assert not list(home.rglob("bug-*"))
    assert git(repo, "log", "--format=%an", f"{branch}..memory") in ("", "gitmem")


def test_review_of_it_finds_every_bad_entry_and_runs_nothing(pushed: Pushed) -> None:
    before = untouched(pushed.console.folder)

    done = pushed.console("review", "memory~1..memory", "--json")

    found = json.loads(done.out)
    errors = {finding["path"] for finding in found["findings"] if finding["severity"] == "error"}
    assert done.status == 1
    assert {sanitize.path(path) for path in pushed.bad} - errors == set()
    assert {change["key"] for change in found["changes"]} >= {"runs", "program", "41-paths"}
    assert not pushed.marker.exists()
    assert untouched(pushed.console.folder) == before


def test_index_that_was_updated_equals_one_that_was_rebuilt(pushed: Pushed) -> None:
    console = pushed.console
    updated = [console.json(*words) for words in (["list", "--all", "--limit", "1000"], ["doctor"], ["show", "good"])]

    console.ok("index", "--rebuild")

    assert [console.json(*w) for w in (["list", "--all", "--limit", "1000"], ["doctor"], ["show", "good"])] == updated


MEASURE = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
MEASURE += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"


@pytest.mark.parametrize("words", [["context"], ["index", "--rebuild"]], ids=lambda w: w[0])
def test_bomb_of_300_mb_is_never_held_in_memory(repo: Path, huge: tuple[str, Path], words: list[str]) -> None:
    console = Pushed(repo, huge, is_warm=False).console

    done = run([sys.executable, "-c", MEASURE, str(GITMEM), *words], console.folder)

    assert done.status == 0, done
    assert int(done.out) < 100 << 10, f"{int(done.out) >> 10} MiB"


@pytest.mark.whole_system
def test_person_can_go_on_writing_on_top_and_cleaning_up(pushed: Pushed) -> None:
    console = pushed.console
    refused = console("remember", "A new one", "--key", "new")
    fixed = console("doctor", "--fix")
    deletes = next(line for line in refused.err.split("\n") if "--delete=" in line).split("gitmem ")[1]
    console(*shlex.split(deletes))

    assert (refused.status, "deleted" in fixed.out) == (3, False)
    assert console.ok("remember", "A new one", "--key", "new") == "new"
    console.ok("edit", "good", "--tag", "kept")
    console.ok("remember", "Of the archive", "--key", "old")
    console.ok("forget", "old", "--why", "done")
    console.ok("edit", "twice", "--title", "Good and changed")
    mended = console("doctor", "--fix", "--delete", "learned", "--delete", "verdicts")
    left = {p["path"]: p["code"] for p in console.json("doctor")["problems"] if p["severity"] == "error"}

    assert mended.status == 1, "what is in a file is for a person to mend"
    assert set(console.listed("--limit", "1000")) == GOOD | {"new"}
    assert "old" in console.listed("--all", "--limit", "1000")
    assert console.json("show", "good")["frontmatter"]["tags"] == ["kept"]
    assert {path for path, code in left.items() if code in ("symlink", "submodule")} == set()
    assert {name for name in FILES if f"learned/{name}.md" not in left} == set()
    assert left.items() <= pushed.bad.items()
    assert "archive" not in left
    assert len(left) < len(pushed.bad) - 20
    console.ok("index", "--rebuild")
    assert {p["path"]: p["code"] for p in console.json("doctor")["problems"] if p["severity"] == "error"} == left


@pytest.mark.whole_system
def test_entries_of_one_name_count_the_same_with_and_without_an_index(repo: Path) -> None:
    console = Console(repo)
    say_good(console)
    good = next(oid for _, name, oid in entries_of(repo, "memory:learned") if name == b"good.md")
    evil, link = blob(repo, memory_text("The evil twin").encode()), blob(repo, b"/etc/passwd")
    before = tip(repo)
    for twins in ([evil, good], [good, evil], [good, good]):
        for mode, oid in ((FILE, evil), (LINK, link)):
            entries = [(mode if one == evil else FILE, b"good.md", oid if one == evil else one) for one in twins]
            point(repo, before)
            console.ok("list")
            kept = [e for e in entries_of(repo, "memory") if e[1] != b"learned"]
            top = tree(repo, sort([*kept, (FOLDER, b"learned", tree(repo, entries))]))
            point(repo, commit(repo, top, before))

            updated = console.json("list")["memories"], console.json("doctor")["problems"]
            console.ok("index", "--rebuild")

            assert (console.json("list")["memories"], console.json("doctor")["problems"]) == updated
            assert len(updated[1]) == (1 if entries[0][0] == FILE else 2)


# Trees that cannot be read


def broken_trees(repo: Path) -> dict[str, str]:
    """Return trees that git cannot list, by what is wrong with them."""
    ok = blob(repo, memory_text("Not shown").encode())
    kept = entries_of(repo, "memory")
    return {
        "empty name": tree(repo, sort([*kept, (FILE, b"", ok)])),
        "missing folder": tree(repo, sort([*kept, (FOLDER, b"gotchas", NOWHERE)])),
        "file as folder": tree(repo, sort([*kept, (FOLDER, b"gotchas", ok)])),
        "missing tree": NOWHERE,
        "junk": git(repo, "hash-object", "-t", "tree", "-w", "--literally", "--stdin", input=b"junk"),
    }


@pytest.mark.parametrize(
    ("name", "is_warm"),
    [
        *((name, True) for name in ("empty name", "missing folder", "file as folder", "missing tree", "junk")),
        *((name, False) for name in ("missing folder", "junk")),
    ],
)
def test_state_before_a_tree_that_cannot_be_read_is_served_and_said_so(repo: Path, name: str, is_warm: bool) -> None:
    console = Console(repo)
    say_good(console)
    before = tip(repo)
    point(repo, commit(repo, broken_trees(repo)[name], before))
    if not is_warm:
        shutil.rmtree(repo / ".git/gitmem")

    done = {command: console(*words) for command, words in READS.items()}
    problems = console.json("doctor")["problems"]
    refused = console("remember", "Onto nothing")
    mended = console("doctor", "--fix")
    after = {command: console(*words) for command, words in FEW.items()}

    assert {command: ran.status for command, ran in done.items()} == dict.fromkeys(READS, 0), done
    assert "The good memory of tokens" in done["show"].out + done["list"].out
    assert "cannot be read" in done["context"].out + done["context"].err
    assert [(p["code"], p["severity"]) for p in problems] == [("tree-unreadable", "error")]
    assert (refused.status, mended.status) == (3, 0), (refused, mended)
    assert {command: ran.status for command, ran in after.items()} == dict.fromkeys(FEW, 0), after
    assert console.ok("remember", "It goes on", "--key", "goes-on") == "goes-on"
    assert console.listed() == ["goes-on", "good", "holds"]
    assert git(repo, "merge-base", "--is-ancestor", before, "memory") == "", "nothing of the history is thrown away"


# Refs and commits


def point_at_nothing(repo: Path) -> None:
    point(repo, NOWHERE)


def point_at_blob(repo: Path) -> None:
    point(repo, blob(repo, b"no commit"))


def point_at_tree(repo: Path) -> None:
    point(repo, git(repo, "rev-parse", "memory^{tree}"))


def empty_ref(repo: Path) -> None:
    (repo / ".git/refs/heads/memory").write_bytes(b"")


def junk_ref(repo: Path) -> None:
    (repo / ".git/refs/heads/memory").write_bytes(b"\xff\x00junk\n")


def loop(repo: Path) -> None:
    (repo / ".git/refs/heads/memory").write_text("ref: refs/heads/memory\n")


BROKEN_REFS = [point_at_nothing, point_at_blob, point_at_tree, empty_ref, junk_ref, loop]


@pytest.mark.parametrize("how", BROKEN_REFS)
def test_broken_ref_is_reported_by_every_command_and_doctor_puts_it_back(repo: Path, how) -> None:
    console = Console(repo)
    say_good(console)
    good = tip(repo)
    how(repo)

    done = [
        console(*words)
        for words in (["list"], ["remember", "Lost?"], ["verify"], ["recall", "x"], ["context"], ["log", "x"])
    ]
    document = console.json("doctor")["problems"]
    mended = console("doctor", "--fix")

    assert {ran.status for ran in done} <= {0, 1, 3}, done
    assert done[1].status == 3
    assert [p["code"] for p in document] == ["broken-ref"]
    assert mended.status == 0, mended
    assert tip(repo) == good
    assert console.listed() == ["good", "holds"]
    assert console.ok("remember", "It goes on", "--key", "goes-on") == "goes-on"
    fsck(repo)


def test_ref_that_names_a_tag_is_read_and_written_on_or_reported(repo: Path) -> None:
    console = Console(repo)
    say_good(console)
    git(repo, "tag", "-a", "-m", "a tag", "v1", "memory")
    point(repo, git(repo, "rev-parse", "v1"))

    reads = [console(*words) for words in (["list"], ["show", "good"], ["recall", "good"], ["context"], ["status"])]
    written = console("remember", "On a tag", "--key", "on-tag")
    mended = console("doctor", "--fix")

    assert {ran.status for ran in reads} <= {0, 3}, reads
    assert written.status in (0, 3), written
    assert mended.status in (0, 1), mended
    assert console.ok("remember", "It goes on", "--key", "goes-on") == "goes-on"
    assert {"goes-on", "good", "holds"} <= set(console.listed())


@pytest.mark.parametrize("target", ["refs/heads/main", "refs/heads/other", "refs/tags/v1", "refs/heads/unborn"])
def test_ref_that_stands_for_another_one_never_moves_that_one(repo: Path, target: str) -> None:
    console = Console(repo)
    say_good(console)
    good = tip(repo)
    git(repo, "branch", "other")
    git(repo, "tag", "v1")
    git(repo, "symbolic-ref", "refs/heads/memory", target)
    before = untouched(repo)["refs"]

    done = [console(*words) for words in (["remember", "Onto the code?"], ["init"], ["edit", "good", "--tag", "x"])]
    document = console.json("doctor")["problems"]
    mended = console("doctor", "--fix")

    assert {ran.status for ran in done} <= {1, 3}, done
    assert [(p["code"], f"is a symbolic ref to {target}" in p["message"]) for p in document] == [("broken-ref", True)]
    assert mended.status == 0, mended
    assert tip(repo) == good
    assert untouched(repo)["refs"] == before
    assert console.ok("remember", "It goes on", "--key", "goes-on") == "goes-on"


DATES = {"1970": "0", "2099": "4102444800", "overflow": "1" + "0" * 20, "negative": "-5", "text": "yesterday"}


def test_date_of_a_commit_decides_nothing(repo: Path) -> None:
    console = Console(repo)
    say_good(console)
    for name, at in DATES.items():
        ok = blob(repo, memory_text("Good at any date").encode())
        push(repo, {"learned": [(FILE, f"dated-{name}.md".encode(), ok)]}, at=at)

        done = {command: console(*words) for command, words in FEW.items()}

        assert {command: ran.status for command, ran in done.items()} == dict.fromkeys(FEW, 0), (name, done)
        assert {f"dated-{name}", "good", "holds"} <= set(console.listed())
        assert console("log", f"dated-{name}").status == 0
        assert console.json("doctor")["problems"] == []
    assert console.ok("remember", "Later", "--key", "later") == "later"
    assert console("verify").status == 0


def test_octopus_merge_is_a_commit_like_any_other(repo: Path) -> None:
    console = Console(repo)
    say_good(console)
    base, sides = tip(repo), []
    for name in ("one", "two", "three"):
        point(repo, base)
        sides.append(push(repo, {"learned": [(FILE, f"{name}.md".encode(), blob(repo, memory_text(name).encode()))]}))
    point(repo, base)
    all_of = [(FILE, f"{n}.md".encode(), blob(repo, memory_text(n).encode())) for n in ("one", "two", "three")]
    push(repo, {"learned": all_of})
    point(repo, commit(repo, git(repo, "rev-parse", "memory^{tree}"), *sides))

    assert console.listed() == ["good", "holds", "one", "three", "two"]
    assert console("log", "two").status == 0
    assert console.ok("remember", "Later", "--key", "later") == "later"
    assert console.json("doctor")["problems"] == []
    fsck(repo)


def test_remote_that_was_rewritten_takes_nothing_away(repo: Path, tmp_path: Path) -> None:
    console = Console(repo)
    say_good(console)
    git(tmp_path, "init", "-q", "--bare", "origin.git")
    git(repo, "remote", "add", "origin", str(tmp_path / "origin.git"))
    git(repo, "push", "-q", "origin", "memory", "main")
    git(tmp_path, "clone", "-q", str(tmp_path / "origin.git"), "mallory")
    evil = put_files(tmp_path / "mallory", {"learned/evil.md": memory_text("All is well")}, ref="refs/heads/evil")
    git(tmp_path / "mallory", "push", "-q", "--force", "origin", "evil:memory")
    before = tip(repo)

    git(repo, "fetch", "-q", "origin")
    done = [
        console(*words) for words in (["list"], ["init"], ["remember", "Mine", "--key", "mine"], ["verify"], ["doctor"])
    ]

    assert tip(repo, "refs/remotes/origin/memory") == evil
    assert {ran.status for ran in done} == {0}, done
    assert console.listed() == ["evil", "good", "holds", "mine"], "verify merges what the remote has; nothing goes"
    assert git(repo, "merge-base", "--is-ancestor", before, "memory") == ""


# What is pushed to be believed


POLICIES = {
    "junk": b"\x00\xff",
    "unknown": b"[nonsense]\nx = 1\n",
    "types": b"[verify]\ntimeout = 5\n",
    "huge": b"# " + b"x" * 70_000,
    "deep": b"a = " + b"[" * 5000,
}


@pytest.mark.whole_system
def test_policy_that_cannot_be_read_is_one_problem_and_the_built_in_one_serves(repo: Path) -> None:
    console = Console(repo)
    say_good(console)
    for name, content in POLICIES.items():
        put_files(repo, {"gitmem.toml": content})

        done = {command: console(*words) for command, words in FEW.items()}

        assert {command: ran.status for command, ran in done.items()} == dict.fromkeys(FEW, 0), (name, done)
        assert [(p["path"], p["severity"]) for p in console.json("doctor")["problems"]] == [("gitmem.toml", "error")]
        assert console.ok("remember", f"Later, {name}", "--key", name) == name
        assert console("verify").status == 0


def test_policy_link_does_not_read_the_file_it_names(repo: Path) -> None:
    console = Console(repo)
    say_good(console)
    kept = [e for e in entries_of(repo, "memory") if e[1] != b"gitmem.toml"]
    top = tree(repo, sort([*kept, (LINK, b"gitmem.toml", blob(repo, b"/etc/passwd"))]))
    point(repo, commit(repo, top, tip(repo)))

    assert [(p["path"], p["code"]) for p in console.json("doctor")["problems"]] == [
        ("gitmem.toml", "symlink"),
        ("refs/heads/memory", "stray-entries"),
    ]
    assert console.listed() == ["good", "holds"]


def test_set_up_of_a_pushed_policy_is_part_of_what_must_be_approved(repo: Path) -> None:
    console, marker = Console(repo), repo.parent / "marker"
    say_good(console)
    put_files(repo, {"gitmem.toml": f'[verify]\nsetup = "touch {marker}"\ndefault_branch = "memory"\n'})
    put_files(repo, {"facts/runs.md": f"---\ntitle: Runs\nkind: fact\nverify: touch {marker}\n---\n"})
    listed = f"{'0' * 64}  runs  touch\n"
    put_files(repo, {".github/gitmem-approved": listed})

    done = [
        console("verify", *more)
        for more in ([], ["--all"], ["--no-sandbox"], ["--approved", ".github/gitmem-approved"])
    ]

    assert {ran.status for ran in done} <= {1, 3}, done
    assert not marker.exists()


def test_forged_verdict_counts_for_no_other_claim_and_is_marked_as_claimed(repo: Path) -> None:
    console = Console(repo)
    say_good(console)
    path = next(
        p for p in git(repo, "ls-tree", "-r", "--name-only", "memory").splitlines() if p.startswith("verdicts/")
    )
    forged = git(repo, "show", f"memory:{path}")
    commit_files(repo, {"src/auth/jwt.py": "EdDSA\n"})
    assert console("verify").status == 1
    at = "2098-01-01T00:00:00Z"
    put_files(repo, {path: re.sub(r"^at = .*$", f'at = "{at}"', forged, flags=re.MULTILINE) + "\n"})

    shown = console.json("show", "holds")
    again = console("verify", "holds")

    assert shown["status"] == "failed", "a verdict of other inputs, from the future, beats nothing that was found here"
    assert again.status == 1
    assert json.loads(console("list", "--status", "verified", "--json").out)["memories"] == []

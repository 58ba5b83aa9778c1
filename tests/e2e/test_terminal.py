"""On a real terminal: colours, marks, progress, the width; and none of it in a pipe."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from conftest import commit_files, git
from support.ids import id_of
from support.standing_folder import fill, fill_anew, stand
from support.terminal import GITMEM, Terminal, environment, gitmem, on_terminal

HASH = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{12,40}\b")
COLOR = re.compile("\x1b\\[[0-9;]*m")


@pytest.fixture
def repo(template: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    return fill_anew(stand(tmp_path_factory, monkeypatch, "terminal"), template)


@pytest.fixture
def filled(repo: Path) -> Path:
    """Return a repository with a fact that failed, one that holds, and a memory that rests on the first."""
    fill(repo.parent, "filled", lambda: stock(repo))
    return repo


def stock(repo: Path) -> None:
    gitmem(repo, "init")
    gitmem(repo, "fact", "Tokens are signed", "--contains", "RS256", "--in", "src/auth/jwt.py", "--key", "f")
    gitmem(repo, "fact", "There is a readme", "--exists", "README.md", "--key", "g")
    gitmem(repo, "remember", "Only public keys", "--key", "k", "--requires", "f")
    commit_files(repo, {"src/auth/jwt.py": "EdDSA\n"})
    gitmem(repo, "verify")


def test_list_is_a_table_with_marks_and_colours(filled: Path) -> None:
    done = on_terminal(filled, "list")

    lines = [line.split() for line in COLOR.sub("", done.out).splitlines()]
    assert {line[-1]: line[-5] for line in lines} == {"f": "✗", "g": "✓", "k": "?"}
    assert "\x1b[1;31m✗ failed" in done.out
    assert "\t" not in done.out


@pytest.mark.parametrize(
    ("variables", "is_colored"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"FORCE_COLOR": "0"}, False)],
)
def test_environment_takes_the_colours_away_and_leaves_the_words(
    filled: Path, variables: dict[str, str], is_colored: bool
) -> None:
    env = environment(**{"NO_COLOR": None, "TERM": "xterm", **variables})

    done = on_terminal(filled, "status", env=env)

    assert ("\x1b" in done.out) is is_colored
    assert "✗ Tokens are signed  dsps\n    failed — src/auth/jwt.py does not contain 'RS256'" in COLOR.sub("", done.out)


def test_pipe_has_neither_colours_nor_progress_unless_forced(filled: Path) -> None:
    env = environment(NO_COLOR=None, TERM="xterm")

    plain = gitmem(filled, "verify", "--all", env=env)
    forced = gitmem(filled, "verify", "--all", env={**env, "FORCE_COLOR": "1"})

    assert "\x1b" not in plain.out + plain.err
    assert "\x1b[1;31m✗\x1b[0m" in forced.out
    assert COLOR.sub("", forced.out) == plain.out
    assert "\r" not in forced.err


def test_verify_draws_its_progress_and_takes_it_away(filled: Path) -> None:
    done = on_terminal(filled, "verify", "--all", env=environment(NO_COLOR="1", TERM="xterm"))

    assert done.status == 1
    assert "█" in done.out
    assert "█ 2/2" in done.out
    drawn_last = done.out.rindex("\r\x1b[J")
    assert done.out.index("2 due: 1 holds, 1 failed") > drawn_last
    assert "█" not in done.out[drawn_last:]


def test_answer_and_progress_do_not_mix_when_only_the_answer_is_kept(filled: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    line = f'"$@" verify --all > "{kept}"'

    with Terminal(filled, "sh", "-c", line, "sh", *GITMEM) as terminal:
        terminal.finish()

    assert "█" in terminal.output
    assert "\x1b" not in kept.read_text()
    assert "2 due: 1 holds, 1 failed" in kept.read_text()


@pytest.mark.parametrize("columns", [50, 200])
def test_lines_keep_to_the_width_of_the_terminal(repo: Path, columns: int) -> None:
    gitmem(repo, "remember", "-", "--key", "k", input="Wide " * 18 + "\n\n" + "words " * 60)

    shown = []
    for words in (["list"], ["recall", "wide"]):
        with Terminal(repo, *GITMEM, *words, columns=columns, env=environment(NO_COLOR="1")) as terminal:
            assert terminal.finish() == 0
            shown += terminal.output.replace("\r\n", "\n").split("\n")

    assert max(map(len, shown)) <= columns
    assert any("…" in line for line in shown)


def test_error_is_red_and_its_hint_stands_out(repo: Path) -> None:
    done = on_terminal(repo, "nosuch")

    assert done.status == 2
    assert "\x1b[1;31mgitmem: error:\x1b[0m unknown command: nosuch\n" in done.out
    assert "  \x1b[1mhint:\x1b[0m gitmem help -a lists the commands\n" in done.out


@pytest.mark.whole_system
def test_sync_says_on_a_terminal_what_went_up_and_what_came_down_and_from_whom(repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "hub.git")
    git(repo, "remote", "add", "origin", str(tmp_path / "hub.git"))
    git(repo, "push", "-q", "origin", "HEAD")
    gitmem(repo, "remember", "Only public keys", "--key", "k")
    gitmem(repo, "fact", "There is a readme", "--exists", "README.md", "--key", "g")
    plain = environment(NO_COLOR="1", TERM="xterm")

    first = on_terminal(repo, "sync", env=plain)
    git(tmp_path, "clone", "-q", str(tmp_path / "hub.git"), "other")
    git(tmp_path / "other", "config", "user.name", "Ben")
    git(tmp_path / "other", "config", "user.email", "ben@example.org")
    gitmem(tmp_path / "other", "init")
    gitmem(tmp_path / "other", "remember", "Gates open at nine", "--key", "gates")
    gitmem(tmp_path / "other", "sync")
    second, again = on_terminal(repo, "sync", env=plain), on_terminal(repo, "sync", env=plain)
    piped = gitmem(repo, "sync")

    assert "↑ 2 memories, 1 verdict to origin\n" in first.out
    assert second.out.endswith("↓ 1 from Ben\n")
    assert again.out == piped.out == "up to date with origin\n"


# Commands that change something, in their order in one repository: what a terminal confirms, and what a pipe gets.
CHANGES = (
    ("init --no-view", "✓ created the branch memory", "created the branch memory HASH"),
    ("remember 'Only public keys' --key k", f"✓ recorded Only public keys {id_of('k')}", "k"),
    ("fact 'There is a readme' --exists README.md --key g", f"✓ holds There is a readme {id_of('g')}", "g"),
    ("edit k --tag gateway", f"✓ changed Only public keys {id_of('k')}", "k"),
    ("forget k", f"✓ retired Only public keys {id_of('k')}", "k"),
    ("restore k", f"✓ restored Only public keys {id_of('k')}", "k"),
    ("undo", "✓ undid: memory: restore k (HASH)", "k"),
    ("task add 'Write the docs' --key t", f"✓ recorded Write the docs {id_of('t')}", "t"),
    ("task claim t", f"✓ claimed Write the docs {id_of('t')}", "t"),
    ("task close t", f"✓ closed Write the docs {id_of('t')}", "t"),
    ("board open r", "✓ opened the board of r", "r"),
    ("board post r 'The pool is empty'", "✓ posted e2 on r The pool is empty", "e2"),
    ("board close r --no-memories", "✓ the run r is closed", ""),
    ("session use release", "✓ the topic is now release", "release"),
    ("session off --all", "✓ agents are shown nothing: in the whole repository", "HOME/a/.git/gitmem/sessions/off"),
    ("stores add other=../b", "✓ added other", "other"),
    ("stores remove other", "✓ removed other from the list", "other"),
    ("sources add docs --path .", "✓ added the source docs", "docs"),
    ("sources remove docs", "✓ removed the source docs", "docs"),
    ("view there", "✓ the memory is in HOME/a/there", "HOME/a/there"),
    ("save", f"✓ saved {id_of('g')}", "g"),
    ("import some.jsonl", "✓ 1 memory imported", "1 memory imported"),
    ("export --format markdown --to out", "✓ 3 memories exported to out", "out"),
    ("index", "✓ indexed 4 memories", "4 memories at HASH"),
    ("propose notes", "✓ new memories go to the proposal notes", ""),
    ("report", "✓ wrote .git/gitmem/report.html", ".git/gitmem/report.html"),
    ("install git-diff", "✓ installed git-diff", "add diff.gitmem.textconv"),
    ("uninstall git-diff", "✓ removed git-diff", "remove diff.gitmem.textconv"),
)


@pytest.mark.whole_system
def test_each_change_is_confirmed_on_a_terminal_in_its_width_and_a_pipe_gets_the_name(template: Path) -> None:
    env = environment(NO_COLOR="1", TERM="xterm")

    def run_all(run: Callable[[Path, list[str]], str]) -> list[str]:
        # In a short folder, whose name fits on a line, and of the same name for both.
        with TemporaryDirectory(prefix="", dir="/tmp", ignore_cleanup_errors=True) as home:
            here, there = Path(home, "a"), Path(home, "b")
            for folder in (here, there):
                shutil.copytree(template, folder, symlinks=True)
            gitmem(there, "remember", "Gates open at nine", "--key", "gates")
            (here / "some.jsonl").write_text('{"text": "Gates open at nine"}\n')
            printed = []
            for typed, _, _ in CHANGES:
                printed.append(HASH.sub("HASH", run(here, shlex.split(typed)).replace(home, "HOME")))
                if typed.startswith("view"):
                    changed = here / "there" / "facts" / "g.md"
                    changed.write_text(f"{changed.read_text()}\nIt is short.\n")
            return printed

    def seen(folder: Path, words: list[str]) -> str:
        with Terminal(folder, *GITMEM, *words, env=env, columns=60) as terminal:
            assert terminal.finish() == 0, terminal.output
            return terminal.output.replace("\r\n", "\n")

    shown = run_all(seen)
    piped = run_all(lambda folder, words: gitmem(folder, *words).out)

    for (typed, said, plain), screen, pipe in zip(CHANGES, shown, piped, strict=True):
        assert said in " ".join(screen.split()), typed
        assert " ".join(pipe.split()).startswith(plain), typed
        assert "✓" not in pipe, typed
        assert [line for line in screen.split("\n") if len(line.rpartition("\r")[2]) > 60] == [], typed


def test_interrupted_verify_says_what_was_judged_and_what_is_kept(repo: Path) -> None:
    commit_files(repo, {"wait.sh": "exit 0\n"})
    gitmem(repo, "init")
    gitmem(repo, "fact", "There is a readme", "--exists", "README.md", "--key", "a")
    on_terminal(repo, "fact", "It waits", "--verify", "sh wait.sh", "--key", "b")
    commit_files(repo, {"wait.sh": "sleep 100\n"})

    with Terminal(repo, *GITMEM, "verify", "--all", env=environment(NO_COLOR="1", TERM="xterm")) as terminal:
        terminal.wait_for("1/2")
        terminal.type("\x03")
        status = terminal.finish()

    said = " ".join(terminal.output.split())
    assert status == 130
    assert "1 fact judged before the interruption; the verdicts are kept" in said
    assert "error: interrupted; acknowledged writes are kept" in said
    assert [line.split()[0] for line in gitmem(repo, "verify", "--dry-run").out.splitlines()] == ["b"]


def test_verify_shows_the_claim_of_each_fact_and_color_is_as_it_was_typed(filled: Path) -> None:
    env = environment(NO_COLOR=None, TERM="xterm")

    plain, coloured = (
        on_terminal(filled, "verify", "--all", f"--color={when}", env=env) for when in ("never", "always")
    )

    assert "\x1b[3" not in plain.out
    assert "\x1b[1;31m✗\x1b[0m" in coloured.out
    assert "Tokens are signed" in plain.out

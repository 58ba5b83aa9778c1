"""``gitmem edit`` with the person's own editor, on a real terminal: what was typed is never lost."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import git, put_files, tip
from support.terminal import GITMEM, Ran, Terminal, environment, gitmem

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


@pytest.fixture
def edit(repo: Path, tmp_path: Path):
    """Return a function that edits a memory with an editor that is a shell script; ``$1`` is the file."""
    (tmp_path / "tmp").mkdir()

    def run(script: str, *words: str, command: tuple[str, ...] = ("edit",), **variables: str | None) -> Ran:
        editor = tmp_path / "my editor"
        editor.write_text(f"#!/bin/sh\n{script}\n")
        editor.chmod(0o755)
        env = environment(**{"NO_COLOR": "1", "EDITOR": f"'{editor}'", "TMPDIR": str(tmp_path / "tmp"), **variables})
        arguments = words or (("k",) if command == ("edit",) else ())
        with Terminal(repo, *GITMEM, *command, *arguments, env=env) as terminal:
            status = terminal.finish()
            return Ran(status, terminal.output.replace("\r\n", "\n"), "")

    return run


@pytest.fixture(autouse=True)
def memory_k(repo: Path) -> None:
    gitmem(repo, "remember", "Deploys need the VPN", "--key", "k")


def kept(done: Ran) -> Path:
    """Return the file that a hint names."""
    found = re.search(r"hint: your text is in\s+(\S+)", done.out)
    assert found, done
    return Path(found.group(1))


def short_id(repo: Path) -> str:
    return str(json.loads(gitmem(repo, "show", "k", "--json").out)["short_id"])


def title(repo: Path) -> str:
    return json.loads(gitmem(repo, "show", "k", "--json").out)["title"]


def test_what_the_editor_saves_is_the_new_text_and_nothing_is_left_behind(edit, repo: Path, tmp_path: Path) -> None:
    done = edit("sed -i 's/need the VPN/go by pipeline/' \"$1\"")

    assert (done.status, done.out) == (0, f"✓ changed  Deploys go by pipeline  {short_id(repo)}\n")
    assert title(repo) == "Deploys go by pipeline"
    assert list((tmp_path / "tmp").iterdir()) == []


def test_editor_that_changes_nothing_writes_nothing(edit, repo: Path) -> None:
    before = tip(repo)

    done = edit("true")

    assert (done.status, tip(repo)) == (0, before)
    assert f"{short_id(repo)} already says this; nothing was written" in done.out


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("printf 'no frontmatter' > \"$1\"", "k: "),
        ("sed -i 's/^title:.*/title: [/' \"$1\"", "k: "),
        ("echo 'a \x1b[2J b' >> \"$1\"", "k: line 9, column 3 has control character (U+001B)"),
        (f'echo {TOKEN} >> "$1"', "k: it seems to contain a secret (github-token in line 9)"),
        ("printf '\\377' >> \"$1\"", "k: the edited file is not valid UTF-8"),
        ("sed -i 's/^kind:.*/kind: fact/' \"$1\"", "k: a fact needs a check that proves it"),
        ('echo typed >> "$1"; exit 3', "the editor ended with status 3"),
    ],
    ids=["no frontmatter", "bad YAML", "hidden character", "secret", "not UTF-8", "no check", "editor failed"],
)
def test_refused_edit_keeps_what_was_typed_and_names_its_file(edit, repo: Path, script: str, message: str) -> None:
    before = tip(repo)

    done = edit(script)

    assert done.status in (2, 3)
    assert f"gitmem: error: {message}" in done.out
    assert tip(repo) == before
    assert kept(done).stat().st_size > 0
    assert kept(done).stat().st_mode & 0o077 == 0
    assert TOKEN not in done.out


def test_memory_that_changed_meanwhile_is_not_overwritten(edit, repo: Path) -> None:
    other = " ".join(f"'{word}'" for word in GITMEM)

    done = edit(f"{other} edit k --title 'Changed by another' </dev/null >/dev/null; sed -i 's/VPN/tunnel/' \"$1\"")

    assert done.status == 2
    assert "someone else changed k in the meantime" in done.out
    assert "tunnel" in kept(done).read_text()
    assert title(repo) == "Changed by another"


def test_line_ends_and_mark_of_another_system_are_taken_off(edit, repo: Path) -> None:
    done = edit(
        'printf \'\\357\\273\\277\' > "$1.new"; sed \'s/$/\\r/; s/VPN/tunnel/\' "$1" >> "$1.new"; mv "$1.new" "$1"'
    )

    assert (done.status, title(repo)) == (0, "Deploys need the tunnel")
    assert "\r" not in git(repo, "show", "memory:learned/k.md")


@pytest.mark.whole_system
def test_changed_check_is_approved_and_must_hold(edit, repo: Path) -> None:
    text = '---\ntitle: f\nkind: fact\nverify: "test -s README.md && true"\n---\n'
    put_files(repo, {"facts/f.md": text})

    holds = edit("sed -i 's/README.md/pyproject.toml/' \"$1\"", "f")
    fails = edit("sed -i 's/pyproject.toml/nosuch/' \"$1\"", "f")

    assert (holds.status, json.loads(gitmem(repo, "show", "f", "--json").out)["status"]) == (0, "verified")
    assert fails.status == 2
    assert "the check does not hold" in fails.out


@pytest.mark.parametrize(
    "variables",
    [
        {"GIT_EDITOR": "sed -i s/VPN/first/", "VISUAL": "false", "EDITOR": "false"},
        {"VISUAL": "sed -i s/VPN/first/", "EDITOR": "false"},
    ],
)
def test_editor_is_chosen_as_git_chooses_it(edit, repo: Path, variables: dict[str, str]) -> None:
    done = edit("false", **variables)

    assert (done.status, title(repo)) == (0, "Deploys need the first")


def test_editor_of_git_config_is_used_where_no_variable_names_one(edit, repo: Path) -> None:
    git(repo, "config", "core.editor", "sed -i s/VPN/config/")

    done = edit("false", EDITOR=None)

    assert (done.status, title(repo)) == (0, "Deploys need the config")


def test_editor_that_is_not_there_is_reported(edit) -> None:
    done = edit("true", EDITOR="no-such-editor")

    assert done.status == 3
    assert "the editor ended with status 127" in done.out


def test_ctrl_c_belongs_to_the_editor_while_it_runs(repo: Path, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text(
        "#!/bin/sh\ntrap 'echo caught; sed -i s/VPN/tunnel/ \"$1\"; exit 0' INT\necho ready\n"
        "for n in $(seq 600); do sleep 0.05; done; exit 1\n"
    )
    editor.chmod(0o755)

    with Terminal(repo, *GITMEM, "edit", "k", env=environment(EDITOR=str(editor))) as terminal:
        terminal.wait_for("ready")
        terminal.type("\x03")
        status = terminal.finish()

    assert (status, title(repo)) == (0, "Deploys need the tunnel")


def test_without_a_terminal_no_editor_is_started(repo: Path, tmp_path: Path) -> None:
    done = gitmem(repo, "edit", "k", env=environment(EDITOR=f"touch {tmp_path}/started; true"))

    assert done.status == 2
    assert "gitmem: error: nothing to change\n" in done.err
    assert not (tmp_path / "started").exists()


def test_policy_is_edited_without_a_view_and_committed(edit, repo: Path, tmp_path: Path) -> None:
    done = edit('printf \'[kinds.gotcha]\nttl = "90d"\n\' >> "$1"', command=("policy", "edit"))

    assert done.status == 0
    assert re.match(r"✓ changed the policy; commit [0-9a-f]{12}\n", done.out)
    assert gitmem(repo, "policy", "show").out == 'kinds.gotcha.ttl\t"90d"\t"never"\n'
    assert list((tmp_path / "tmp").iterdir()) == []


def test_policy_with_an_error_is_not_committed_and_the_text_stays(edit, repo: Path) -> None:
    before = tip(repo)

    done = edit("echo 'kinds.gotcha.ttl = 90' >> \"$1\"", command=("policy", "edit"))

    assert done.status != 0
    assert "kinds.gotcha.ttl must be a length of time" in done.out.replace("\n", " ")
    assert "kinds.gotcha.ttl = 90" in kept(done).read_text()
    assert tip(repo) == before

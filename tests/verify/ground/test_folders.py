"""Ignored folders of the work tree in a check: seen, privately changed, and never a way out of the work tree."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest
from conftest import commit_files, git, put_files
from support.facts import approve_all, make_fact, put, result_of, verify
from support.grounds import can_come_to, grounds_on, open_ways, user_of

from gitmem.cli.trust import ask
from gitmem.errors import GitmemError
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.memory import Memory
from gitmem.repository.approvals import trust_of
from gitmem.verify.ground import mirror
from gitmem.verify.ground.folders import find_folders
from gitmem.verify.ground.ground import place_of_clones
from gitmem.verify.sandbox import sandbox

PATH = os.environ["PATH"]
works = lru_cache(sandbox.works)

# How a ground can show a folder: its rung, and whether it is an overlay.
WAYS = {
    "overlay": ("bubblewrap", True),
    "copy": ("bubblewrap", False),
    "landlock": ("landlock", False),
    "none": ("none", False),
}


class Lender:
    """Runs checks on grounds of one kind."""

    def __init__(self, top: Path, rung: str, overlay: bool) -> None:
        self.top, self.rung, self.overlay = top, rung, overlay
        repository = Git(discover(top))
        if rung != "none" and not works(rung, PATH):
            pytest.skip(f"{rung} does not work here")
        if overlay and not sandbox.probe_overlay(PATH, place_of_clones(repository)):
            pytest.skip("overlays in a user namespace do not work here")
        self.grounds = grounds_on(repository, rung, top.parent, overlay=overlay, in_place=rung == "bubblewrap")

    def __call__(self, *commands: str, names: tuple[str, ...] = ("node_modules",)) -> list[str]:
        """Return what commands that run on one ground print."""
        said = []
        with self.grounds.take(git(self.top, "rev-parse", "HEAD"), names) as ground:
            self.lacking = ground.lacking
            for command in commands:
                ran = sandbox.run_check(
                    ["sh", "-c", command], ground=ground, rung=self.rung, network=False, timeout_s=20, path=PATH
                )
                assert ran.problem == ""
                said.append(ran.output.strip())
        return said


@pytest.fixture
def project(repo):
    """The repository with a package, and a folder of packages that git ignores."""
    commit_files(repo, {"src/pkg/__init__.py": "VALUE = 1\n", ".gitignore": "/.venv/\nnode_modules/\nlink\n"})
    for name in ("node_modules/left/index.js", "node_modules/.bin/left"):
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text("#!/bin/sh\necho left\n")
        (repo / name).chmod(0o755)
    return repo


@pytest.fixture(params=WAYS, ids=list(WAYS))
def lend(request, project):
    lender = Lender(project, *WAYS[request.param])
    with lender.grounds:
        yield lender


def make_environment(top: Path) -> None:
    """Make a virtual environment in which the package of the work tree is installed to be edited, with a program."""
    python = sys.executable if can_come_to(Path(os.path.realpath(sys.executable))) else "/usr/bin/python3"
    if not Path(python).exists():
        pytest.skip("Python is in a folder that only root may enter")
    subprocess.run([python, "-m", "venv", "--without-pip", str(top / ".venv")], check=True)
    (site,) = (top / ".venv" / "lib").glob("python3*/site-packages")
    (site / "__editable__.pkg.pth").write_text(f"{top}/src\n")
    program = top / ".venv" / "bin" / "tool"
    program.write_text(f"#!{top}/.venv/bin/python\nimport pkg\nprint(pkg.__file__, pkg.VALUE)\n")
    program.chmod(0o755)


def listing(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else b"" for p in folder.rglob("*")}


@pytest.mark.parametrize("way", ["overlay", "copy"])
def test_programs_of_an_environment_see_the_commit_and_not_the_work_tree(project, way):
    top = project.resolve()
    make_environment(top)
    (project / "src" / "pkg" / "__init__.py").write_text("VALUE = 2\n")
    lender = Lender(project, *WAYS[way])
    change = "true" if user_of(lender.rung) and lender.overlay else "echo x > .venv/bin/tool; cat .venv/bin/tool"

    with lender.grounds:
        first = lender(".venv/bin/tool", "top=$PWD; cd /; $top/.venv/bin/tool", names=(".venv",))
        second = lender(".venv/bin/tool", change, names=(".venv",))

    assert first == [f"{top}/src/pkg/__init__.py 1"] * 2
    assert second == [*first[:1], "" if change == "true" else "x"]
    assert subprocess.run([top / ".venv/bin/tool"], capture_output=True, text=True, check=True).stdout.endswith(" 2\n")


def test_environment_of_path_is_seen_without_the_files_of_the_work_tree(project, monkeypatch):
    make_environment(project.resolve())
    said = project / "tools" / "said"
    for word in ("committed", "dirty"):
        said.parent.mkdir(exist_ok=True)
        said.write_text(f"#!/bin/sh\necho {word}\n")
        said.chmod(0o755)
        if word == "committed":
            commit_files(project, {})
    (project / "src" / "pkg" / "__init__.py").write_text("VALUE = 2\n")
    monkeypatch.setattr(
        sys.modules[__name__], "PATH", f"{project.resolve()}/.venv/bin:{project.resolve()}/tools:{PATH}"
    )
    lender = Lender(project, "bubblewrap", overlay=True)

    with lender.grounds:
        assert lender("tool; said", names=())[0].split()[1:] == ["1", "committed"]


def test_what_a_check_does_to_a_folder_is_gone_for_the_next_one(project, lend):
    if user_of(lend.rung) and lend.overlay:
        pytest.skip("a folder of root's can be read by the checks of root, and not be changed")
    before = listing(project / "node_modules")

    first = lend(
        "node_modules/.bin/left; mkdir node_modules/.cache; echo x > node_modules/.cache/x; rm -r node_modules/left",
        "ls -A node_modules",
    )
    second = lend("ls -A node_modules; cat node_modules/left/index.js; git status --porcelain")

    assert first == ["left", ".bin\n.cache"]
    assert second[0].split("\n")[:2] == [".bin", "left"]
    assert "??" not in second[0]
    assert listing(project / "node_modules") == before


def test_a_folder_inside_another_and_one_that_is_not_there(project, lend):
    for name in ("web/node_modules/a", "src/pkg/node_modules/b"):
        (project / name).mkdir(parents=True)

    said = lend("ls web/node_modules src/pkg/node_modules", names=("gone", "src/pkg/node_modules", "web/node_modules"))

    assert said[0].split() == ["src/pkg/node_modules:", "b", "web/node_modules:", "a"]
    assert lend.lacking == "gone: it is not in this work tree"


def test_copies_are_made_once_and_are_gone_at_the_end(project):
    """What a check adds is taken out of the copy; where it changed the copy itself, that is made anew."""
    (project / "web" / "node_modules").mkdir(parents=True)
    lender, names = Lender(project, *WAYS["none"]), ("node_modules", "web/node_modules")
    inode = "stat -c %i node_modules/left/index.js"

    with lender.grounds:
        said = [lender(inode, "echo x > node_modules/added; ls web", names=names)[0]]
        (clone,) = place_of_clones(Git(discover(project))).iterdir()
        assert not (clone / "state").exists(), "whoever finds it after a crash has to make it anew"
        said += lender(inode, "ls node_modules; echo x > node_modules/left/index.js", names=names)
        said += lender(f"{inode}; cat node_modules/left/index.js", names=names)
        commit_files(project, {"later": ""})
        said += lender(f"{inode}; ls later", names=names)
        said += lender("ls web", names=names[1:])

    first, anew = said[0], said[3].split("\n")[0]  # the same number perhaps: file systems use them again
    assert said[1:] == [first, "left", f"{anew}\n#!/bin/sh\necho left", f"{anew}\nlater", "node_modules"]
    assert [(clone / "tree" / name).exists() for name in ("node_modules", "web", "README.md")] == [False, False, True]
    assert (clone / "state").exists()


@pytest.mark.parametrize(("rung", "names"), [("landlock", ()), ("none", (".venv",))], ids=["found", "named"])
@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
def test_environment_that_is_not_in_its_place_uses_the_commit_too(project, rung, names, is_open):
    open_ways(project)
    project.chmod(0o755 if is_open else 0o700)  # then the checks of root cannot come here, and get a copy
    make_environment(project.resolve())
    (project / "src" / "pkg" / "__init__.py").write_text("VALUE = 2\n")
    lender = Lender(project, rung, overlay=False)

    with lender.grounds:
        said = lender(".venv/bin/tool", "top=$PWD; cd /; $top/.venv/bin/tool", names=names)

    assert [one.rpartition("/tree/")[2] for one in said] == ["src/pkg/__init__.py 1"] * 2
    assert lender.lacking == ""


@pytest.mark.parametrize("rung", ["landlock", "none"])
def test_mirror_shows_nothing_else_of_the_work_tree_and_is_not_changed(project, rung):
    open_ways(project)
    (project / ".env").write_text("secret\n")
    before = listing(project / "node_modules")
    lender = Lender(project, rung, overlay=False)
    change = (
        "echo x > node_modules/left/index.js; rm -f node_modules/left/*; echo x > node_modules/own; ls node_modules"
    )

    with lender.grounds:
        said = lender("cat node_modules/left/../../.env", change, names=()) if rung == "landlock" else []
        again = lender("ls node_modules", names=())

    assert "secret\n" not in said
    assert said[1:] == ["left\nown"] * (rung == "landlock") or said[1].endswith("left\nown")
    assert again == ["left"]
    assert listing(project / "node_modules") == before


LEADS_OUT = {
    "a link to elsewhere": ("ln -s {out} link", "link", "it is a link"),
    "a folder behind a link": (
        "ln -s {out} link && mkdir {out}/x",
        "link/x",
        "it is a link",
    ),
    "a file": ("echo x > link", "link", "it is not a folder"),
    "what git tracks": ("true", "src", "git does not ignore it here"),
    "what git tracks and ignores": ("echo src >> .git/info/exclude", "src", "git tracks it"),
    "what is new and not ignored": ("mkdir new", "new", "git does not ignore it here"),
    "behind what the code has as a link": (
        "ln -s {out} web && git add web && git commit -qm link && rm web && mkdir -p web/node_modules",
        "web/node_modules",
        "web is not a folder in the code",
    ),
}


@pytest.mark.parametrize(("setup", "name", "why"), LEADS_OUT.values(), ids=LEADS_OUT.keys())
def test_a_name_gets_nothing_but_an_ignored_folder_of_the_work_tree(project, tmp_path, setup, name, why):
    out = tmp_path / "out"
    out.mkdir()
    subprocess.run(["sh", "-ec", setup.format(out=out)], cwd=project, check=True)

    found, lacking = find_folders(Git(discover(project)), git(project, "rev-parse", "HEAD"), (name, "node_modules"))

    assert [lent.name for lent in found] == ["node_modules"]
    assert lacking == (f"{name}: {why}",)


def test_a_home_that_is_a_work_tree_lends_nothing(project, monkeypatch):
    (project / "me").mkdir()
    monkeypatch.setenv("HOME", str(project / "me"))

    found, lacking = find_folders(Git(discover(project)), git(project, "rev-parse", "HEAD"), ("node_modules",))

    assert (found, lacking) == ((), ("node_modules: the work tree is a home folder",))


def test_setup_cannot_turn_a_folder_into_a_way_out(project, tmp_path):
    (tmp_path / "out").mkdir()
    (project / "web" / "node_modules").mkdir(parents=True)
    lender = Lender(project, *WAYS["overlay"])

    with lender.grounds, pytest.raises(AssertionError, match="no overlay"):
        lender(f"mv web moved && ln -s {tmp_path}/out web", "true", names=("web/node_modules",))

    assert list((tmp_path / "out").iterdir()) == []


def test_what_is_too_large_to_be_copied_says_so(project, monkeypatch):
    monkeypatch.setattr(mirror, "COPY_FILES", 3)
    lender = Lender(project, "none", overlay=False)

    with lender.grounds:
        with pytest.raises(GitmemError, match="node_modules is too large to be copied"):
            lender("true")
        assert lender("ls node_modules", names=()) == ["left"], "what is not named is mirrored"


# Through a verify run


@pytest.fixture
def policed(memory, project):
    """The memory of the project, whose policy names two folders and a setup."""
    text = '[verify]\nfolders = ["node_modules", ".venv"]\nsetup = "echo built > node_modules/built; mkdir out"\n'
    put_files(project, {"gitmem.toml": text})
    return memory


def test_check_sees_folders_and_files_of_the_setup_and_is_blocked_without_them(policed, project):
    put(
        project,
        make_fact("sees", "cat node_modules/built && test -d out && node_modules/.bin/left"),
        make_fact("needs", "test -d .venv"),
    )
    approve_all(policed)

    run = verify(policed, no_sandbox=False)

    assert result_of(run, "sees").outcome == "holds"
    message = result_of(run, "needs")
    assert (message.outcome, message.verdict) == ("blocked", None)
    assert (
        message.reason
        == "exit 1; but the check could not see folders of the policy: .venv: it is not in this work tree"
    )
    assert not (project / "node_modules" / "built").exists()


def test_folders_are_approved_with_the_command_and_not_by_typing_it(policed, project):
    waits = policed.fact("Left is there", verify="test -d node_modules/left", key="left", approve=True)

    assert trust_of(policed.repository).list_all() == []
    terminal = io.BytesIO()
    ask(terminal, policed.repository.commands()[0], 1, 1)
    assert b"it sees your files in .venv, node_modules\n" in terminal.getvalue()
    assert "its command cannot be approved here; it stays unproven until you" in policed.notices[-1]
    approve_all(policed)
    put_files(project, {"gitmem.toml": '[verify]\nfolders = ["node_modules"]\n'})
    assert outcome_of_all(policed) == {waits.key: "skipped"}


def outcome_of_all(memory) -> dict[str, str]:
    return {result.due.row.key: result.outcome for result in verify(memory).results}


@pytest.mark.whole_system
@pytest.mark.parametrize(
    ("setup", "why"),
    [
        ("sleep 60", "the policy's setup (sleep 60) failed: timed out after 1 s"),
        ("gitmem-no-such-tool", "the policy's setup (gitmem-no-such-tool) failed: exit 127: sh: "),
    ],
    ids=["hangs", "is missing"],
)
def test_setup_that_does_not_work_blocks_and_is_named(memory, repo, setup, why):
    put_files(repo, {"gitmem.toml": f'[verify]\nsetup = "{setup}"\n'})
    put(repo, make_fact("a", "test -f README.md", timeout="1s"))
    approve_all(memory)

    message = result_of(verify(memory), "a")

    assert (message.outcome, message.verdict) == ("blocked", None)
    assert message.reason.startswith(why)


# --- folders of dependencies ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_folders_of_dependencies_are_seen_by_default(project, way):
    put_files_here(project, {"web/node_modules/x.js": "x\n", "vendor/lib.rb": "x\n", "target/out": "x\n"})
    (project / ".git/info/exclude").write_text("vendor\ntarget\n")
    commit_files(project, {"web/index.js": "x\n"})
    lender = Lender(project, *WAYS[way])
    files = "node_modules/left/index.js web/node_modules/x.js vendor/lib.rb target/out"
    look = f"for f in {files}; do test -e $f && echo $f; done"

    with lender.grounds:
        seen, left = lender(f"{look}; true", "echo changed > vendor/lib.rb; cat vendor/lib.rb", names=())

    assert seen.split() == ["node_modules/left/index.js", "web/node_modules/x.js", "vendor/lib.rb"]
    assert (project / "vendor" / "lib.rb").read_text() == "x\n"
    if way == "copy":
        assert "Read-only file system" in left


def put_files_here(top: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)


def test_python_of_a_check_is_that_of_the_project_s_environment(memory, project):
    if not works("bubblewrap", PATH):
        pytest.skip("bubblewrap does not work here")
    make_environment(project.resolve())
    put(project, make_fact("a", 'test "$(command -v tool)" = "$PWD/.venv/bin/tool" && tool | grep -q " 1$"'))
    approve_all(memory)

    assert result_of(verify(memory, no_sandbox=False), "a").outcome == "holds"


def test_folder_that_a_check_looked_for_in_vain_is_named_with_the_line_that_shows_it(memory, project, run_cli):
    (project / ".git/info/exclude").write_text("target\nother\n")
    put_files_here(project, {"target/out": "x\n", "other/out": "x\n"})
    put(project, make_fact("a", "test -e target/out"), make_fact("b", "test -e nowhere"))
    approve_all(memory)

    results = verify(memory, no_sandbox=False)
    if not result_of(results, "a").hidden:
        pytest.skip("strace is not here, or shows nothing")

    assert result_of(results, "a").hidden == (
        "it looked for target, which git ignores; to show it to checks: gitmem policy set --add verify.folders target"
    )
    assert result_of(results, "b").hidden == ""
    put_files(project, {"gitmem.toml": '[verify]\nfolders = ["target"]\n'})
    with Memory(project) as shown:
        approve_all(shown)
        assert result_of(verify(shown, no_sandbox=False), "a").outcome == "holds"


def test_folders_of_dependencies_that_lead_elsewhere_are_not_seen(project, tmp_path):
    secret = tmp_path / "secret"
    put_files_here(secret, {"key": "x\n"})
    (project / ".git/info/exclude").write_text("vendor\n")
    (project / "vendor").symlink_to(secret)
    lender = Lender(project, *WAYS["overlay"])

    with lender.grounds:
        assert lender("ls vendor 2>&1 | grep -c key", names=()) == ["0"]

"""The ground of a check: the whole commit, nothing of the user's at stake, and as it was for the next check."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from functools import lru_cache
from pathlib import Path

import pytest
from support.each import each
from support.grounds import grounds_on, open_ways

from gitmem.errors import GitmemError, NotFoundError
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.verify.ground import scratch
from gitmem.verify.ground.ground import Ground, Grounds
from gitmem.verify.sandbox import sandbox

PATH = os.environ["PATH"]
ROOT = Path(sandbox.__file__).parents[3]
ENV = {
    "PATH": PATH,
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in
       (("NAME", "Ana"), ("EMAIL", "ana@example.com"), ("DATE", "2026-01-02T03:04:05Z"))},
}  # fmt: skip

works = lru_cache(sandbox.works)


def overlays(repository: Path) -> bool:
    """Return whether grounds of a repository can be overlays here."""
    return works("bubblewrap", PATH) and sandbox.probe_overlay(PATH, repository / ".git" / "gitmem" / "ground")


def git(folder: Path, *args: str) -> str:
    return subprocess.run(
        ["git", *args], cwd=folder, env=ENV, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture(scope="session")
def template(tmp_path_factory) -> Path:
    """A repository with two commits, tagged v1 and v2, in a folder whose name is hard to quote."""
    top = tmp_path_factory.mktemp("template") / "a \"b\"\n'c' ,:d"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    for name, text in (("src/a.py", "a = 1\n"), ("src/deep/b.py", "b = 2\n"), (".gitignore", "*.log\n/build/\n")):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    (top / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (top / "run.sh").chmod(0o755)
    (top / "link").symlink_to("src/a.py")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "one")
    git(top, "tag", "v1")
    (top / "new").write_text("new\n")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "two")
    git(top, "tag", "-a", "-m", "second", "v2")
    return top


@pytest.fixture
def repository(template, tmp_path) -> Path:
    return Path(shutil.copytree(template, tmp_path.resolve() / template.name, symlinks=True))


def open_grounds(folder: Path, *, overlay: bool = False) -> Grounds:
    return grounds_on(
        Git(discover(folder)), "bubblewrap" if overlay else "none", folder, overlay=overlay, in_place=overlay
    )


@pytest.fixture(params=["overlay", "private"])
def grounds(request, repository):
    """Both ways of giving each check its own tree."""
    if request.param == "overlay" and not overlays(repository):
        pytest.skip("overlays in a user namespace do not work here")
    with open_grounds(repository, overlay=request.param == "overlay") as found:
        yield found


def check(command: str, ground: Ground, *, rung: str = "", timeout_s: float = 20.0):
    """Run a check on the weakest rung that the ground can be used on."""
    rung = rung or ("bubblewrap" if ground.upper else "none")
    return sandbox.run_check(
        ["sh", "-c", command], ground=ground, rung=rung, network=False, timeout_s=timeout_s, path=PATH
    )


def listing(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return mode and content of everything in a folder but ``.git``, by path."""
    found = {}
    for top, folders, files in os.walk(folder):
        if ".git" in folders:
            folders.remove(".git")
        for name in folders + files:
            path = Path(top, name)
            content = os.fsencode(path.readlink()) if path.is_symlink() else b"" if path.is_dir() else path.read_bytes()
            found[str(path.relative_to(folder))] = (path.lstat().st_mode, content)
    return found


def id_of(folder: Path, rev: str) -> str:
    return git(folder, "rev-parse", f"{rev}^{{commit}}")


# What a check sees


def test_it_is_the_commits_whole_tree(repository, grounds):
    with grounds.take(id_of(repository, "v2")) as ground:
        ran = check("find . -path ./.git -prune -o -type f -print | sort; readlink link; ./run.sh", ground)

    assert ran.output.split() == [
        "./.gitignore",
        "./new",
        "./run.sh",
        "./src/a.py",
        "./src/deep/b.py",
        "src/a.py",
        "ran",
    ]


def test_it_is_not_the_work_tree(repository, grounds):
    (repository / "src" / "a.py").write_text("dirty\n")
    (repository / "untracked").write_text("x")
    git(repository, "rm", "-q", "--cached", "new")

    with grounds.take(id_of(repository, "HEAD")) as ground:
        ran = check("cat src/a.py; test ! -e untracked && test -e new && git status --porcelain", ground)

    assert (ran.status, ran.output) == (0, "a = 1\n")


def test_git_works_in_it(repository, grounds):
    with grounds.take(id_of(repository, "v2")) as ground:
        ran = check("git ls-files | wc -l; git log --format=%s; git describe; git status --porcelain", ground)

    assert ran.output.split() == ["6", "two", "one", "v2"]


def test_git_works_in_it_in_each_sandbox(repository, tmp_path):
    open_ways(repository / ".git" / "objects")
    for rung in ("bubblewrap", "landlock"):
        if works(rung, PATH):
            opened = grounds_on(Git(discover(repository)), rung, tmp_path)
            with opened as grounds, grounds.take(id_of(repository, "v2")) as ground:
                ran = check("git describe && git diff --exit-code HEAD^ -- src", ground, rung=rung)
            assert (ran.status, ran.output) == (0, "v2\n"), rung


def test_an_older_commit_and_back(repository, grounds):
    seen = []
    for rev in ("v2", "v1", "v2"):
        with grounds.take(id_of(repository, rev)) as ground:
            seen.append(check("ls new; git describe --tags", ground).output.split("\n")[-2])

    assert seen == ["v2", "v1", "v2"]


def test_files_are_checked_out_again_where_attributes_say_another_way(repository, grounds):
    (repository / ".gitattributes").write_text("run.sh text eol=crlf\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "three")

    seen = []
    for rev in ("v2", "HEAD", "v1"):
        with grounds.take(id_of(repository, rev)) as ground:
            seen.append(check("grep -c \"$(printf '\\r')\" run.sh; true", ground).output.split("\n")[0])

    assert seen == ["0", "2", "0"]


def test_runs_on_one_ground_see_each_others_changes(repository, grounds):
    with grounds.take(id_of(repository, "HEAD")) as ground:
        check("mkdir build && echo made > build/out && rm new", ground)
        ran = check("cat build/out && test ! -e new", ground)

    assert (ran.status, ran.output) == (0, "made\n")


# What it leaves


CHANGES = {
    "new files": "echo x > f; mkdir -p build/x; echo y > build/x/y; echo z > a.log; mkdir empty",
    "changed content": "echo changed > src/a.py; echo '#' >> run.sh",
    "same size and time": "touch -r src/a.py ref; printf 'a = 9\\n' > src/a.py; touch -r ref src/a.py; rm ref",
    "removed": "rm -rf src new link",
    "modes": "chmod 000 src/deep; chmod 600 run.sh; chmod 700 .; mkdir u && chmod 0 u",
    "other kinds": "rm -r src new; ln -s /etc src; mkfifo new; mkdir -p link.d; ln -sf run.sh link",
    "folder for file": "rm new && mkdir -p new/a/b && echo x > new/a/b/c",
    "file for folder": "rm -r src && echo x > src",
    "moved": "mv src moved; mv run.sh moved/",
    "git commit": "git rm -qr src && git -c user.name=x -c user.email=x commit -qm gone && git tag -f v1",
    "git configuration": "git config core.fsmonitor 'touch pwned'; git update-index --assume-unchanged new;"
    " echo x > new; echo y > .git/hooks 2>/dev/null; true",
    "no git": "rm -rf .git",
    "another git": "rm -rf .git && git init -q && git add -A",
    "git elsewhere": "mv .git g && ln -s g .git",
    "hard names": 'echo x > "$(printf \'a\\nb\')"; echo x > "$(printf \'\\377\')"; echo x > -rf; echo x > " "',
}


@each("command", CHANGES.values())
def test_the_next_check_finds_it_as_it_was(repository, grounds, command):
    commit = id_of(repository, "v2")
    looks = "git status --porcelain --ignored; git describe; git log --oneline | wc -l; git config core.fsmonitor"
    with grounds.take(commit) as ground:
        before, said = listing(ground.path), check(looks, ground).output
    with grounds.take(commit) as ground:
        changed = check(command, ground)
    with grounds.take(commit) as ground:
        after = (listing(ground.path), check(looks, ground).output)

    assert changed.status == 0, changed.output
    assert after == (before, said)


def test_what_a_check_commits_does_not_reach_the_repository(repository, grounds):
    git(repository, "gc", "-q")
    asked = (("for-each-ref",), ("count-objects",), ("status", "--porcelain"))
    before = [git(repository, *words) for words in asked]

    with grounds.take(id_of(repository, "HEAD")) as ground:
        ran = check(
            "echo x > f && git add f && git -c user.name=x -c user.email=x commit -qm x && git branch b && git gc -q",
            ground,
        )

    assert ran.status == 0, ran.output
    assert [git(repository, *words) for words in asked] == before


def test_the_repository_itself_cannot_be_changed_or_read_from_a_sandbox(repository):
    config = repository / ".git" / "config"
    git(repository, "remote", "add", "origin", "https://token-7261@example.com/x.git")
    before = config.read_bytes()
    for rung in ("bubblewrap", "landlock"):
        if not works(rung, PATH):
            continue
        with open_grounds(repository) as grounds, grounds.take(id_of(repository, "HEAD")) as ground:
            above = "../../../.."
            ran = check(
                f"cat {above}/config; echo x >> {above}/config; git --git-dir {above} config a.b c;"
                f" rm -rf {above}/objects; echo x > .git/objects/info/x; true",
                ground,
                rung=rung,
            )
        assert "token-7261" not in ran.output, rung
        assert config.read_bytes() == before, rung
        assert git(repository, "fsck", "--full") == "", rung


def test_a_link_in_the_place_of_the_tree_is_not_followed(repository, tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "f").write_text("kept")
    with open_grounds(repository) as grounds:
        with grounds.take(id_of(repository, "HEAD")) as ground:
            # Only without a sandbox is the folder above there to be changed.
            check(f'd="$PWD"; cd .. && rm -rf "$d" && ln -s {tmp_path}/precious "$d"', ground)
        with grounds.take(id_of(repository, "HEAD")) as ground:
            assert check("git describe", ground).output == "v2\n"

    assert (tmp_path / "precious" / "f").read_text() == "kept"


# Nothing of the user's configuration runs


def test_no_hook_filter_or_monitor_of_the_user_runs(repository, grounds, tmp_path, monkeypatch):
    (repository / ".gitattributes").write_text("* filter=evil\n")
    git(repository, "add", ".gitattributes")
    git(repository, "commit", "-q", "-m", "filtered")
    spy = tmp_path / "spy"
    spy.write_text(f"#!/bin/sh\necho $0 >> {tmp_path}/ran\ncat\n")
    spy.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "post-index-change", "reference-transaction", "post-commit"):
        (hooks / name).symlink_to(spy)
        shutil.copy(spy, repository / ".git" / "hooks" / name)
    (tmp_path / ".gitconfig").write_text(
        f'[filter "evil"]\n smudge = {spy}\n clean = {spy}\n required = true\n'
        f"[core]\n hooksPath = {hooks}\n fsmonitor = {spy}\n autocrlf = true\n"
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)

    with grounds.take(id_of(repository, "HEAD")) as ground:
        ran = check("cat run.sh; echo x > src/a.py", ground)
    with grounds.take(id_of(repository, "HEAD")):
        pass

    assert ran.output == "#!/bin/sh\necho ran\n"
    assert not (tmp_path / "ran").exists()
    git(repository, "checkout", "-q", "HEAD")
    assert (tmp_path / "ran").exists(), "the spy does not work"


def test_submodules_are_empty_folders(repository, grounds):
    inner = id_of(repository, "v1")
    (repository / ".gitmodules").write_text('[submodule "m"]\n path = m\n url = ../elsewhere\n')
    git(repository, "add", ".gitmodules")
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{inner},m")
    git(repository, "commit", "-q", "-m", "module")

    with grounds.take(id_of(repository, "HEAD")) as ground:
        ran = check("ls -A m; git status --porcelain", ground)

    assert (ran.status, ran.output) == (0, "")


# Kinds of repositories


def copy_of(template: Path, place: Path, kind: str) -> Path:
    """Return a repository of a kind that has the template's commits."""
    if kind == "shallow":
        git(place, "clone", "-q", "--depth", "1", template.as_uri(), "repo")
    elif kind == "bare":
        git(place, "clone", "-q", "--bare", str(template), "repo")
    elif kind == "shared":
        git(place, "clone", "-q", str(template), "origin")  # git itself cannot share objects past a line feed
        git(place, "clone", "-q", "--shared", "origin", "first")
        git(place, "clone", "-q", "--shared", "first", "repo")
    elif kind == "linked worktree":
        git(place, "clone", "-q", str(template), "main")
        git(place / "main", "worktree", "add", "-q", "--detach", "../repo")
    elif kind == "separate git directory":
        git(place, "clone", "-q", "--separate-git-dir", "elsewhere", str(template), "repo")
    elif kind == "detached":
        git(place, "clone", "-q", str(template), "repo")
        git(place / "repo", "checkout", "-q", "--detach")
    elif kind == "sha256":
        git(place, "init", "-q", "--object-format=sha256", "repo")
        for name in ("new", "run.sh"):
            shutil.copy(template / name, place / "repo" / name)
        git(place / "repo", "add", "-A")
        git(place / "repo", "commit", "-q", "-m", "two")
        git(place / "repo", "tag", "v2")
    return place / "repo"


KINDS = ["shallow", "bare", "shared", "linked worktree", "separate git directory", "detached", "sha256"]


@pytest.mark.parametrize("kind", KINDS)
def test_it_works_in_every_kind_of_repository(template, tmp_path, kind):
    repo = copy_of(template, tmp_path, kind)
    commit = id_of(repo, "HEAD")
    with open_grounds(repo) as grounds:
        with grounds.take(commit) as ground:
            first = check("cat new && git describe --tags && git log --format=%s -1 && git fsck && rm new", ground)
        with grounds.take(commit) as ground:
            second = check("git status --porcelain", ground)

    # Only the objects that are there can be checked: a shallow clone says so, and fails at nothing else.
    assert first.output.split("\n")[:3] == ["new", "v2", "two"]
    assert (first.status, second.status, second.output) == (0, 0, "")


def test_sandboxed_git_reads_borrowed_objects_of_borrowed_objects(template, tmp_path):
    repo = copy_of(template, tmp_path, "shared")
    open_ways(repo / ".git" / "objects")
    for rung in ("bubblewrap", "landlock"):
        if works(rung, PATH):
            opened = grounds_on(Git(discover(repo)), rung, tmp_path)
            with opened as grounds, grounds.take(id_of(repo, "HEAD")) as ground:
                assert check("git show HEAD^:src/a.py", ground, rung=rung).output == "a = 1\n", rung


def test_it_still_works_after_the_repository_was_moved(repository):
    commit = id_of(repository, "HEAD")
    with open_grounds(repository) as grounds, grounds.take(commit) as ground:
        kept = (ground.path / "new").stat().st_ino
    moved = repository.rename(repository.with_name("moved"))

    with open_grounds(moved) as grounds, grounds.take(commit) as ground:
        ran = check("git log --oneline | wc -l", ground)
        assert (ground.path / "new").stat().st_ino == kept

    assert ran.output.strip() == "2"


def test_a_tag_that_was_made_meanwhile_is_seen(repository):
    commit = id_of(repository, "HEAD")
    with open_grounds(repository) as grounds, grounds.take(commit):
        pass
    git(repository, "tag", "v3-light")

    with open_grounds(repository) as grounds, grounds.take(commit) as ground:
        assert "v3-light" in check("git tag", ground).output


# What can go wrong


def test_a_commit_that_is_missing_is_not_found_and_costs_no_clone(repository, grounds):
    commit = id_of(repository, "v2")
    with grounds.take(commit) as ground:
        kept = (ground.path / "new").stat().st_ino

    with pytest.raises(NotFoundError, match="no such commit"), grounds.take("0" * 39 + "1"):
        pass

    with grounds.take(commit) as ground:
        assert (ground.path / "new").stat().st_ino == kept
        assert check("git describe", ground).output == "v2\n"


def test_a_name_that_is_no_commit_is_not_found(repository, grounds):
    with pytest.raises(NotFoundError), grounds.take(git(repository, "rev-parse", "HEAD^{tree}")):
        pass


def test_where_nothing_can_be_written_it_says_so(repository):
    (repository / ".git" / "gitmem").write_text("in the way")

    with (
        open_grounds(repository) as grounds,
        pytest.raises(GitmemError, match="cannot create a scratch clone in"),
        grounds.take(id_of(repository, "HEAD")),
    ):
        pass


def damage(clone: Path, how: str) -> None:
    """Leave a scratch clone as a run that was killed at some point would."""
    if how == "while it was made":
        (clone / "state").unlink()
        shutil.rmtree(clone / "git")
    elif how == "while it was checked out":
        (clone / "state").unlink()
        (clone / "git" / "index.lock").touch()
        (clone / "tree" / "new").unlink()
    elif how == "while it was restored":
        (clone / "state").unlink()
        shutil.rmtree(clone / "tree" / ".git")
        (clone / "tree" / "extra").mkdir(mode=0)
    elif how == "while its state was written":
        (clone / "state").write_text("gitmem")
    elif how == "with an overlay":
        (clone / "upper-1" / "u" / "left").mkdir(parents=True)
        (clone / "upper-1" / "w" / "work").mkdir(parents=True, mode=0)


@pytest.mark.parametrize(
    "how",
    [
        "while it was made",
        "while it was checked out",
        "while it was restored",
        "while its state was written",
        "with an overlay",
    ],
)
def test_what_a_killed_run_left_breaks_nothing(repository, grounds, how):
    commit = id_of(repository, "HEAD")
    with open_grounds(repository) as earlier, earlier.take(commit) as ground:
        clone = ground.path.parent
    damage(clone, how)

    with grounds.take(commit) as ground:
        ran = check("git status --porcelain --ignored; cat new; git describe", ground)

    assert ran.output == "new\nv2\n"
    assert os.listdir(repository / ".git" / "gitmem" / "ground") == [clone.name]


def test_a_run_that_is_killed_in_a_check_leaves_nothing_to_the_next(repository, tmp_path):
    script = (
        "import sys, time; sys.path.append(sys.argv[1])\n"
        "from pathlib import Path\n"
        "from gitmem.git import Git\n"
        "from gitmem.git.repository import discover\n"
        "from gitmem.verify.ground.ground import Grounds\n"
        "with Grounds(Git(discover(Path(sys.argv[2])))) as grounds, grounds.take(sys.argv[3]) as ground:\n"
        "    (ground.path / 'new').write_text('changed'); (ground.path / 'more').write_text('x')\n"
        "    print('changed', flush=True); time.sleep(60)"
    )
    argv = [sys.executable, "-c", script, str(ROOT), str(repository), id_of(repository, "HEAD")]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"changed\n"
        other.send_signal(signal.SIGKILL)

    with open_grounds(repository) as grounds, grounds.take(id_of(repository, "HEAD")) as ground:
        assert [ground.path.parent.name] == os.listdir(repository / ".git" / "gitmem" / "ground")
        assert check("cat new; git status --porcelain", ground).output == "new\n"


def test_a_clone_from_before_a_restart_of_the_machine_is_rebuilt(repository, monkeypatch):
    commit = id_of(repository, "HEAD")
    with open_grounds(repository) as grounds, grounds.take(commit) as ground:
        place = ground.path / "new"
    place.write_text("")  # as a power cut leaves a file that was just written

    monkeypatch.setattr(scratch, "_boot", lambda: "another")
    with open_grounds(repository) as grounds, grounds.take(commit) as ground:
        assert (ground.path / "new").read_text() == "new\n"


def test_what_cannot_be_restored_is_rebuilt(repository, monkeypatch):
    commit = id_of(repository, "HEAD")
    with open_grounds(repository) as grounds:
        with monkeypatch.context() as patch, grounds.take(commit) as ground:
            (ground.path / "new").write_text("changed")
            patch.setattr(scratch, "undo", _fail)
        with grounds.take(commit) as ground:
            assert (ground.path / "new").read_text() == "new\n"


def _fail(*_):
    raise OSError(5, "Input/output error")


# Many at once


def test_checks_at_once_do_not_see_each_other(repository, grounds):
    commits = [id_of(repository, "v1"), id_of(repository, "v2")]
    meet = threading.Barrier(4)
    seen = {}

    def work(number):
        with grounds.take(commits[number % 2]) as ground:
            meet.wait(timeout=20)
            check(f"echo {number} > mine; echo {number} > mine.{number}", ground)
            meet.wait(timeout=20)
            seen[number] = check("cat mine; ls mine.*; git describe --tags", ground).output.split()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert seen == {n: [str(n), f"mine.{n}", f"v{n % 2 + 1}"] for n in range(4)}


def test_overlays_of_one_commit_share_one_clone(repository):
    if not overlays(repository):
        pytest.skip("overlays in a user namespace do not work here")
    commit = id_of(repository, "HEAD")

    with (
        open_grounds(repository, overlay=True) as grounds,
        grounds.take(commit) as first,
        grounds.take(commit) as second,
    ):
        assert first.path == second.path
        assert first.upper != second.upper

    assert sorted(os.listdir(first.path.parent)) == ["git", "lock", "state", "tree"]


def test_two_processes_do_not_share_a_clone(repository):
    commit = id_of(repository, "HEAD")
    with (
        open_grounds(repository) as ours,
        open_grounds(repository) as theirs,
        ours.take(commit) as first,
        theirs.take(commit) as second,
    ):
        assert first.path != second.path

    with open_grounds(repository) as next_one, next_one.take(commit) as third:
        assert third.path in (first.path, second.path)


def test_a_clone_is_used_again_for_the_commit_that_it_shows(repository):
    commit, other = id_of(repository, "v1"), id_of(repository, "v2")
    with open_grounds(repository) as grounds:
        with grounds.take(commit) as first, grounds.take(other) as second:
            pass
        with grounds.take(other) as again:
            assert again.path == second.path
        with grounds.take(commit) as again:
            assert again.path == first.path


def test_an_unchanged_ground_is_given_back_without_a_process(repository, monkeypatch):
    commit = id_of(repository, "HEAD")
    with open_grounds(repository) as grounds:
        with grounds.take(commit) as ground:
            (ground.path / "new").write_text("changed")
        monkeypatch.setattr(scratch.process, "run", _fail)
        for _ in range(10):
            with grounds.take(commit):
                pass


# Nothing at all


def test_the_empty_ground_is_empty_and_no_repository_and_gone_afterwards(repository, monkeypatch, tmp_path):
    monkeypatch.chdir(repository)
    for rung in ("bubblewrap", "landlock", "none"):
        if rung != "none" and not works(rung, PATH):
            continue
        with grounds_on(Git(discover(repository)), rung, tmp_path) as grounds:
            with grounds.empty() as folder:
                ran = sandbox.run_check(
                    ["sh", "-c", "ls -A; git rev-parse --git-dir 2>/dev/null; mkdir -p a/b && chmod 0 a"],
                    ground=folder, rung=rung, network=False, timeout_s=10, path=PATH,
                )  # fmt: skip
            assert (ran.status, ran.output) == (0, ""), rung
            assert not folder.exists(), rung


# Builds

MAKEFILE = """
all: build/out
\techo built >> run.sh
build/out: src/a.py
\tmkdir -p build web/node_modules/.cache
\tcp src/a.py build/out
\ttouch web/node_modules/.cache/compiled
"""


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_a_build_works_and_leaves_nothing(repository, grounds):
    (repository / "Makefile").write_text(MAKEFILE)
    git(repository, "add", "Makefile")
    git(repository, "commit", "-qm", "make")
    commit, before = id_of(repository, "HEAD"), listing(repository)
    seen = []
    for _ in range(2):
        with grounds.take(commit) as ground:
            ran = check("make -s && make -sq build/out && cat build/out && git status --porcelain", ground)
        seen.append((ran.status, ran.output))

    assert seen == [(0, "a = 1\n M run.sh\n?? web/\n")] * 2
    assert listing(repository) == before


# linux/posix_acl_xattr.h: version 2, then tag, permissions and id: nobody may do anything.
CLOSED = "02000000" + "".join(f"{tag:02x}000000ffffffff" for tag in (0x01, 0x04, 0x20))
SET_ACL = f"""python3 -I -c 'import os
for place in (".", "src"):
    os.setxattr(place, "system.posix_acl_default", bytes.fromhex("{CLOSED}"))'"""


@pytest.mark.parametrize("rung", ["bubblewrap", "landlock", "none"])
def test_a_default_acl_decides_nothing_for_the_next_check(repository, rung, tmp_path):
    if rung != "none" and not works(rung, PATH):
        pytest.skip(f"{rung} does not work here")
    look = "touch new src/made && stat -c %a new src/made"
    with grounds_on(Git(discover(repository)), rung, tmp_path) as grounds:
        with grounds.take(id_of(repository, "v1")) as ground:
            first = check(SET_ACL, ground, rung=rung)
        with grounds.take(id_of(repository, "v1")) as ground:
            second = check(look, ground, rung=rung)

    assert (first.status == 0) == (rung == "none"), first.output
    assert (second.status, second.output) == (0, "644\n644\n")


def test_names_of_clones_cannot_be_guessed_and_numbered_ones_are_removed(repository):
    place = repository / ".git" / "gitmem" / "ground"
    (place / "1" / "tree").mkdir(parents=True)
    commit = id_of(repository, "HEAD")

    with open_grounds(repository) as grounds, grounds.take(commit) as one, grounds.take(commit) as other:
        names = {one.path.parent.name, other.path.parent.name}

    assert set(os.listdir(place)) == names
    assert {len(name) for name in names} == {32}
    assert len(names) == 2

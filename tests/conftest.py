"""Fixtures shared by all tests: real repositories copied from a per-session template, with nobody's configuration.

Author and dates are fixed, so commit names are constants. Only the clock and the network are ever replaced.
"""

from __future__ import annotations

import gc
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pygit2
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from support.agent_signs import STARTS
from support.postgres import empty_database, hub, hub_template, postgres  # noqa: F401 - fixtures
from support.processes import mark  # noqa: F401 - a fixture
from support.scratch import find_scratch

from gitmem import cli, config
from gitmem.config import ROBOTS
from gitmem.memory import Memory
from gitmem.policy.kinds import KINDS
from gitmem.store import layout
from gitmem.store.proofs import ROOTED, note_proof, read_proofs
from gitmem.store.state.registration import settle_state

# How long an example takes depends on what else the machine does: no test is judged by it. The examples are the same in
# every run, so a change is refused for what it broke. To look for more: pytest --hypothesis-profile explore FILE.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", UNTIMED, max_examples=40, derandomize=True)
settings.register_profile("explore", UNTIMED, max_examples=1000)
settings.load_profile("same")
# Constants of whichever modules are loaded would change them, and collecting them takes each process 6 s (measured).
if hasattr(providers, "_local_constants"):  # of no documented interface: another version is slower, not broken
    providers._get_local_constants = lambda: providers._local_constants
# The gitmem that jobs of a forge are told to install.
PINNED = "git+https://git.example.org/tools/gitmem@" + "1234567890" * 4
NOW = 1_790_000_000  # 2026-09-21T14:13:20Z
NUMBERS = itertools.count()
# What packages leave there: onnxruntime's library, fastembed, torch, and Chromium after a page was closed.
BY_PACKAGES = (".ses", "fastembed_cache", "torchinductor_", "org.chromium.Chromium.")
OWN = {"XDG_STATE_HOME": "state-home", "XDG_DATA_HOME": "data-home"}  # of each test
HOMES: list[str] = []  # the folder of the run, in which every test has its own
LEFT: dict[str, str] = {}  # the first test after which a temporary file was there, by the file's name
# What a clone's file of settings has where none of them has a say in a commit but the name of its author.
PLAIN_SETTINGS = re.compile(
    r"""(?:
    \[core\]\n(?:\t(?:repositoryformatversion\ =\ 0|(?:filemode|logallrefupdates)\ =\ true|bare\ =\ false)\n)*
    |\[user\]\n(?:\t(?:name|email)\ =\ [^\n]+\n)*
    |\[(?:branch|gitmem|maintenance|remote)\b[^\n]*\]\n(?:\t[^\n]*\n)*
    )*""",
    re.VERBOSE,
)
PERSONAL = (".gitconfig", ".config/git")  # in the home folder
PLAIN_FOLDERS = {kind.folder for kind in KINDS.values()}
# The root commit of every store, as git-fast-import(1) reads it.
ROOT = (
    f"commit REF\nmark :1\ncommitter {layout.ROOT_NAME} <{layout.ROOT_EMAIL}> {layout.ROOT_TIME} +0000\n"
    f"data {len(layout.ROOT_MESSAGE)}\n{layout.ROOT_MESSAGE}\n"
)
# What libgit2 does instead of a process of git: writing a blob, reading a commit, or a file of one by a ref or hash.
PLAIN = ("hash-object", "rev-parse", "show")
PLAIN_READ = re.compile(r"rev-parse \w[\w./-]*([~^]\d*)*(\^\{tree\})?|show \w[\w./-]*([~^]\d*)*:\w[\w./-]*")
# Fixtures that start a server or a browser.
SYSTEMS = {"postgres", "chromium"}
CODE = {
    "src/auth/jwt.py": 'ALGORITHM = "RS256"\n\n\ndef sign(claims):\n    return claims\n',
    "src/gateway/retry.py": "RETRIES = 3\n",
    "README.md": "# A service\n",
    "pyproject.toml": '[project]\nname = "service"\n',
}


@pytest.hookimpl(wrapper=True)
def pytest_collection():  # type: ignore[no-untyped-def]
    """Collect without the garbage collector, which would walk 13,000 tests over and over: 4 s, not 18 (measured)."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        # What tests allocate is short-lived: walked at the default thresholds, it takes 6 % of their CPU (measured).
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of servers and browsers, which `make test` leaves to `make test-systems`."""
    for item in items:
        if SYSTEMS.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("whole_system")


@pytest.fixture(scope="session", autouse=True)
def _clean_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Take the machine's settings out of every test: HOME, XDG folders, git's and gitmem's variables.

    Temporary files go to a folder of the run's own, which must be empty at the end.
    """
    home = tmp_path_factory.mktemp("home")
    HOMES.append(str(home.parent))
    # Not below pytest's, which the user that runs the checks of root cannot come to.
    temporary = tempfile.mkdtemp(prefix="gitmem-tests-", dir=find_scratch())
    os.chmod(temporary, 0o1777)
    tempfile.tempdir = temporary
    ours = ("GIT_", "GITMEM_", "MEMORY_", "XDG_", *STARTS)
    for name in [n for n in os.environ if n.startswith(ours) or n in ROBOTS]:
        del os.environ[name]
    os.environ.pop("COLUMNS", None)  # terminals of tests have the width that they are made with
    # A run that was started in the background ignores Ctrl-C, and so would every program that the tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # A job in the background gives way, but this process runs the other tests, too.
    os.nice = lambda _: 0
    # An agent may run the tests.
    os.environ.update(GITMEM_PARENTS="off")
    # Most tests are about something else than the view, which `init` makes.
    os.environ.update(GITMEM_VIEW="false")
    # What a check reads is looked at where that is what is tested: elsewhere a check depends on the whole tree.
    os.environ.update(GITMEM_TRACE="off")
    # A failure is asked again at once: waiting is tested where it is the point.
    os.environ.update(GITMEM_CONFIRM_PAUSE="0")
    # A check that holds runs once, not eleven times: the further runs are tested where they are the point.
    os.environ.update(GITMEM_TRIAL_LIMIT="0")
    # Eight writers on a busy machine wait longer for their turn than a person would.
    os.environ.update(GITMEM_LOCK_TIMEOUT="300")
    os.environ.update(
        HOME=str(home),
        GIT_CONFIG_NOSYSTEM="1",
        NO_COLOR="1",
        GITMEM_BACKGROUND="off",
        XDG_STATE_HOME=str(home / "state"),
        TMPDIR=temporary,
        TZ="UTC",
    )
    yield
    left = [f"{name}, since {test}" for name, test in sorted(LEFT.items()) if os.path.lexists(f"{temporary}/{name}")]
    shutil.rmtree(temporary)
    assert left == [], "left in the folder for temporary files"


@pytest.fixture(scope="session", autouse=True)
def _without_packaged_model() -> Iterator[None]:
    """Hide an embedding model that is installed beside the tests: questions would use it.

    Tests of it install one in another folder.
    """
    find, places = config.packaged_model, frozenset(sys.path)

    def find_elsewhere() -> str:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "path", [place for place in sys.path if place not in places])
            return find()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config, "packaged_model", find_elsewhere)
        yield


@pytest.fixture(autouse=True)
def _own_state(request: pytest.FixtureRequest) -> Iterator[None]:
    """Give every test approvals of its own, and a universal store; note what is left of it among temporary files.

    It sets the variables itself: ``monkeypatch`` would add a fifth to a test that does nothing else (measured).
    """
    home = f"{HOMES[0]}/own-{next(NUMBERS)}"  # most tests write nothing: it is not made
    if "tmp_path" in request.fixturenames:
        home = request.getfixturevalue("tmp_path")
    before = {name: os.environ.get(name) for name in OWN}
    os.environ.update({name: f"{home}/{folder}" for name, folder in OWN.items()})
    yield
    for name, value in before.items():
        os.environ.pop(name, None)
        os.environ.update({} if value is None else {name: value})
    temporary = tempfile.gettempdir()
    for name in [name for name in os.listdir(temporary) if not name.startswith(BY_PACKAGES)]:
        LEFT.setdefault(name, request.node.nodeid)


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return an empty folder of the test's own; pytest's lists all folders of the run to find the next free name."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    folder = tmp_path_factory.getbasetemp() / f"{name}{next(NUMBERS)}"
    folder.mkdir(mode=0o700)
    yield folder
    if os.geteuid() != 0 and folder.exists():
        _open_folders(folder)


def _open_folders(top: Path) -> None:
    """Let an ordinary user delete the folders to which a test took away the right."""
    top.chmod(0o700)
    for folder, names, _ in os.walk(top):
        for name in names:
            place = f"{folder}/{name}"
            if not os.path.islink(place) and os.lstat(place).st_mode & 0o700 != 0o700:
                os.chmod(place, 0o700)


def git(folder: Path, *args: str, input: str | bytes | None = None, check: bool = True, after_s: int = 0) -> str:
    """Run git in a folder as a fixed author, some seconds after a fixed time, and return what it printed."""
    data = input.encode() if isinstance(input, str) else input
    if args[0] in PLAIN and (known := _answer_here(folder, args, data)) is not None:
        return known
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    stamp = f"{NOW + after_s} +0000"
    env.update(
        GIT_CONFIG_NOSYSTEM="1", GIT_AUTHOR_DATE=stamp, GIT_COMMITTER_DATE=stamp, LC_ALL="C", GIT_TERMINAL_PROMPT="0"
    )
    done = subprocess.run(["git", *args], cwd=folder, env=env, input=data, capture_output=True, check=False)
    if check and done.returncode != 0:
        raise AssertionError(f"git {' '.join(args)}: {done.stderr.decode('utf-8', 'replace')}")
    return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")


def _answer_here(folder: Path, args: tuple[str, ...], data: bytes | None) -> str | None:
    """Return what reading a commit or a file of one, or writing an object prints; None where only git can tell."""
    try:
        opened = pygit2.Repository(str(folder))
        if args == ("hash-object", "-w", "--stdin") and data is not None:
            known = str(opened.create_blob(data))
        elif data is None and PLAIN_READ.fullmatch(" ".join(args)):
            found = opened.revparse_single(args[1])
            known = found.data.decode("utf-8", "surrogateescape").rstrip("\n") if args[0] == "show" else str(found.id)
        else:
            return None
        opened.free()
    except (AttributeError, KeyError, ValueError, pygit2.GitError):
        return None
    return known


def commit_files(folder: Path, files: dict[str, str], message: str = "change") -> str:
    """Write files, commit them all and return the commit."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return commit_all(folder, message)


def commit_all(folder: Path, message: str = "change", *, after_s: int = 0) -> str:
    """Commit all files as they are now, changed or not, some seconds after the fixed time, and return the commit."""
    if commit := _commit_here(folder, message, NOW + after_s):
        return commit
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message, after_s=after_s)
    return tip(folder, "HEAD")


def _commit_here(folder: Path, message: str, time: int) -> str:
    """Commit all files without a process of git; empty where hooks, settings or attributes have a say in it."""
    if not _is_plain(folder) or not re.fullmatch(r"\S(.*\S)?", message):
        return ""
    try:
        opened = pygit2.Repository(str(folder))
        opened.index.add_all()
        entries = list(opened.index)
        tree = opened.index.write_tree()
        old = opened.head.target
        has_attributes = any(entry.path.endswith(".gitattributes") for entry in entries)
        names = {entry.path for entry in entries}
        if (folder / ".gitignore").exists() and ".gitignore" not in names:
            return ""  # libgit2 takes the pattern `//` for everything
        if opened.state() or has_attributes or any(entry.mode == pygit2.enums.FileMode.COMMIT for entry in entries):
            return ""
        opened.index.write()
        author = pygit2.Signature(opened.default_signature.name, opened.default_signature.email, time, 0)
        commit = opened.create_commit("HEAD", author, author, f"{message}\n", tree, [old])
        opened.free()
    except (KeyError, ValueError, pygit2.GitError):
        return ""
    return str(commit)


def _is_plain(folder: Path) -> bool:
    """Return whether no setting and no hook has a say in a commit."""
    settings_file, hooks = folder / ".git" / "config", folder / ".git" / "hooks"
    if not settings_file.is_file() or not PLAIN_SETTINGS.fullmatch(settings_file.read_text()):
        return False
    homes = [os.environ.get("HOME", ""), os.environ.get("XDG_CONFIG_HOME", "")]
    is_personal = any(os.path.exists(f"{home}/{name}") for home in homes for name in (*PERSONAL, "git"))
    return not is_personal and not any(name for name in os.listdir(hooks) if not name.endswith(".sample"))


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with some code and no memory; never change it, copy it."""
    folder = tmp_path_factory.mktemp("template") / "service"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main", ".")
    for sample in (folder / ".git" / "hooks").glob("*.sample"):
        sample.unlink()  # a third of what copying the repository costs, for each of two thousand tests
    git(folder, "config", "user.name", "Ana")
    git(folder, "config", "user.email", "ana@example.org")
    git(folder, "config", "maintenance.auto", "false")  # a process less for each commit of a test
    commit_files(folder, CODE, "the service")
    return folder


@pytest.fixture(scope="session")
def template_files(template: Path) -> dict[str, bytes | None]:
    """Return the content of the template by path; None for a folder, which comes before what is in it."""
    return {str(p.relative_to(template)): None if p.is_dir() else p.read_bytes() for p in sorted(template.rglob("*"))}


@pytest.fixture
def repo(template_files: dict[str, bytes | None], tmp_path: Path) -> Path:
    """Return a fresh repository with some code and no memory."""
    folder = tmp_path / "service"
    folder.mkdir()
    # Half of what shutil.copytree costs, which copies times and attributes as well.
    for name, content in template_files.items():
        path = f"{folder}/{name}"
        if content is None:
            os.mkdir(path)
        else:
            with open(path, "wb") as file:
                file.write(content)
    return folder


@pytest.fixture(scope="session")
def first_commit(template: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of the .git folder that starting a memory in the template adds, by path."""
    folder = Path(shutil.copytree(template, tmp_path_factory.mktemp("started") / "service", symlinks=True))
    with Memory(folder, clock=lambda: float(NOW)) as opened:
        opened.init(offline=True)
        opened.repository.catalog()  # making it is a third of the CPU of a test that writes one memory
    parts = ("objects", "refs", "logs/refs", "gitmem/proofs", "gitmem/home", "gitmem/catalog.sqlite")
    added = [path for part in parts for path in [folder / ".git" / part, *(folder / ".git" / part).rglob("*")]]
    names = [path.relative_to(folder) for path in added if path.is_file()]
    return {str(name): (folder / name).read_bytes() for name in names if not (template / name).exists()}


@pytest.fixture
def memory(repo: Path, template: Path, first_commit: dict[str, bytes]):  # type: ignore[no-untyped-def]
    """Return the memory of a fresh repository, at a fixed time, its branch started."""
    # Its first commit is always the same one, and `init` would make it again: it is copied.
    is_plain = (repo / ".git/config").read_bytes() == (template / ".git/config").read_bytes()
    if is_plain:
        settle_state(str(repo / ".git" / "gitmem"))  # the proofs of an unknown clone would be removed
    for name, content in first_commit.items() if is_plain else ():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        if not (repo / name).exists():  # a test may have made the same object, which only root can write again
            (repo / name).write_bytes(content)
    with Memory(repo, clock=lambda: float(NOW)) as opened:
        if is_plain:
            opened.repository.accept()
        else:
            opened.init(offline=True)
        yield opened


class Ran:
    """What a command did: exit status, standard output and error."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    def __repr__(self) -> str:
        return f"exit {self.status}\n--- out\n{self.out}\n--- err\n{self.err}"


@pytest.fixture
def run_cli(repo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Return a function that runs a command of gitmem in the repository, in this process."""

    def run(*argv: str, cwd: Path | None = None) -> Ran:
        monkeypatch.chdir(cwd or repo)
        monkeypatch.setattr("gitmem.git.repository._named", "")  # -C is said once in a process
        capsys.readouterr()
        status = cli.main(list(argv))
        done = capsys.readouterr()
        return Ran(status, done.out, done.err)

    return run


def tip(folder: Path, ref: str = "refs/heads/memory") -> str:
    """Return the memory branch's tip, or another ref's commit."""
    return _commit_of(folder, ref) or git(folder, "rev-parse", ref)


def _commit_of(folder: Path, ref: str) -> str | None:
    """Return a ref's commit without a process of git; None where only git can read it."""
    try:
        opened = pygit2.Repository(str(folder))
        found = opened.references[ref].resolve().target
        opened.free()
    except (KeyError, ValueError, pygit2.GitError):
        return None
    return str(found)


def put_files(folder: Path, files: dict[str, bytes | str], *, ref: str = "refs/heads/memory") -> str:
    """Write files straight onto the memory branch, as somebody who pushed them would, and return the commit.

    A branch that is not there yet begins as every store does.
    """
    contents = {path: content.encode() if isinstance(content, str) else content for path, content in files.items()}
    parent = _commit_of(folder, ref) or git(folder, "rev-parse", "--verify", "-q", ref, check=False)
    commit = _put_here(folder, contents, parent, ref) or _import_files(folder, contents, parent, ref)
    _prove(folder, contents, parent, commit)
    return commit


def _put_here(folder: Path, contents: dict[str, bytes], parent: str, ref: str) -> str:
    """Write files onto a branch without a process of git; empty where only git can do it."""
    if any(path.startswith(('"', "/")) or "//" in path for path in contents):
        return ""
    mallory = pygit2.Signature("Mallory", "m@example.org", NOW, 0)
    try:
        opened = pygit2.Repository(str(folder))
        tree = opened[parent].peel(pygit2.Tree) if parent else None
        written = _with_files(opened, tree, {path: opened.create_blob(data) for path, data in contents.items()})
        old = parent or _root_here(opened)
        commit = opened.create_commit(None, mallory, mallory, "pushed", written, [old])
        opened.create_reference_direct(ref, commit, True, "fast-import")
        opened.free()
    except (KeyError, ValueError, pygit2.GitError):
        return ""
    return str(commit)


def _root_here(opened: pygit2.Repository) -> pygit2.Oid:
    gitmem = pygit2.Signature(layout.ROOT_NAME, layout.ROOT_EMAIL, layout.ROOT_TIME, 0)
    empty = opened.TreeBuilder().write()
    return opened.create_commit(None, gitmem, gitmem, layout.ROOT_MESSAGE, empty, [])


def _with_files(opened: pygit2.Repository, tree: pygit2.Tree | None, blobs: dict[str, pygit2.Oid]) -> pygit2.Oid:
    """Write a tree with more files in it, and return it."""
    builder = opened.TreeBuilder(tree) if tree is not None else opened.TreeBuilder()
    folders: dict[str, dict[str, pygit2.Oid]] = {}
    for path, blob in blobs.items():
        first, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(first, {})[rest] = blob
        else:
            builder.insert(first, blob, pygit2.enums.FileMode.BLOB)
    for name, inside in folders.items():
        old = tree[name] if tree is not None and name in tree else None
        written = _with_files(opened, old if isinstance(old, pygit2.Tree) else None, inside)
        builder.insert(name, written, pygit2.enums.FileMode.TREE)
    return builder.write()


def _import_files(folder: Path, contents: dict[str, bytes], parent: str, ref: str) -> str:
    stream = [] if parent else [ROOT.replace("REF", ref).encode()]
    stream.append(f"commit {ref}\ncommitter Mallory <m@example.org> {NOW} +0000\ndata 6\npushed\n".encode())
    stream.append(f"from {parent or ':1'}\n".encode())
    for path, data in contents.items():
        stream.append(f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n")
    git(folder, "fast-import", "--quiet", "--date-format=raw", input=b"".join(stream) + b"\n")
    return tip(folder, ref)


def _prove(folder: Path, contents: dict[str, bytes], parent: str, commit: str) -> None:
    """Note that a commit is one of a store where that is plain: its parent is one, and memories were added to it.

    The first reader would find it out with four processes of git. What is not plain is left to it.
    """
    state = str(folder / ".git" / "gitmem")
    folders = {path.partition("/")[0] for path in contents if path.count("/") == 1}
    are_memories = len(folders) and all(path.count("/") == 1 and path.endswith(".md") for path in contents)
    if are_memories and folders <= PLAIN_FOLDERS and read_proofs(state).get(parent) == ROOTED:
        note_proof(state, commit, ROOTED)


def memory_text(title: str = "A title", *, body: str = "", **fields: object) -> str:
    """Return a memory file's text; fields are written as they stand."""
    lines = "".join(f"{name}: {value}\n" for name, value in {"kind": "learned", **fields}.items())
    return f"---\ntitle: {title}\n{lines}---\n{body}"

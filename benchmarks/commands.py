"""The timed commands by name, each with the store it runs in and its untimed preparation."""

from __future__ import annotations

import fcntl
import shutil
import tarfile
import time
from collections.abc import Callable
from io import BytesIO
from random import Random

from benchmarks import agents, bulk, codebase, jobs, past
from benchmarks.exchange import Exchange
from benchmarks.measure import BenchmarkError, Command
from benchmarks.questions import QUESTIONS
from benchmarks.stores import Stores, gitmem, object_bytes
from benchmarks.texts import Writer


def command(name: str, stores: Stores) -> Command:
    """Return the command of this name, making the store it runs in."""
    verb, _, size = name.rpartition("-")
    makers: dict[str, Callable[[Stores, str, str], Command]] = {
        "recall": _recall,
        "listed": _listed,
        "listed20": _listed,
        "syntax": _syntax,
        "rg": _rg,
        "git-grep": _git_grep,
        "remember": _remember,
        "catalog": _catalog,
        "cat-file": _cat_file,
        "verify": _verify,
        "check": _check,
        "hook-check": _hook_check,
        "review": _review,
        "task": _task_ready,
        "checkout": _checkout,
        "sync": _sync,
        "view": _view,
        **{f"hook-{what}": agents.hook_command for what in agents.KINDS},
        "at": past.at_command,
        "import": bulk.import_command,
        "two": jobs.jobs_command,
        "writers": bulk.writers_command,
    }
    return makers[verb](stores, name, size)


def _question(number: int) -> str:
    return QUESTIONS[number % len(QUESTIONS)]


def _recall(stores: Stores, name: str, size: str) -> Command:
    path = stores.path(size)
    return Command(name, lambda n: [gitmem(), "recall", _question(n)], path, says_something=True)


def _listed(stores: Stores, name: str, size: str) -> Command:
    """Return ``recall`` in a copy of a store that lists two or 20 other copies."""
    many = [f"-{n}" for n in range(20)] if name.startswith("listed20") else ["-a", "-b"]
    copies = [stores.folder / f"{size}-listed{len(many)}{which}" for which in ("", *many)]
    for copy in copies:
        if not copy.exists():
            shutil.copytree(stores.path(size), copy, symlinks=True)
    if not (copies[0] / "listed").exists():
        for other in copies[1:]:
            stores.run([gitmem(), "stores", "add", str(other)], copies[0])
        (copies[0] / "listed").touch()
    return Command(name, lambda n: [gitmem(), "recall", _question(n)], copies[0], says_something=True)


def _syntax(stores: Stores, name: str, size: str) -> Command:
    """Return ``recall --syntax`` of one question's longest word, misspelt; its index is made beforehand."""
    path = stores.path(size)
    stores.run([gitmem(), "index", "--engine", "whoosh"], path)

    def argv(number: int) -> list[str]:
        word = max(_question(number).split(), key=len)
        return [gitmem(), "recall", "--syntax", f"kind:gotcha created:[2000 to] {word[:-1]}~"]

    return Command(name, argv, path, ok=(0, 1))


def _rg(stores: Stores, name: str, size: str) -> Command:
    path = stores.checkout(size)
    return Command(name, lambda n: ["rg", "-il", _question(n).replace(" ", "|"), "."], path, says_something=True)


def _git_grep(stores: Stores, name: str, size: str) -> Command:
    def argv(number: int) -> list[str]:
        words = [part for word in _question(number).split() for part in ("-e", word)]
        return ["git", "grep", "-il", *words, "memory"]

    return Command(name, argv, stores.path(size), says_something=True)


def _remember(stores: Stores, name: str, size: str) -> Command:
    """Return ``remember`` of another text each time, also where the store is used again."""
    began = time.time_ns()

    def argv(number: int) -> list[str]:
        writer = Writer(Random(f"{began}/{number}"), [codebase.code_path(number)[0]])
        writer.begin()
        title, body = writer.title("gotcha"), writer.body("gotcha")
        return [gitmem(), "remember", body, "--title", title, "--kind", "gotcha", "--tag", writer.area]

    return Command(name, argv, stores.path(size), says_something=True)


def _task_ready(stores: Stores, name: str, size: str) -> Command:
    return Command(name, lambda _: [gitmem(), "task", "ready"], stores.path("tasks"), says_something=True)


def _catalog(stores: Stores, name: str, size: str) -> Command:
    path = stores.path(size)

    def forget(_: int) -> None:
        shutil.rmtree(path / ".git" / "gitmem", ignore_errors=True)

    return Command(name, lambda _: [gitmem(), "index"], path, before=forget)


def _cat_file(stores: Stores, name: str, size: str) -> Command:
    blobs = stores.blobs(size)
    argv = ["git", "cat-file", "--batch"]
    return Command(name, lambda _: argv, stores.path(size), stdin=blobs, says_something=True)


def _check(stores: Stores, name: str, size: str) -> Command:
    """Return ``check`` of a branch that changes three files, its base verified; some facts become false: exit 1."""
    path = stores.path(f"facts-{size}")
    if not stores.run(["git", "branch", "--list", "change"], path):
        stores.run([gitmem(), "verify"], path, ok=(0, 1))
        listed = stores.run(["git", "ls-files", "-z"], path).decode().split("\0")
        changed = [file for file in listed if file.endswith(".py")][:3]
        stores.run(["git", "checkout", "-q", "-b", "change"], path)
        for file in changed:
            (path / file).write_text("CHANGED = True\n", encoding="utf-8")
        stores.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-a", "-m", "change"], path)
    return Command(name, lambda _: [gitmem(), "check"], path, ok=(0, 1), says_something=True)


def _hook_check(stores: Stores, name: str, size: str) -> Command:
    """Return the hook of a commit that touches no fact's inputs, in a copy of the store whose index has such a file."""
    path = stores.path(f"facts-{size}").with_name(f"staged-facts-{size}")
    if not path.exists():
        shutil.copytree(stores.path(f"facts-{size}"), path, symlinks=True)
        stores.run([gitmem(), "index"], path)
        for file in ("notes.txt", "more-notes.txt", "scripts.txt"):
            (path / file).write_text("nothing that a fact reads\n", encoding="utf-8")
            stores.run(["git", "add", file], path)
    if b"3 staged files touch 0 of " not in stores.run([gitmem(), "check", "--staged"], path):
        raise BenchmarkError("a fact reads what is staged")
    return Command(name, lambda _: [gitmem(), "hook", "check"], path)


def _review(stores: Stores, name: str, size: str) -> Command:
    """Return ``review`` of a change of every memory, a sentence more in each; it exits with 0 or 1."""
    path = stores.path(size)
    if not stores.run(["git", "branch", "--list", "proposal"], path):
        stream = b"commit refs/heads/proposal\ncommitter A <a@b> 1790000000 +0000\ndata 0\nfrom refs/heads/memory\n"
        with tarfile.open(fileobj=BytesIO(stores.run(["git", "archive", "memory"], path))) as files:
            for member in files:
                if member.name.endswith(".md") and "/" in member.name:
                    opened = files.extractfile(member)
                    text = (opened.read() if opened else b"") + b"\nIt was looked at again in the last review of it.\n"
                    stream += f"M 100644 inline {member.name}\ndata {len(text)}\n".encode() + text + b"\n"
        (path / ".git" / "proposal").write_bytes(stream)
        stores.run(["sh", "-c", "git fast-import --quiet < .git/proposal"], path)
    return Command(name, lambda _: [gitmem(), "review", "memory..proposal"], path, ok=(0, 1), says_something=True)


def _verify(stores: Stores, name: str, what: str) -> Command:
    """Return ``verify`` over all facts as if for the first time, or when nothing is due. A few facts fail: exit 1."""
    path = stores.path("facts")
    if what == "idle":
        stores.run([gitmem(), "verify"], path, ok=(0, 1))
        return Command(name, lambda _: [gitmem(), "verify"], path, ok=(0, 1))
    tip = stores.first_tip("facts")

    def unprove(_: int) -> None:
        stores.run(["git", "update-ref", "refs/heads/memory", tip], path)
        shutil.rmtree(path / ".git" / "gitmem", ignore_errors=True)
        stores.run([gitmem(), "index"], path)

    def one_commit(_: int) -> None:
        count = int(stores.run(["git", "rev-list", "--count", f"{tip}..memory"], path))
        if count != 1:
            raise BenchmarkError(f"verify --all made {count} commits on the memory branch, not 1")

    return Command(name, lambda _: [gitmem(), "verify", "--all"], path, ok=(0, 1), before=unprove, after=one_commit)


def _checkout(stores: Stores, name: str, what: str) -> Command:
    """Return a checkout with gitmem's hooks or without; what they leave behind git is waited for outside the clock."""
    path = stores.path("1k")

    def prepare(_: int) -> None:
        stores.run([gitmem(), "install" if what == "hooks" else "uninstall", "git-hooks"], path)

    def settle(_: int) -> None:
        folder = path / ".git" / "gitmem" / "background"
        while (folder / "checkout.asked").exists():
            time.sleep(0.01)
        with (folder / "checkout.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)

    argv = ["git", "checkout", "-q", "--detach", "HEAD"]
    after = settle if what == "hooks" else None
    return Command(name, lambda _: argv, path, before=prepare, after=after)


def _sync(stores: Stores, name: str, size: str) -> Command:
    sides = Exchange(stores, size)

    def reset(_: int) -> None:
        sides.reset()

    return Command(name, lambda _: [gitmem(), "sync"], sides.path, before=reset, says_something=True)


def _view(stores: Stores, name: str, size: str) -> Command:
    """Return the process that brings the view along, in a copy of the store: the others have none."""
    path = stores.path(size).with_name(f"view-of-{size}")
    if not path.exists():
        shutil.copytree(stores.path(size), path, symlinks=True)
    stores.run([gitmem(), "view", "shown"], path)
    began = time.time_ns()

    def write(number: int) -> None:
        text = f"What was learnt in round {number} of {began}"
        stores.run(["env", "GITMEM_BACKGROUND=off", gitmem(), "remember", text], path)

    def is_shown(_: int) -> None:
        heads = [stores.run(["git", "-C", str(path / where), "rev-parse", rev], path) for where, rev in
                 (("shown", "HEAD"), (".", "memory"))]  # fmt: skip
        if heads[0] != heads[1] or stores.run(["git", "-C", str(path / "shown"), "status", "--porcelain"], path):
            raise BenchmarkError("the view was not brought along")

    return Command(name, lambda _: [gitmem(), "background", "view"], path, before=write, after=is_shown)


def bytes_added(stores: Stores, *, times: int = 3) -> float:
    """Return the most that one ``remember`` at 100,000 memories added under ``.git/objects``, in KiB."""
    remember = command("remember-100k", stores)
    most = 0
    for number in range(times):
        before = object_bytes(remember.cwd)
        stores.run(list(remember.argv(100_000 + number)), remember.cwd)
        most = max(most, object_bytes(remember.cwd) - before)
    return most / 1024

"""A repository with a remote, a view, a spool and work of every kind waiting; and what must hold of it afterwards.

It is made once and put back before each trial, at the same path: linked work trees name their repository by its path.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from dataclasses import dataclass
from pathlib import Path

from gitmem.verify.sandbox.landlock import die_with_parent

GITMEM = Path(sysconfig.get_path("scripts")) / "gitmem"
TIMEOUT_S = 300.0
BUG = 70
# Writes memories until it is killed, and notes each printed key.
WRITER = 'n=0; while :; do n=$((n + 1)); "$0" remember "Written $n while others work" --key "w-$n" >> "$1"; done'
# A half-written file, a lock of git, or what a killed git leaves among the objects.
LITTER = re.compile(r"(^|/)tmp_(obj|pack|idx|rev)_|\.lock$|fast_import_crash_|/incoming-")
# The locks that gitmem keeps: files that are there for good.
LASTING = re.compile(r"^gitmem/.*lock$")
HOOK = {
    "session_id": "s1",
    "hook_event_name": "PostToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": 'bd comment t-1 "LEARNED: the captured pool holds five connections"'},
    "tool_response": {"stdout": "", "stderr": "", "interrupted": False},
}
CAPTURED = "the-captured-pool-holds-five-connections"
IMPORTED = "".join(
    json.dumps({"key": f"imported-{n}", "kind": "learned", "title": f"Imported {n}", "body": f"Pool {n} " * 9}) + "\n"
    for n in range(60)
)


@dataclass(frozen=True)
class Ended:
    """How a command ended.

    Attributes:
        status: Its exit status; negative for a signal.
        out: What it printed.
        err: The same on standard error.
        cpu_s: The CPU time of it and its children.
    """

    status: int
    out: str
    err: str
    cpu_s: float = 0.0

    @property
    def is_bug(self) -> bool:
        """Return whether it ended as no command may."""
        return self.status == BUG or "Traceback" in self.err


@dataclass(frozen=True)
class Work:
    """One kind of work.

    Attributes:
        name: Its name.
        argv: The command.
        keys: The memories that it promises if it exits with 0.
        stdin: What it reads.
        before: Commands that prepare it, in the copy of the repository.
        changes: The paths of the user's that it is for, as prefixes of ``Place.theirs``.
    """

    name: str
    argv: tuple[str, ...]
    keys: tuple[str, ...] = ()
    stdin: str = ""
    before: tuple[tuple[str, ...], ...] = ()
    changes: tuple[str, ...] = ()


WORKS = (
    Work("remember", ("remember", "A torture text about pools", "--key", "tortured"), ("tortured",)),
    Work("import", ("import", "../rows.jsonl"), tuple(f"imported-{n}" for n in range(60))),
    Work("verify", ("verify", "--all", "--record")),
    Work("sync", ("sync",), ("from-other",)),
    Work("capture", ("hook", "claude-code"), stdin=json.dumps(HOOK)),
    Work("drain", ("background", "spool"), ("retries-hammer-the-gateway-at-noon",)),
    Work("rotation", ("remember", "One more than fits", "--kind", "learned", "--key", "newest"), ("newest",)),
    Work("save", ("save", "-m", "edited by hand"), ("by-hand",)),
    Work("view", ("view",)),
    Work("board", ("board", "post", "audit", "The pool never returns a connection", "--must-surface")),
    Work("board-close", ("board", "close", "audit", "--force", "--why", "done")),
    Work("adopt", ("adopt", "--apply")),
    Work("pull", ("pull",), before=(("sources", "add", "docs", "--path", "docs", "--name", "pages"),)),
    Work("undo", ("undo",)),
    Work("recall", ("recall", "retries gateway noon")),
    Work("show", ("show", "first")),
    Work("doctor", ("doctor",)),
    Work(
        "uninstall",
        ("uninstall", "--all", "--yes"),
        before=(("save",),),
        changes=("top/", "refs", "common/hooks", "common/config", "common/info"),
    ),
)


PLAIN = Work("plain", ("list",))


class Place:
    """The repository and all around it, below one folder.

    Attributes:
        top: The folder: ``home``, ``hub.git``, ``other`` and ``work``.
        work: The repository.
        env: The environment of its commands.
    """

    def __init__(self, top: Path) -> None:
        self.top = top / "live"
        self.kept = top / "kept"
        self.work = self.top / "work"
        ours = ("GIT_", "GITMEM_", "MEMORY_", "XDG_", "CLAUDE", "LD_", "PYTHONDONT")
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        self.env |= {
            "HOME": str(self.top / "home"),
            "XDG_STATE_HOME": str(self.top / "home/state"),
            "XDG_DATA_HOME": str(self.top / "home/data"),
            "TMPDIR": str(self.top / "temporary"),
            "PATH": f"{GITMEM.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GITMEM_PARENTS": "off",
            "GITMEM_BACKGROUND": "off",
            "GITMEM_CONFIRM_PAUSE": "0",
            "GITMEM_LOCK_TIMEOUT": "60",
            "NO_COLOR": "1",
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
        }

    def make_plain(self) -> None:
        """Make the repository, its remote, and a first memory."""
        for name in ("home", "temporary"):
            (self.top / name).mkdir(parents=True)
        (self.top / "home/.gitconfig").write_text("[user]\n\tname = Ana\n\temail = ana@example.org\n")
        (self.top / "rows.jsonl").write_text(IMPORTED)
        self.git(self.top, "init", "-q", "--bare", "-b", "main", "hub.git")
        self.git(self.top, "init", "-q", "-b", "main", "work")
        for path, text in {
            "src/retry.py": "RETRIES = 3\n",
            "AGENTS.md": "# Rules\n\n- `src/retry.py` has `RETRIES`.\n- Tests run with `make test`.\n",
            "Makefile": "test:\n\ttrue\n",
            "docs/pool.md": "# Pool\n\nThe pool holds five connections.\n",
        }.items():
            (self.work / path).parent.mkdir(parents=True, exist_ok=True)
            (self.work / path).write_text(text)
        self.git(self.work, "add", ".")
        self.git(self.work, "commit", "-qm", "begin")
        self.git(self.work, "remote", "add", "origin", "../hub.git")
        self.git(self.work, "push", "-q", "origin", "main")
        self.ok("init")
        self.ok("remember", "The first of them", "--key", "first")

    def make(self) -> None:
        """Make it, and keep a copy to put back."""
        self.make_plain()
        for name in ("one", "two"):
            self.ok("fact", f"Retries {name}", "--contains", "RETRIES", "--in", "src/**", "--key", f"retries-{name}")
        self.ok("sync")
        self.git(self.top, "clone", "-q", "hub.git", "other")
        self.ok("init", cwd=self.top / "other")
        self.ok("remember", "The other clone says so", "--key", "from-other", cwd=self.top / "other")
        self.ok("sync", cwd=self.top / "other")
        self.ok("board", "open", "audit", "--goal", "find it")
        self.ok("board", "post", "audit", "Timeouts come in pairs", "--must-surface")
        self.ok("view")
        policy = self.work / ".memory/gitmem.toml"
        policy.write_text(policy.read_text() + "\n[rotation]\nlimit = 2\nmove = 1\n")
        self.ok("save")
        (self.work / ".memory/learned/by-hand.md").write_text("---\ntitle: By hand\nkind: learned\n---\nText.\n")
        self.ok("remember", "Newer than the view", "--key", "newer", "--kind", "gotcha")
        said = 'bd comment t-2 "LEARNED: retries hammer the gateway at noon"'
        self.ok("hook", "claude-code", stdin=json.dumps({**HOOK, "tool_input": {"command": said}}))
        shutil.copytree(self.top, self.kept, symlinks=True)

    def reset(self) -> None:
        """Put everything back as it was made."""
        shutil.rmtree(self.top, ignore_errors=True)
        shutil.copytree(self.kept, self.top, symlinks=True)

    def run(self, *argv: str, cwd: Path | None = None, stdin: str = "", **env: str) -> Ended:
        """Run one command of gitmem, in a process group of its own."""
        return self.wait(self.start(*argv, cwd=cwd, **env), stdin)

    def start(self, *argv: str, cwd: Path | None = None, **env: str) -> subprocess.Popen[str]:
        """Start one command of gitmem, in a process group of its own."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [str(GITMEM), *argv], cwd=cwd or self.work, env={**self.env, **env}, start_new_session=True, text=True,
            stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=die_with_parent,  # noqa: PLW1509 - there are no threads
        )  # fmt: skip

    def start_writer(self, told: Path) -> subprocess.Popen[bytes]:
        """Start a writer in a process group of its own; it ends with this process, however that ends."""
        nowhere = subprocess.DEVNULL
        return subprocess.Popen(
            ["bash", "-c", WRITER, str(GITMEM), str(told)], cwd=self.work, env=self.env, start_new_session=True,
            stdin=nowhere, stdout=nowhere, stderr=nowhere, preexec_fn=die_with_parent,  # noqa: PLW1509 - as above
        )  # fmt: skip

    def wait(self, child: subprocess.Popen[str], stdin: str = "") -> Ended:
        """Wait for a command, and return how it ended."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            out, err = child.communicate(stdin, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            out, err = child.communicate()
            err += "\nTraceback: it hung and was killed"
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Ended(child.returncode, out, err, cpu_s)

    def ok(self, *argv: str, cwd: Path | None = None, stdin: str = "") -> str:
        """Run one command that must do its work."""
        done = self.run(*argv, cwd=cwd, stdin=stdin)
        assert done.status == 0, f"gitmem {' '.join(argv)}: {done}"
        return done.out

    def git(self, folder: Path, *argv: str, check: bool = True) -> str:
        """Run git and return what it printed."""
        done = subprocess.run(["git", *argv], cwd=folder, env=self.env, capture_output=True, text=True, check=False)
        assert not check or done.returncode == 0, f"git {' '.join(argv)}: {done}"
        return done.stdout

    # What must hold

    def keys(self, ref: str = "refs/heads/memory") -> set[str]:
        """Return the keys of the memories on the branch, archived ones too; straight from git."""
        listed = self.git(self.work, "ls-tree", "-r", "-z", "--name-only", ref, check=False).split("\0")
        return {Path(path).stem for path in listed if path.endswith(".md") and "/" in path}

    def theirs(self) -> dict[str, str]:
        """Return what belongs to the user, by path: work tree, index, HEAD, refs, settings and hooks."""
        found = {}
        for top, prefix, skipped in ((self.work, "top", (".git", ".memory")), (self.work / ".git", "common", OURS)):
            for folder, names, files in os.walk(top):
                names[:] = [n for n in names if not str(Path(folder, n).relative_to(top)).startswith(skipped)]
                for name in files:
                    path = str(Path(folder, name).relative_to(top))
                    if not path.startswith(skipped) and not LITTER.search(path):
                        found[f"{prefix}/{path}"] = Path(folder, name).read_bytes().hex()
        refs = self.git(self.work, "for-each-ref", "--format=%(refname) %(objectname)")
        ours = ("refs/heads/memory ", "refs/gitmem/", "refs/remotes/")
        found["refs"] = "\n".join(line for line in refs.splitlines() if not line.startswith(ours))
        return found

    def litter(self) -> list[str]:
        """Return what no living process will ever use."""
        git_dir = self.work / ".git"
        found = [str(path.relative_to(git_dir)) for path in git_dir.rglob("*") if path.is_file()]
        litter = [path for path in found if LITTER.search(path) and not _is_lasting(path)]
        return sorted(litter) + [f"TMPDIR/{path.name}" for path in (self.top / "temporary").iterdir()]

    def faults(
        self,
        promised: set[str],
        before: dict[str, str],
        work: Work,
        *,
        is_killed: bool = False,
        is_device: bool = False,
    ) -> list[str]:
        """Let the next command heal what a trial left, and return what does not hold then.

        Args:
            promised: The keys that were acknowledged before and during the trial.
            before: What belonged to the user.
            work: The work of the trial.
            is_killed: Whether it was killed, so that it promised nothing.
            is_device: Whether a device failed for a moment: ``doctor --fix`` removes what git could not.
        """
        wrong = []
        is_gone = work.name == "uninstall" and not self.keys()
        if is_gone:
            healed = self.run("list")
        else:
            healed = self.run("remember", "The next command", "--key", "next")
            promised = promised | {"next"}
        if healed.is_bug or (not is_gone and healed.status != 0):
            wrong.append(f"the next command: {healed.status} {healed.err[-300:]}")
        if healed.cpu_s > HEALS_S:
            wrong.append(f"the next command took {healed.cpu_s:.2f} s of CPU")
        fsck = subprocess.run(
            ["git", "fsck", "--full", "--strict", "--no-dangling"],
            cwd=self.work, env=self.env, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if fsck.returncode or fsck.stderr.strip():
            wrong.append(f"fsck: {fsck.stderr[-300:]}")
        if not is_gone and (lost := promised - self.keys()):
            wrong.append(f"lost: {sorted(lost)[:5]}")
        if not is_gone:
            listed = self.run("list", "--json", "--all", "--limit", "10000")
            shown = {one["key"] for one in json.loads(listed.out)["memories"]} if listed.status == 0 else set()
            if hidden := promised - shown:
                wrong.append(f"on the branch, not listed: {sorted(hidden)[:5]} {listed.err[-200:]}")
        after = self.theirs()
        changed = [
            p for p in {*before, *after} if before.get(p) != after.get(p) and not p.startswith(work.changes or "\0")
        ]
        if changed:
            wrong.append(f"changed: {sorted(changed)[:5]}")
        if work.name in ("save", "view", "remember"):
            wrong += self._view()
        litter = self.litter()
        if litter and work.name == "sync":  # a fetch could not remove its pack from a full disk; the next one does
            self.run("sync")
            litter = self.litter()
        if litter and is_device:  # git could not remove its own file, said nothing, and did its work
            self.run("doctor", "--fix")
            litter = self.litter()
        if litter:
            wrong.append(f"litter: {litter[:5]}")
        for path in (self.work / ".git/gitmem").rglob("*.new"):
            os.utime(path, (time.time() - 2 * 3600,) * 2)
        if list((self.work / ".git/gitmem").rglob("*.new")) and not is_gone:
            self.run("doctor", "--fix")
            if left := [path.name for path in (self.work / ".git/gitmem").rglob("*.new")]:
                wrong.append(f"litter that doctor leaves: {left[:5]}")
        if work.name == "capture":
            self.run("background", "spool")
        if work.name == "capture" and not is_killed and CAPTURED not in self.keys():
            told = self.run("doctor", "--json").out
            if "capture-lost" not in told and "hook" not in told:
                wrong.append("a capture is gone, and doctor does not say so")
        return wrong

    def _view(self) -> list[str]:
        """Return how the view differs from the tip after it was told to follow."""
        done = self.run("view")
        tip = self.git(self.work, "rev-parse", "refs/heads/memory").strip()
        shown = self.git(self.work / ".memory", "rev-parse", "HEAD", check=False).strip()
        if done.status != 0 or done.is_bug:
            return [f"view: {done.status} {done.err[-200:]}"]
        return [] if shown == tip else [f"the view shows {shown[:8]}, not {tip[:8]}: {done.err[-200:]}"]


HEALS_S = 1.0
# What is gitmem's in a git directory, and what of git's changes by itself.
OURS = ("gitmem", "objects", "refs/heads/memory", "logs/refs/heads/memory", "refs/gitmem", "worktrees", "packed-refs")
OURS += ("refs/remotes", "logs/refs/remotes", "FETCH_HEAD", "logs/refs/gitmem", "fast_import_crash_")


def _is_lasting(path: str) -> bool:
    return bool(LASTING.search(path))


def scratch() -> Path:
    """Return where places are made."""
    from support.scratch import find_scratch

    return find_scratch()


def wait_for(path: Path, child: subprocess.Popen[str]) -> bool:
    """Wait until a file is there; return false if the command ended before."""
    while not path.exists():
        if child.poll() is not None:
            return False
        time.sleep(0.01)
    return True


if sys.platform != "linux":
    raise ImportError("the shim and /proc are Linux's")

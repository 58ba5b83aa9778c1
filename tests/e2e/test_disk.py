"""No room and no right to write: a write is refused with exit status 3 and changes nothing, and reading goes on."""

from __future__ import annotations

import json
import os
import random
import shutil
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Ran, commit_files, tip
from support.console import GITMEM, Console, environment, fork, needs_namespaces, run, snapshot, start
from support.payloads import payload

WRITES = {
    "remember": ["remember", "No room for this", "--key", "no-room"],
    "fact": ["fact", "There is a gateway", "--exists", "src/gateway/retry.py", "--key", "gateway"],
    "edit": ["edit", "first", "--title", "Another title"],
    "supersede": ["supersede", "first", "second"],
    "forget": ["forget", "first", "--why", "no reason"],
    "verify": ["verify"],
}
LIST = ".github/gitmem-approved"
READS = {
    "recall": ["recall", "first"],
    "newest": ["recall", "--recent", "5"],
    "list": ["list"],
    "show": ["show", "first"],
    "log": ["log", "first"],
    "context": ["context"],
    "status": ["status"],
    "doctor": ["doctor"],
    "dry-run": ["verify", "--dry-run"],
    "print": ["trust", "--print"],
    "statistics": ["recall", "--stats"],
}


def fill_store(console: Console) -> None:
    """Write two memories and two facts, one of which is due again."""
    console.ok("init")
    console.ok("remember", "The first of them", "--key", "first")
    console.ok("remember", "The second of them", "--key", "second")
    console.ok("fact", "Retries", "--contains", "RETRIES", "--in", "src/**", "--key", "retries")
    console.ok("fact", "Due", "--exists", "README.md", "--key", "due", "--unproven")


class Inside:
    """A user and mount namespace of its own, in which commands run; it ends with the process that holds it."""

    def __init__(self, setup: str, *args: str) -> None:
        script = f"set -e\n{setup}\necho ready\nexec cat"
        argv = ["unshare", "-Urm", "bash", "-c", script, "-", *args]
        self._holder = start(argv, Path("/"), stdin=subprocess.PIPE)
        assert self._holder.stdout is not None
        assert self._holder.stdout.readline() == b"ready\n", self._holder.communicate()

    def close(self) -> None:
        self._holder.communicate()

    def __call__(self, folder: Path, *argv: str) -> Ran:
        enter = ["nsenter", "-t", str(self._holder.pid), "-U", "-m", "--preserve-credentials", "--"]
        return run([*enter, "sh", "-c", 'cd "$0" && exec "$@"', str(folder), *argv], Path("/"), env=environment())

    def ok(self, folder: Path, *argv: str) -> str:
        done = self(folder, *argv)
        assert done.status == 0, done
        return done.out.strip()

    def gitmem(self, folder: Path, *argv: str, input: str | None = None, **changes: str) -> Ran:
        """Run a command of gitmem, forked from a process that has it loaded already."""
        return fork([*argv], folder, environment(**changes), input=input, inside=self._holder.pid)

    def works(self, folder: Path, *argv: str, **options: str) -> str:
        """Run a command of gitmem that must do its work, and return what it printed."""
        done = self.gitmem(folder, *argv, **options)
        assert done.status == 0, done
        return done.out.strip()


def traces(inside: Inside, folder: Path) -> str:
    """Return what a refused write may not leave or change: refs, locks, crash reports, index, HEAD, work tree."""
    script = (
        "git for-each-ref; git rev-parse HEAD; git status --porcelain --ignored;"
        " sha256sum .git/index .git/HEAD .git/config;"
        " find .git -name '*.lock' ! -path '*/gitmem/*'; find .git -maxdepth 1 -name 'fast_import_crash*';"
        " find . -name '*.broken' -o -name '*.damaged'"
    )
    return inside.ok(folder, "sh", "-c", script)


# A full disk


@pytest.fixture(scope="module")
def filled(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with two memories and two facts; never change it, copy it."""
    folder = Path(shutil.copytree(template, tmp_path_factory.mktemp("filled") / "service"))
    fill_store(Console(folder))
    return folder


@pytest.fixture
def small(filled: Path, tmp_path: Path) -> Iterator[tuple[Inside, Path]]:
    """Return a namespace with the repository on a small disk, and the repository's place there."""
    disk = tmp_path / "disk"
    disk.mkdir()
    inside = Inside(
        'mount -t tmpfs -o size=4m,nr_inodes=2000 none "$1" && cp -a "$2" "$1/service"', str(disk), str(filled)
    )
    yield inside, disk / "service"
    inside.close()


FILL = {
    "bytes": "dd if=/dev/zero of=../filler bs=4k 2> /dev/null; true",
    # A program started for each of 2,000 files takes longer than the test does.
    "inodes": 'n=0; while { true > "../filler$n"; } 2> /dev/null; do n=$((n + 1)); done',
}


@needs_namespaces
@pytest.mark.parametrize("what", FILL)
def test_full_disk_refuses_every_write_and_changes_nothing(small: tuple[Inside, Path], what: str) -> None:
    inside, folder = small
    inside.ok(folder, "sh", "-c", FILL[what])
    before = traces(inside, folder)

    for words in WRITES.values():
        done = inside.gitmem(folder, *words)

        assert (done.status, done.out) == (3, ""), (words, done)
        assert "gitmem: error: " in done.err
        assert traces(inside, folder) == before, words
    inside.ok(folder, "sh", "-c", "rm ../filler*")
    assert inside.works(folder, *WRITES["remember"]) == "no-room"
    assert inside.gitmem(folder, "verify").status == 0
    assert inside.ok(folder, "git", "fsck", "--full", "--strict", "--no-dangling") == ""


@needs_namespaces
@pytest.mark.parametrize("what", FILL)
def test_on_a_full_disk_a_session_goes_on_and_its_words_are_kept(
    small: tuple[Inside, Path], tmp_path: Path, what: str
) -> None:
    inside, folder = small
    assert inside.gitmem(folder, "init").status == 0  # a copy
    inside.ok(folder, "sh", "-c", FILL[what])

    def call(name: str, **values: object) -> str:
        about = {"session_id": "s1", "cwd": str(folder), "transcript_path": f"{tmp_path}/none.jsonl"}
        return inside.works(
            folder, "hook", "claude-code", input=json.dumps({"hook_event_name": name, **about, **values})
        )

    started = call("SessionStart", source="startup")
    shell = {"tool_name": "Bash", "tool_response": {"stdout": "done"}}
    answers = [call("PostToolUse", tool_input={"command": f"ls {number}"}, **shell) for number in range(6)]
    call("Stop", last_assistant_message="LEARNED: the pool of the importer needs a lock")

    assert "The second of them" in started
    assert sum(map(bool, answers)) <= 1
    inside.ok(folder, "sh", "-c", "rm -f ../filler*")
    assert inside.gitmem(folder, "background", "spool").status == 0
    assert "importer needs a lock" in inside.gitmem(folder, "recall", "importer pool lock").out


@needs_namespaces
@pytest.mark.parametrize("what", FILL)
def test_full_disk_hinders_no_reader_with_or_without_an_index(small: tuple[Inside, Path], what: str) -> None:
    inside, folder = small
    inside.ok(folder, "sh", "-c", FILL[what])

    warm = {name: inside.gitmem(folder, *words) for name, words in READS.items()}
    inside.ok(folder, "sh", "-c", f"rm -r .git/gitmem; {FILL[what]}")
    cold = {name: inside.gitmem(folder, *words) for name, words in READS.items()}

    assert {name: done.status for name, done in warm.items()} == dict.fromkeys(READS, 0), warm
    assert {name: done.status for name, done in cold.items()} == dict.fromkeys(READS, 0), cold
    assert warm["list"].out == cold["list"].out
    assert "first" in cold["recall"].out


@needs_namespaces
def test_disk_that_fills_up_at_any_point_keeps_a_write_whole_or_refuses_it(small: tuple[Inside, Path]) -> None:
    inside, folder = small
    free = "free=$(stat -f -c %a ..); dd if=/dev/zero of=../filler bs=4k count=$((free - $0)) 2> /dev/null"
    kept, refused = [], 0

    for blocks in [*range(0, 24, 3), *range(24, 96, 18)]:
        inside.ok(folder, "sh", "-c", f"rm -f ../filler; {free}", str(blocks))
        before = inside.ok(folder, "git", "rev-parse", "memory")
        done = inside.gitmem(folder, "remember", f"With {blocks} blocks", "--key", f"blocks-{blocks}")
        after = inside.ok(folder, "git", "rev-parse", "memory")

        assert done.status in (0, 3), done
        assert (after == before, done.out) == ((True, "") if done.status else (False, f"blocks-{blocks}\n")), done
        kept += [f"blocks-{blocks}"] if done.status == 0 else []
        refused += done.status == 3
        assert inside.gitmem(folder, "show", "first").status == 0
    inside.ok(folder, "rm", "../filler")

    assert kept, "there was never room enough: no session was shown anything"
    assert refused
    assert set(kept) <= set(inside.works(folder, "list").replace("\t", "\n").split("\n"))
    assert inside.ok(folder, "git", "fsck", "--full", "--strict", "--no-dangling") == ""
    assert inside.gitmem(folder, "doctor").status == 0


@needs_namespaces
def test_store_is_not_begun_on_a_full_disk(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    setup = 'mount -t tmpfs -o size=2m none "$1" && cp -a "$2" "$1/service"'
    inside = Inside(setup, str(tmp_path / "disk"), str(repo))
    folder = tmp_path / "disk/service"
    try:
        inside.ok(folder, "sh", "-c", FILL["bytes"])
        before = traces(inside, folder)
        for words in (["init"], ["remember", "Begin"], ["fact", "Begin", "--exists", "README.md"]):
            assert inside.gitmem(folder, *words).status == 3
        assert traces(inside, folder) == before
        inside.ok(folder, "rm", "../filler")
        assert inside.gitmem(folder, "remember", "Begin").status == 0
    finally:
        inside.close()


LIMITS_KIB = (0, 4, 16)


@pytest.mark.parametrize("limit", LIMITS_KIB)
def test_limit_on_file_sizes_keeps_a_write_whole_or_refuses_it(repo: Path, limit: int) -> None:
    console = Console(repo)
    fill_store(console)
    text = "".join(f"{random.Random(n).randbytes(39).hex()}\n" for n in range(600))  # 47 KB, 24 KB compressed
    before = tip(repo)

    done = console.type(f"ulimit -f {limit}; gitmem remember - --key long", input=text)

    assert (done.status, done.out) == (3, ""), done
    assert "gitmem: error: " in done.err
    assert tip(repo) == before
    assert not list((repo / ".git").glob("fast_import_crash_*"))
    assert not list((repo / ".git/refs").rglob("*.lock"))
    assert console.ok("remember", "-", "--key", "long", input=text) == "long"


# A capture on a full disk

LEARNED = 'bd comment s-1 "LEARNED: pelicans cache what herons fetch"'


def capture(inside: Inside, folder: Path, *, state_home: Path, call: str = "1") -> Ran:
    """Call the hook of a client for a comment that says what was learnt."""
    content = payload(
        "claude-code/PostToolUse.Bash", cwd=str(folder), tool_input={"command": LEARNED}, tool_use_id=call
    )
    return inside.gitmem(folder, "hook", "claude-code", input=json.dumps(content), XDG_STATE_HOME=str(state_home))


@needs_namespaces
@pytest.mark.parametrize("what", FILL)
def test_capture_on_a_full_disk_is_kept_elsewhere_and_written_when_there_is_room(
    small: tuple[Inside, Path], tmp_path: Path, what: str
) -> None:
    inside, folder = small
    inside.works(folder, "init", XDG_STATE_HOME=str(tmp_path / "state-home"))
    inside.ok(folder, "sh", "-c", FILL[what])

    done = capture(inside, folder, state_home=tmp_path / "state-home")
    shown = inside.gitmem(folder, "recall", "pelicans")
    inside.ok(folder, "sh", "-c", "rm ../filler*")
    inside.works(folder, "doctor", "--fix")

    assert (done.status, done.out, done.err) == (0, "", "")
    assert "pelicans" in shown.out
    assert "pelicans" in inside.ok(folder, "git", "log", "-p", "-1", "memory")


@needs_namespaces
@pytest.mark.parametrize("what", FILL)
def test_capture_that_no_disk_takes_is_reported_by_doctor_and_at_the_next_start(
    small: tuple[Inside, Path], what: str
) -> None:
    inside, folder = small
    home = folder.parent / "home"
    inside.works(folder, "init", XDG_STATE_HOME=str(home))
    inside.works(folder, "remember", "There was room", "--key", "room")
    capture(inside, folder, state_home=home)
    inside.works(folder, "doctor", "--fix")
    inside.ok(folder, "sh", "-c", FILL[what])

    done = capture(inside, folder, state_home=home, call="2")
    event = json.dumps(payload("claude-code/SessionStart.startup", cwd=str(folder)))
    start = inside.works(folder, "hook", "claude-code", input=event, XDG_STATE_HOME=str(home))
    doctor = inside.gitmem(folder, "doctor", XDG_STATE_HOME=str(home))

    assert (done.status, done.err) == (0, "")
    assert "1 captured text could not be written to disk" in start
    assert "capture-lost" in doctor.out
    inside.ok(folder, "sh", "-c", "rm ../filler*")
    inside.works(folder, "doctor", "--fix", XDG_STATE_HOME=str(home))
    assert "capture-lost" not in inside.works(folder, "doctor", XDG_STATE_HOME=str(home))


# A disk that may only be read


@pytest.fixture
def frozen(repo: Path, request: pytest.FixtureRequest) -> Iterator[tuple[Inside, Path]]:
    """Return a namespace in which the repository may only be read: with an index, without one, or with an old one."""
    console = Console(repo)
    fill_store(console)
    state = getattr(request, "param", "warm")
    if state == "cold":
        shutil.rmtree(repo / ".git/gitmem")
    elif state == "behind":
        kept = repo.parent / "kept"
        shutil.copytree(repo / ".git/gitmem", kept)
        console.ok("remember", "Written later", "--key", "later")
        shutil.rmtree(repo / ".git/gitmem")
        shutil.copytree(kept, repo / ".git/gitmem")
    inside = Inside('mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"', str(repo))
    yield inside, repo
    inside.close()


@needs_namespaces
@pytest.mark.parametrize("frozen", ["warm", "cold", "behind"], indirect=True)
def test_read_only_disk_hinders_no_reader(frozen: tuple[Inside, Path], request: pytest.FixtureRequest) -> None:
    inside, folder = frozen
    before = snapshot(folder)
    assert inside(folder, "touch", "x").status != 0

    done = {name: inside.gitmem(folder, *words) for name, words in READS.items()}

    assert {name: ran.status for name, ran in done.items()} == dict.fromkeys(READS, 0), done
    assert ("later" in done["list"].out) == (request.node.callspec.params["frozen"] == "behind")
    assert snapshot(folder) == before


@needs_namespaces
@pytest.mark.parametrize("frozen", ["warm", "cold"], indirect=True)
def test_read_only_disk_refuses_every_write(frozen: tuple[Inside, Path]) -> None:
    inside, folder = frozen
    before = snapshot(folder)

    for words in [*(words for name, words in WRITES.items() if name != "verify"), ["doctor", "--fix"], ["init"]]:
        done = inside.gitmem(folder, *words)

        expected = 0 if words[0] == "doctor" else 3  # nothing is broken, so there is nothing to mend
        assert done.status == expected, (words, done)
        assert done.status == 0 or (done.out == "" and "gitmem: error: " in done.err), (words, done)
    assert snapshot(folder) == before


@pytest.mark.whole_system
@needs_namespaces
def test_read_only_checkout_is_judged_on_a_ground_elsewhere_and_not_recorded(repo: Path) -> None:
    console = Console(repo)
    fill_store(console)
    commit_files(repo, {"Makefile": "built: README.md\n\tcp README.md built\n"})
    console.ok("fact", "Reads", "--verify", "make -s && test -f built", "--key", "command", "--unproven")
    commit_files(repo, {LIST: console.ok("trust", "--print")})
    inside = Inside('mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"', str(repo))
    before = snapshot(repo)

    done = inside(repo, str(GITMEM), "verify", "--approved", LIST)
    after = snapshot(repo)
    (repo / "README.md").unlink()
    time.sleep(1)  # the work tree is judged as a commit: it must be later than the fact, whose time has seconds
    dirty = inside(repo, str(GITMEM), "verify", "--dirty", "--approved", LIST)
    inside.close()

    assert done.status == 3
    assert "✓ command  holds" in done.out
    assert "the verdicts could not be recorded: the repository cannot be written to" in done.err
    assert "command  failed" in dirty.out
    assert dirty.status == 1
    assert after == before


def without_privileges() -> list[str]:
    """Return what starts a program that file modes bind, also when root runs the tests."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and there is no setpriv to give that up")
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]


@pytest.fixture
def modes_off(repo: Path) -> Iterator[Path]:
    """Return a repository whose git directory nobody may write to, by its modes."""
    fill_store(Console(repo))
    places = [repo / ".git", *(repo / ".git").rglob("*")]
    modes = {place: stat.S_IMODE(place.stat().st_mode) for place in places}
    for place, mode in modes.items():
        place.chmod(mode & ~0o222)
    yield repo
    for place, mode in modes.items():
        if place.exists():
            place.chmod(mode)


@pytest.mark.whole_system
def test_repository_that_its_modes_protect_can_be_read_and_not_written(modes_off: Path) -> None:
    before, plain = snapshot(modes_off), without_privileges()
    if run([*plain, "touch", str(modes_off / ".git/x")], modes_off).status == 0:
        pytest.skip("file modes do not bind here")

    # A program each: the other commands read and write where a disk is read-only, above.
    reads = {name: run([*plain, str(GITMEM), *READS[name]], modes_off) for name in ("recall", "show", "dry-run")}
    writes = {name: run([*plain, str(GITMEM), *WRITES[name]], modes_off) for name in ("remember", "verify")}

    assert [done.status for done in reads.values()] == [0, 0, 0], reads
    assert [done.status for done in writes.values()] == [3, 3], writes
    assert snapshot(modes_off) == before


# Output that goes nowhere


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_output_that_cannot_be_written_is_reported_and_the_write_is_kept(repo: Path) -> None:
    console = Console(repo)

    done = console.type("gitmem remember 'Said to nobody' --key nobody > /dev/full")

    assert done.status == 3, done
    assert "acknowledged writes are kept" in done.err
    assert console.listed() == ["nobody"]
    assert console.type("gitmem list > /dev/full").status == 3


def test_reader_that_stops_reading_is_no_error(repo: Path) -> None:
    console = Console(repo)
    fill_store(console)

    done = console.type("set +o pipefail; gitmem list --json | head -c 1")

    assert (done.status, done.out, done.err) == (0, "{", "")
    for number, closed in enumerate((">&-", "2>&-", "<&-", "<&- >&- 2>&-")):
        assert console.type(f"gitmem remember 'Not seen {number}' --key closed-{number} {closed}").status == 0
    assert len(console.listed()) == 4 + 4

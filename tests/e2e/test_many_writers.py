"""Many processes write at once: acknowledged writes are kept, the history is one line, and readers go on reading."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import git, memory_text, put_files, tip
from support.console import GITMEM, Console, environment, fsck, is_linear, keys_on_branch, start

from gitmem.memory import Memory
from gitmem.recall.query import Query

WRITERS = 8
EACH = 3
# Half of these land in a folder that must be split meanwhile (store.layout.SPLIT_ABOVE is 500).
THERE_BEFORE = 490

TYPED = 'for n in $(seq 1 "$2"); do "$1" remember "Writer $3 says number $n" --key "w$3-$n" --kind gotcha; done'
CALLED = """
import sys
from gitmem import Memory
for n in range(1, int(sys.argv[1]) + 1):
    with Memory(".") as memory:
        for m in (2 * n - 1, 2 * n):
            if m <= int(sys.argv[1]):
                text = f"Writer {sys.argv[2]} says number {m}"
                print(memory.remember(text, kind="gotcha", key=f"w{sys.argv[2]}-{m}").key, flush=True)
"""
# Another program that writes to the branch by compare-and-swap, as git does, and knows nothing of our lock.
FOREIGN = """
for n in $(seq 1 "$1"); do
  until
    old=$(git rev-parse refs/heads/memory) &&
    blob=$(printf -- '---\\ntitle: Foreign %s\\nkind: gotcha\\n---\\n' "$n" | git hash-object -w --stdin) &&
    GIT_INDEX_FILE="$2" git read-tree "$old" &&
    GIT_INDEX_FILE="$2" git update-index --add --cacheinfo "100644,$blob,gotchas/foreign-$n.md" &&
    new=$(git commit-tree -p "$old" -m "foreign $n" "$(GIT_INDEX_FILE="$2" git write-tree)") &&
    git update-ref refs/heads/memory "$new" "$old" 2> /dev/null
  do :; done
  echo "foreign-$n"
done
"""


def begin(argv: list[str], folder: Path) -> subprocess.Popen[bytes]:
    return start(argv, folder, env=environment(GITMEM_LOCK_TIMEOUT="100"))


def printed(child: subprocess.Popen[bytes], *, status: int = 0) -> list[str]:
    out, err = child.communicate(timeout=300)
    assert child.returncode == status, err.decode()
    return out.decode().split()


@pytest.mark.whole_system
def test_eight_processes_that_write_at_once_lose_no_memory(repo: Path) -> None:
    console = Console(repo)
    console.ok("init")
    put_files(repo, {f"gotchas/old-{n}.md": memory_text(f"Old {n}", kind="gotcha") for n in range(THERE_BEFORE)})
    before = tip(repo)
    typing = [["bash", "-e", "-c", TYPED, "-", str(GITMEM), str(EACH), str(n)] for n in range(WRITERS // 2)]
    calling = [[sys.executable, "-c", CALLED, str(EACH), str(n)] for n in range(WRITERS // 2, WRITERS)]

    children = [begin(argv, repo) for argv in typing + calling]
    keys = [key for child in children for key in printed(child)]

    expected = sorted([f"w{w}-{n}" for w in range(WRITERS) for n in range(1, EACH + 1)])
    assert sorted(keys) == expected
    assert keys_on_branch(repo) == sorted([*expected, *(f"old-{n}" for n in range(THERE_BEFORE))])
    assert git(repo, "rev-list", "--count", f"{before}..memory") == str(WRITERS * EACH)
    assert is_linear(repo)
    fsck(repo)
    shown = console.json("list", "--limit", "1000")["memories"]
    assert {m["key"]: m["title"] for m in shown if m["key"] in expected} == {
        f"w{w}-{n}": f"Writer {w} says number {n}" for w in range(WRITERS) for n in range(1, EACH + 1)
    }
    assert len(shown) == len(expected) + THERE_BEFORE
    paths = git(repo, "ls-tree", "-r", "--name-only", "memory", "gotchas/").splitlines()
    assert {path.count("/") for path in paths} == {2}, "a folder of more than 500 files is split, all of it"
    assert console.json("doctor")["problems"] == []


@pytest.mark.whole_system
def test_writers_of_every_kind_readers_and_a_foreign_program_get_along(repo: Path, tmp_path: Path) -> None:
    console = Console(repo)
    git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    console.ok("remember", "The first", "--key", "first")
    console.ok("fact", "There are retries", "--contains", "RETRIES", "--in", "src/gateway/*.py", "--key", "retries")
    loops = {
        "type": (repo, 'for n in $(seq 1 2); do "$0" remember "Text $n of somebody" --key "t-$n"; done'),
        "linked": (tmp_path / "linked", 'for n in $(seq 1 2); do "$0" remember "Linked $n" --key "l-$n"; done'),
        "edit": (repo, 'for n in $(seq 1 2); do "$0" edit first --title "The first, round $n"; done'),
        "same": (repo, 'for n in $(seq 1 2); do "$0" remember "Same key, round $n" --key same; done'),
        "verify": (repo, 'for n in $(seq 1 2); do "$0" verify --all > /dev/null; done'),
        "forget": (repo, 'for n in $(seq 1 2); do "$0" remember "Gone $n" --key "g-$n" && "$0" forget "g-$n"; done'),
    }
    reading = 'for n in $(seq 1 5); do "$0" list --limit 1000 --json; echo; done'

    foreign = begin(["bash", "-c", FOREIGN, "-", "2", str(tmp_path / "index")], repo)
    children = {name: begin(["bash", "-e", "-c", loop, str(GITMEM)], folder) for name, (folder, loop) in loops.items()}
    reader = begin(["bash", "-e", "-c", reading, str(GITMEM)], repo)
    said = {name: printed(child) for name, child in children.items()}
    from_foreign = printed(foreign)
    out, err = reader.communicate(timeout=120)

    live = {*said["type"], *said["linked"], *from_foreign, "first", "same", "retries"}
    assert len(live) == 2 * 3 + 3
    assert set(console.listed("--limit", "1000")) == live
    assert set(console.listed("--all", "--limit", "1000")) == live | {f"g-{n}" for n in range(1, 3)}
    assert console.json("show", "first")["title"] == "The first, round 2"
    assert git(repo, "log", "--format=%s", "memory").count("update same") == 1
    assert is_linear(repo)
    fsck(repo)
    assert (reader.returncode, err) == (0, b"")
    sizes = [len(json.loads(text)["memories"]) for text in out.decode().split("\n\n") if text.strip()]
    assert len(sizes) == 5
    assert max(sizes) <= len(live) + 2


@pytest.mark.whole_system
def test_two_texts_under_one_key_at_once_are_both_in_the_history(repo: Path) -> None:
    Console(repo).ok("init")
    loop = 'for n in $(seq 1 3); do "$0" remember "Process $1 says $n" --key same; done'

    children = [begin(["bash", "-e", "-c", loop, str(GITMEM), str(n)], repo) for n in range(3)]
    for child in children:
        assert printed(child) == ["same"] * 3

    history = git(repo, "log", "-p", "--format=", "memory", "--", "*/same.md")
    titles = [line.removeprefix("+title: ") for line in history.splitlines() if line.startswith("+title: ")]
    assert sorted(titles) == sorted(f"Process {w} says {n}" for w in range(3) for n in range(1, 4))


def test_first_writers_of_a_repository_share_one_root(repo: Path) -> None:
    loop = '"$0" remember "Process $1 begins" --key "first-$1"'

    children = [begin(["bash", "-e", "-c", loop, str(GITMEM), str(n)], repo) for n in range(6)]
    keys = [key for child in children for key in printed(child)]

    assert keys_on_branch(repo) == sorted(keys) == [f"first-{n}" for n in range(6)]
    assert is_linear(repo)
    assert git(repo, "rev-list", "--count", "memory") == "7"


class Meanwhile:
    """Does something right before the n-th question that is asked of an opened store's catalog."""

    def __init__(self, memory: Memory, nth: int, act: Callable[[], object]) -> None:
        self.asked, self._nth, self._act, self._is_writing = 0, nth, act, False
        self.errors: list[Exception] = []
        memory.repository.catalog().connection.set_trace_callback(self._before)

    def _before(self, sql: str) -> None:
        self._is_writing = sql.startswith("BEGIN IMMEDIATE") or (self._is_writing and sql not in ("COMMIT", "ROLLBACK"))
        if self._is_writing:
            return  # whoever writes meanwhile waits for us
        self.asked += 1
        if self.asked == self._nth:
            try:
                self._act()
            except Exception as err:  # noqa: BLE001 - SQLite swallows what its callbacks raise
                self.errors.append(err)


READINGS: dict[str, Callable[[Memory], object]] = {
    "recall": lambda memory: [hit.key for hit in memory.recall(Query(text="retries number")).hits],
    "newest": lambda memory: [hit.key for hit in memory.recall(Query()).hits],
    "list": lambda memory: [hit.key for hit in memory.list(Query(limit=100)).hits],
    "show": lambda memory: memory.show("retries").document["key"],
    "context": lambda memory: len(memory.context(paths=["src"], budget_tokens=0).document["sections"]),
    "status": lambda memory: memory.status().document["memories"],
}


@pytest.mark.whole_system
@pytest.mark.parametrize("command", READINGS)
def test_write_between_any_two_questions_of_a_reader_does_no_harm(repo: Path, command: str) -> None:
    read, rounds = READINGS[command], 0
    with Memory(repo) as reader, Memory(repo) as writer:
        for n in range(3):
            writer.remember(f"Number {n} of the retries", key=f"n{n}")
        writer.fact("Retries", verify={"contains": "RETRIES", "in": "src/**"}, key="retries")
        quiet = read(reader)

        def rewrite() -> None:
            if rounds % 2:
                writer.remember(f"Number 0 of the retries, said {rounds} times", key="n0")
            else:
                writer.edit("retries", fields={"title": f"Retries, said {rounds} times"}, body=None, approve=False)

        while True:
            rounds += 1
            meanwhile = Meanwhile(reader, rounds, rewrite)
            found = read(reader)
            assert meanwhile.errors == []
            assert sorted(found) == sorted(quiet) if isinstance(found, list) else found == quiet
            if meanwhile.asked < rounds:
                break
            assert rounds < 100

    assert rounds > 3


def test_branch_that_moves_while_a_command_holds_the_catalog_closes_nothing(repo: Path) -> None:
    with Memory(repo) as reader:
        reader.remember("The first", key="first")
        held = reader.repository.catalog()
        put_files(repo, {"gotchas/pushed.md": memory_text("Pushed", kind="gotcha")})
        reader.repository.catalog()
        followed = held.rows("SELECT key FROM memory ORDER BY key")
        put_files(repo, {"gitmem.toml": '[verify]\ntimeout = "5m"\n'})
        reader.repository.catalog()

        assert followed == [("first",), ("pushed",)]
        assert held.meta("commit") == tip(repo)
        assert held.rows("SELECT key FROM memory ORDER BY key") == followed

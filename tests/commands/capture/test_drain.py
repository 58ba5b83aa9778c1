"""The drain makes each entry a memory once, also after a crash; readers see it before that."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git, memory_text, put_files, tip
from support.branch import fields_of, keys_found
from support.console import GITMEM, needs_namespaces, run

from gitmem.config import second_place
from gitmem.errors import ConflictError, GitmemError
from gitmem.index.catalog import Catalog
from gitmem.index.catalog.state import ground_of
from gitmem.memory import Memory
from gitmem.recall.query import Query
from gitmem.repository import OpenRepository
from gitmem.store.state.plain_files import waiting_captures
from gitmem.store.state.spool import Spool
from gitmem.store.state.write_lock import WriteLock
from gitmem.verify.options import Options

GATEWAY = "the-gateway-drops-idle-connections"
TEXT = "The gateway drops idle connections"


def state(repo: Path) -> Path:
    """Return the state folder."""
    return repo / ".git" / "gitmem"


def keys(repo: Path) -> list[str]:
    """Return the keys of the memories on the branch."""
    paths = git(repo, "ls-tree", "-r", "--name-only", "refs/heads/memory").split("\n")
    return sorted(Path(path).stem for path in paths if path.endswith(".md") and "/" in path)


def test_captured_text_is_found_shown_and_listed_before_any_commit(memory, repo: Path) -> None:
    memory.remember("Tokens are signed with RS256")
    before = tip(repo)

    memory.capture(TEXT)
    memory.capture(TEXT + " after a minute of silence", key="gateway-minute")

    assert set(keys_found(memory, "gateway")) == {GATEWAY, "gateway-minute"}
    assert memory.show("gateway-minute").document["title"] == TEXT + " after a minute of silence"
    assert len(memory.list(Query()).hits) == 3
    assert tip(repo) == before


def test_reader_of_waiting_captures_keeps_the_statuses_that_it_computed(memory, repo: Path) -> None:
    memory.fact("There is a README", exists="README.md")
    memory.capture(TEXT)
    commit_files(repo, {"other.py": "x = 1\n"})

    with Memory(repo) as reader:
        assert [hit.status for hit in reader.list(kinds=["fact"]).hits] == ["stale"]

    with Memory(repo) as later:
        on_branch = later.repository.catalog(later.repository.find_tip())
        head = git(repo, "rev-parse", "HEAD").strip()
        assert ground_of(on_branch, head, later.repository.local.serial()) is not None


def test_captured_text_is_found_and_drained_beside_memories_of_the_code_tree(memory, repo: Path) -> None:
    memory.remember("Tokens are signed with RS256", key="rs256", in_tree=True)
    git(repo, "add", "-f", ".memory")
    git(repo, "commit", "-qm", "memory")
    memory.capture(TEXT)
    memory.capture("Tokens are signed with RS256.")

    assert keys_found(memory, "gateway") == [GATEWAY]
    assert keys_found(memory, "tokens signed") == ["rs256"]
    assert memory.captures.drain() == 2
    assert keys_found(memory, "gateway") == [GATEWAY]
    assert keys_found(memory, "tokens signed") == ["rs256"]
    assert keys(repo) == [GATEWAY]


@needs_namespaces
def test_captured_text_is_found_on_a_disk_that_cannot_be_written_to(memory, repo: Path) -> None:
    memory.remember("Tokens are signed with RS256")
    memory.capture(TEXT)
    memory.close()
    script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && cd "$1" && ! touch x && exec "$0" recall "$2"'

    ran = run(["unshare", "-Urm", "sh", "-c", f"{script} 2> /dev/null", str(GITMEM), str(repo), "gateway"], repo)

    assert (ran.status, ran.out.split("\t")[0]) == (0, GATEWAY)


def test_what_waits_is_looked_at_once_until_it_changes(memory, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    real = Spool.read
    monkeypatch.setattr(Spool, "read", lambda self, name: (read.append(name), real(self, name))[1])
    first = memory.capture(TEXT)
    for _ in range(3):
        keys_found(memory, "gateway")
    second = memory.capture("Retries are capped at three")

    assert keys_found(memory, "retries") == ["retries-are-capped-at-three"]
    assert read == [first, first, second]


def test_captured_text_is_found_while_someone_else_writes(memory, repo: Path) -> None:
    memory.capture(TEXT)

    with WriteLock(state(repo), command="other", timeout_s=0):
        found = keys_found(memory, "gateway")

    assert found == [GATEWAY]


def test_next_write_drains_first_and_an_edit_finds_what_was_captured(memory, repo: Path) -> None:
    memory.capture(TEXT)
    assert keys_found(memory, "gateway") == [GATEWAY]

    memory.edit(GATEWAY, fields={"tags": ["net"]}, body=None, approve=False)

    assert not waiting_captures(state(repo))
    assert fields_of(repo, f"learned/{GATEWAY}.md")["tags"] == ["net"]


def test_many_entries_are_one_commit_and_each_has_its_own_time_and_agent(
    memory, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.capture(TEXT)
    with Memory(repo, clock=lambda: float(NOW + 60)) as later:
        later.repository.config = type(later.repository.config)(agent="worker-1")
        later.capture("Retries are capped at three", kind="gotcha")
        later.capture(TEXT)  # said again

    assert memory.captures.drain() == 3

    assert git(repo, "rev-list", "--count", "memory") == "3"  # root, policy, and one more
    assert (
        fields_of(repo, f"learned/{GATEWAY}.md")["created"]
        != fields_of(repo, "gotchas/retries-are-capped-at-three.md")["created"]
    )
    assert fields_of(repo, "gotchas/retries-are-capped-at-three.md")["by"]["agent"] == "worker-1"
    assert memory.captures.drain() == 0


def test_second_text_for_a_key_of_the_same_batch_changes_the_first(memory, repo: Path) -> None:
    memory.capture("first text of all", key="a-key")
    memory.capture("second text of all", key="a-key")

    memory.captures.drain()

    assert fields_of(repo, "learned/a-key.md")["title"] == "second text of all"
    assert keys(repo) == ["a-key"]


def test_folder_that_is_split_meanwhile_takes_all_of_them(memory, repo: Path) -> None:
    put_files(repo, {f"learned/k{n:03}.md": memory_text(f"Number {n}") for n in range(499)})
    for n in range(4):
        memory.capture(f"Captured thing number {n}", key=f"late-{n}")
    assert len(keys_found(memory, "captured thing")) >= 1

    memory.captures.drain()

    assert {f"late-{n}" for n in range(4)} <= set(keys(repo))
    assert len(keys(repo)) == 503


def test_drain_that_was_killed_after_its_commit_writes_nothing_twice(
    memory, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.capture(TEXT, key="a-key")
    monkeypatch.setattr(Spool, "remove", lambda self, names: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        memory.captures.drain()
    monkeypatch.undo()
    put_files(repo, {"learned/a-key.md": "---\ntitle: Edited since\nkind: learned\n---\n"})
    assert waiting_captures(state(repo))

    with Memory(repo, clock=lambda: float(NOW + 60)) as later:
        later.captures.drain()

    assert not waiting_captures(state(repo))
    assert fields_of(repo, "learned/a-key.md")["title"] == "Edited since"
    assert Spool(state(repo)).interrupted_tip() is None


def test_drain_that_was_killed_before_its_commit_is_done_again(
    memory, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.capture(TEXT)
    with monkeypatch.context() as broken:
        broken.setattr("gitmem.write.writer.write_commit", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            memory.captures.drain()

    memory.captures.drain()

    assert keys(repo) == [GATEWAY]


@pytest.mark.whole_system
@needs_namespaces
def test_captures_in_a_place_that_became_read_only_are_committed_once_and_stop_no_write(repo: Path) -> None:
    place = Path(second_place(state(repo)), "spool", "waiting")
    place.mkdir(parents=True)
    for name, text in (("1-a.json", TEXT), ("2-b.json", "")):
        (place / name).write_text(json.dumps({"format": 1, "text": text, "options": {}}))
    mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"'
    script = f'{mount} && for n in 1 2 3; do "$1" remember "W $n"; done; "$1" doctor'
    run([str(GITMEM), "init"], repo)
    start = tip(repo)

    done = run(["unshare", "-Urm", "sh", "-c", script, str(place.parent), str(GITMEM)], repo)
    closed = git(repo, "log", "--format=%s", f"{start}..memory").split("\n")
    run([str(GITMEM), "background", "spool"], repo)

    assert (done.out.split("\n")[:3], done.status) == (["w-1", "w-2", "w-3"], 1), done
    assert "each is committed once" in done.out
    assert closed == ["learned: add w-3", "learned: add w-2", "learned: add w-1", f"memory: add {GATEWAY}"]
    assert tip(repo) == git(repo, "rev-parse", "memory")
    assert waiting_captures(state(repo)) == ()


def test_entry_that_cannot_be_written_is_set_aside_and_stops_no_other(memory, repo: Path) -> None:
    bad = Spool(state(repo)).append({"text": "the token is ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"})
    torn = Spool(state(repo)).append({"text": "x"})
    (state(repo) / "spool" / "waiting" / torn).write_bytes(b'{"format"')
    odd = Spool(state(repo)).append({"text": "a text of its own", "options": [1]})
    deep, unreadable = (Spool(state(repo)).append({"text": "y"}) for _ in range(2))
    (state(repo) / "spool" / "waiting" / deep).write_text('{"text": ' + "[" * 100_000)
    (state(repo) / "spool" / "waiting" / unreadable).unlink()  # reading a folder fails for root, too
    (state(repo) / "spool" / "waiting" / unreadable).mkdir()
    memory.capture(TEXT)
    assert keys_found(memory, "gateway") == [GATEWAY]

    memory.captures.drain()

    refused = {os.path.basename(path): why for path, why in Spool(state(repo)).list_refused()}
    assert keys(repo) == [GATEWAY]
    assert set(refused) == {bad, torn, odd, deep, unreadable}
    assert "secret" in refused[bad]
    assert "ghp_" not in refused[bad]


def test_captured_once_brings_back_nothing_and_changes_nothing(memory, repo: Path) -> None:
    memory.remember(TEXT)
    memory.remember("Retries are capped at three")
    memory.forget("retries-are-capped-at-three", why="they are not")
    before = tip(repo)
    memory.capture(TEXT, refs=["commit:abc"], once=True)
    memory.capture("Retries are capped at three", once=True)

    memory.captures.drain()

    assert tip(repo) == before
    assert not waiting_captures(state(repo))


def test_two_that_drain_take_turns(memory, repo: Path) -> None:
    memory.capture(TEXT)
    lock = Spool(state(repo)).lock()
    assert lock is not None
    memory.repository.config = type(memory.repository.config)(lock_timeout_s=0.05)
    try:
        with pytest.raises(ConflictError):
            memory.captures.drain()
    finally:
        os.close(lock)

    assert memory.captures.drain() == 1


def test_catalog_on_disk_never_holds_what_is_only_spooled(memory, repo: Path) -> None:
    memory.remember("Tokens are signed with RS256")
    memory.capture(TEXT)
    keys_found(memory, "gateway")

    stored = Catalog.open(state(repo), analysis=memory.repository.catalog().meta("analysis"))

    assert stored is not None
    assert [row[0] for row in stored.rows("SELECT key FROM memory")] == ["tokens-are-signed-with-rs256"]
    stored.close()


def test_verify_records_what_it_finds_while_something_waits(memory, repo: Path) -> None:
    memory.fact("There is a gateway", exists="src/gateway/retry.py", key="a-fact", unproven=True)
    memory.capture(TEXT)

    run = memory.verify(options=Options(), report=lambda *_: None)

    assert [result.outcome for result in run.results] == ["holds"]
    assert memory.show("a-fact").document["status"] == "verified"
    assert keys_found(memory, "gateway drops idle") == [GATEWAY, "a-fact"]
    assert memory.captures.drain() == 1
    assert memory.show("a-fact").document["status"] == "verified"


def test_sync_takes_what_was_captured_along(memory, repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "remote.git")
    git(repo, "remote", "add", "origin", str(tmp_path / "remote.git"))
    memory.capture(TEXT)

    memory.sync()

    assert GATEWAY in git(tmp_path / "remote.git", "ls-tree", "-r", "--name-only", "memory")


def test_writer_that_cannot_commit_captured_text_says_that_its_own_text_was_not_recorded(memory, repo: Path) -> None:
    memory.capture(TEXT)
    lock = state(repo) / "spool" / "lock"
    lock.mkdir()

    with pytest.raises(GitmemError) as refused:
        memory.remember("Retries are limited")

    assert refused.value.message.startswith("nothing was recorded: the repository cannot be written to: ")
    assert "texts captured earlier are kept" in refused.value.hint
    assert f"a folder is in its place; move it: mv -n {lock} {lock}.old, then" in refused.value.hint
    assert set(keys_found(memory, "gateway retries limited")) == {GATEWAY}
    lock.rename(f"{lock}.old")
    memory.remember("Retries are limited")
    assert len(keys_found(memory, "gateway retries limited")) == 2


def test_statuses_are_right_while_what_is_spooled_becomes_a_commit(memory, repo: Path, monkeypatch) -> None:
    memory.fact("There is a gateway", exists="src/gateway/retry.py", key="a-fact")
    memory.capture(TEXT)
    commit_files(repo, {"more": "1\n"})
    worked_out = OpenRepository.ground

    def and_then_drained(self: OpenRepository, *catalog: Catalog) -> int | None:
        ground = worked_out(self, *catalog)
        with Memory(repo) as other:
            other.captures.drain()
        return ground

    monkeypatch.setattr(OpenRepository, "ground", and_then_drained)

    assert {hit.key: hit.status for hit in memory.list(Query()).hits} == {"a-fact": "verified", GATEWAY: ""}


def test_export_knows_statuses_while_something_waits(memory, repo: Path) -> None:
    memory.fact("There is a gateway", exists="src/gateway/retry.py", key="a-fact")
    memory.capture(TEXT)
    commit_files(repo, {"more": "1\n"})

    assert [json.loads(line)["key"] for line in memory.bulk.export(Query(statuses=("verified",), limit=9))] == [
        "a-fact"
    ]
    assert [notice.split(":")[0] for notice in memory.notices] == [
        "1 captured memories are not committed yet and were not exported; commit them with gitmem doctor --fix"
    ]

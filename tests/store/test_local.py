"""Local state: what was kept is found again, and a full, read-only or damaged disk never keeps anybody from reading."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.each import each

from gitmem.frozen import replace
from gitmem.model import FAILS, HOLDS, Blocked, Verdict
from gitmem.store import local as module
from gitmem.store.local import KEPT_OUTPUTS, KEPT_PER_FACT, CheckOutput, LocalState
from gitmem.store.state.registration import clone_id

VERDICT = Verdict("a", "5" * 64, "c" * 64, HOLDS, "0" * 40, "files:1", 1_790_000_000, because="it's", seconds=0.5)


@pytest.fixture
def local(tmp_path: Path):
    """Return the local state of a clone that has none yet."""
    state = LocalState(tmp_path / "state")
    yield state
    state.close()


def again(local: LocalState) -> LocalState:
    """Close a local state; it opens anew at the next question."""
    local.close()
    return local


def test_reading_creates_no_database(local: LocalState, tmp_path: Path) -> None:
    assert (local.serial(), local.verdicts(), local.blocked(), local.accesses(["a"])) == (0, {}, {}, {})
    local.end_blocked(["a"])
    assert not (tmp_path / "state").exists()


def test_verdict_made_here_is_marked_as_own(local: LocalState) -> None:
    assert local.add_verdicts([VERDICT])

    assert again(local).verdicts() == {"a": [replace(VERDICT, own=True)]}


def test_verdicts_are_found_by_key_the_oldest_first(local: LocalState) -> None:
    local.add_verdicts([replace(VERDICT, inputs="1"), replace(VERDICT, key="b"), replace(VERDICT, inputs="2")])

    assert [v.inputs for v in local.verdicts(["a"])["a"]] == ["1", "2"]
    assert set(local.verdicts(["a", "none"])) == {"a"}
    assert local.verdicts([]) == {}


def test_many_keys_can_be_asked_for_at_once(local: LocalState) -> None:
    local.add_verdicts([VERDICT])

    assert set(local.verdicts(["a", *(f"k{n}" for n in range(2000))])) == {"a"}


def test_the_same_judgement_is_kept_once_and_is_the_latest(local: LocalState) -> None:
    local.add_verdicts([VERDICT, replace(VERDICT, inputs="2")])

    local.add_verdicts([replace(VERDICT, outcome=FAILS)])

    assert [(v.inputs, v.outcome) for v in local.verdicts()["a"]] == [("2", HOLDS), ("files:1", FAILS)]


def test_the_serial_moves_with_every_verdict(local: LocalState) -> None:
    serials = [local.serial()]
    for _ in range(3):
        local.add_verdicts([VERDICT])
        serials.append(local.serial())

    assert sorted(set(serials)) == serials


def test_only_the_latest_verdicts_of_a_fact_are_kept(local: LocalState) -> None:
    local.add_verdicts([replace(VERDICT, key="b")])
    for n in range(KEPT_PER_FACT + 5):
        local.add_verdicts([replace(VERDICT, inputs=str(n))])

    kept = local.verdicts()

    assert [v.inputs for v in kept["a"]] == [str(n) for n in range(5, KEPT_PER_FACT + 5)]
    assert len(kept["b"]) == 1


def blocked(key: str, at: int, reason: str) -> Blocked:
    return Blocked(key, "s", "c", "i", at, reason)


def test_blocked_check_is_stored_until_there_is_a_verdict(local: LocalState) -> None:
    first, second, third = blocked("a", 5, "no network"), blocked("b", 6, "timeout"), blocked("a", 7, "no tool")
    local.add_blocked([first, second, third])

    assert again(local).blocked() == {"a": third, "b": second}
    local.end_blocked(["a", "none"])
    assert local.blocked() == {"b": second}


def test_number_moves_whenever_something_is_blocked_though_it_was_forgotten(local: LocalState) -> None:
    numbers = [local.serial()]
    for at in range(3):
        local.add_blocked([blocked("a", at, "no tool")])
        numbers.append(local.serial())
        local.end_blocked(["a"])

    assert numbers == sorted(set(numbers))


@settings(max_examples=12)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 100)), max_size=12))
def test_accesses_are_counted_with_their_last_time(looks: list[tuple[str, int]]) -> None:
    expected: dict[str, tuple[int, int]] = {}
    with tempfile.TemporaryDirectory() as folder:
        local = LocalState(folder)
        for key, now in looks:
            local.count_access(key, now)
            expected[key] = (expected.get(key, (0, 0))[0] + 1, now)

        assert local.accesses("abc") == expected
        local.close()


def test_two_processes_count_at_once(local: LocalState, tmp_path: Path) -> None:
    script = (
        "import sys; from gitmem.store.local import LocalState\n"
        "for _ in range(50): s = LocalState(sys.argv[1]); s.count_access('a', 1); s.close()"
    )
    local.count_access("a", 1)

    children = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "state")]) for _ in range(2)]

    assert [child.wait() for child in children] == [0, 0]
    assert local.accesses(["a"]) == {"a": (101, 1)}


@each("name", ["a b", "100%", "what?#x", "ünï", "new\nline", "caf\udce9", "file:x?mode=ro"])
def test_a_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    local = LocalState(tmp_path / name)
    local.add_verdicts([VERDICT])

    assert set(again(local).verdicts()) == {"a"}
    local.close()


# Faults


def test_file_that_is_not_a_database_is_set_aside(local: LocalState, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / module.LOCAL).write_bytes(b"not a database, but somebody's bytes" * 100)

    assert local.verdicts() == {}
    assert local.add_verdicts([VERDICT])
    assert (tmp_path / "state" / f"{module.LOCAL}.damaged").read_bytes().startswith(b"not a database")
    assert set(again(local).verdicts()) == {"a"}


@pytest.mark.parametrize("question", ["serial", "verdicts", "blocked", "accesses", "count_access", "add_verdicts"])
def test_damage_in_the_middle_is_set_aside_at_the_first_question(
    local: LocalState, tmp_path: Path, question: str
) -> None:
    _fill(local)
    file = tmp_path / "state" / module.LOCAL
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    file.write_bytes(content)

    asked = {
        "serial": local.serial,
        "verdicts": local.verdicts,
        "blocked": local.blocked,
        "accesses": lambda: local.accesses(["k1"]),
        "count_access": lambda: local.count_access("k1", 1),
        "add_verdicts": lambda: local.add_verdicts([VERDICT]),
    }[question]
    asked()

    assert file.with_name(f"{module.LOCAL}.damaged").exists()
    local.count_access("a", 3)
    assert again(local).accesses(["a"]) == {"a": (1, 3)}


def test_one_changed_byte_anywhere_raises_nothing_and_later_verdicts_are_kept(tmp_path: Path) -> None:
    with contextlib.closing(LocalState(tmp_path)) as first:
        first.add_verdicts([replace(VERDICT, key=f"k{n}") for n in range(3)])
        first.add_blocked([blocked("k1", 5, "no disk")])
        first.count_access("k1", 3)
    file = tmp_path / module.LOCAL
    with contextlib.closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    whole = file.read_bytes()
    chance = random.Random(4)

    for place in chance.sample([place for place, byte in enumerate(whole) if byte], 100):
        damaged = bytearray(whole)
        damaged[place] ^= chance.choice((0xFF, 1 << chance.randrange(8)))
        for suffix in ("-wal", "-shm"):
            Path(f"{file}{suffix}").unlink(missing_ok=True)
        file.write_bytes(damaged)
        with contextlib.closing(LocalState(tmp_path)) as local:
            assert local.serial() >= 0 and local.count_looks() >= 0
            sorted(local.verdicts()), sorted(local.blocked()), sorted(local.accesses(["k1"]))
            local.count_access("k1", 4)
            assert local.add_verdicts([VERDICT]) or local.add_verdicts([VERDICT]), place
            assert "a" in local.verdicts(["a"]), place


def _fill(local: LocalState) -> None:
    local.add_verdicts([replace(VERDICT, key=f"k{n}", because="x" * 200) for n in range(200)])
    local.add_blocked(blocked(f"k{n}", n, "x" * 200) for n in range(200))
    for n in range(3):
        local.count_access(f"k{n}", n)
    local.close()
    db = sqlite3.connect(os.path.join(local._dir, module.LOCAL))
    db.execute("PRAGMA journal_mode = DELETE")
    db.close()


def test_an_empty_file_is_filled(local: LocalState, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / module.LOCAL).touch()

    assert local.serial() == 0
    assert local.add_verdicts([VERDICT])


def run_limited(script: str, folder: Path) -> str:
    """Run Python where no file may grow (a full disk, to a program) and return what it printed."""
    limit = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
    setup = "from gitmem.store.local import LocalState\nfrom gitmem.store.state.registration import clone_id\n"
    setup += "from gitmem.model import Blocked, Verdict\n"
    setup += f"local = LocalState({str(folder)!r})\nverdict = Verdict('b', 's', 'c', 'holds', 'o', 'i', 1)\n"
    done = subprocess.run([sys.executable, "-c", setup + limit + script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


ASK_ALL = (
    "local.count_access('a', 1); local.add_blocked([Blocked('a', 's', 'c', 'i', 1, 'x')]); local.end_blocked(['a'])\n"
    "print(local.add_verdicts([verdict]), sorted(local.verdicts()), local.blocked(), local.accesses(['a']),"
    " local.serial())"
)


def test_on_a_full_disk_nothing_is_kept_and_nothing_raises(tmp_path: Path) -> None:
    assert run_limited(ASK_ALL, tmp_path / "state") == "False [] {} {} 0\n"
    assert not [name for name in os.listdir(tmp_path / "state") if name.endswith(".damaged")]


def test_after_the_disk_was_full_it_is_kept_again(local: LocalState, tmp_path: Path) -> None:
    run_limited(ASK_ALL, tmp_path / "state")

    assert local.add_verdicts([VERDICT])
    assert set(again(local).verdicts()) == {"a"}


def test_on_a_full_disk_what_was_kept_is_read(local: LocalState, tmp_path: Path) -> None:
    local.add_verdicts([VERDICT])
    local.count_access("a", 5)
    local.close()

    assert run_limited(ASK_ALL, tmp_path / "state") == "False ['a'] {} {'a': (1, 5)} 1\n"


# The clone's id


def test_a_clones_id_is_made_once(tmp_path: Path) -> None:
    made = clone_id(tmp_path / "state")

    assert made == clone_id(tmp_path / "state")
    assert len(bytes.fromhex(made.split("-")[0])) == 16
    assert made != clone_id(tmp_path / "other")


def test_copy_gets_another_id_and_a_moved_clone_keeps_its_id(tmp_path: Path) -> None:
    made = clone_id(tmp_path / "state")
    shutil.copytree(tmp_path / "state", tmp_path / "copy")
    (tmp_path / "state").rename(tmp_path / "moved")

    assert clone_id(tmp_path / "copy") != made
    assert clone_id(tmp_path / "moved") == made


def test_only_the_owner_can_read_a_clones_id(tmp_path: Path) -> None:
    clone_id(tmp_path / "state")

    assert (tmp_path / "state" / "clone-id").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


def test_many_processes_that_begin_at_once_agree_on_the_clones_id(tmp_path: Path) -> None:
    made = "sys.stdin.read(1); print(clone_id(sys.argv[1]))"
    script = f"import sys; from gitmem.store.state.registration import clone_id; {made}"
    argv = [sys.executable, "-c", script, str(tmp_path / "state")]
    children = [subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(6)]

    message = {child.communicate("x")[0].strip() for child in children}

    assert message == {clone_id(tmp_path / "state")}


def test_a_full_disk_leaves_no_empty_id(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    script = f"try: clone_id({str(tmp_path / 'state')!r})\nexcept OSError: print('no')"

    assert run_limited(script, tmp_path / "state") == "no\n"
    assert len(clone_id(tmp_path / "state").split("-")[0]) == 32


def test_latest_outputs_are_kept_until_a_check_holds(local):
    made = [CheckOutput(f"k{n}", "0" * 40, n, "no") for n in range(KEPT_OUTPUTS + 2)]
    local.keep_outputs(made)
    local.keep_outputs([CheckOutput("k9", "1" * 40, 1, "again"), CheckOutput("k8", "1" * 40, 1, "")])

    assert again(local).find_output("k9") == CheckOutput("k9", "1" * 40, 1, "again")
    assert [local.find_output(key) for key in ("k0", "k1", "k8")] == [None, None, None]
    assert local.find_output(f"k{KEPT_OUTPUTS + 1}") == made[-1]


def test_output_of_checks_that_hold_makes_no_file(local, tmp_path):
    local.keep_outputs([CheckOutput("a", "0" * 40, 1, "")])

    assert not (tmp_path / "state").exists()

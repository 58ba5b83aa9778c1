"""File names that cannot leave the folder, and files of lines that stay bounded with many writers at once."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sessions import lines

from gitmem.agents.session import places
from gitmem.errors import BusyError
from gitmem.system.file_lock import try_lock


@given(st.text(max_size=400), st.text(max_size=8))
def test_file_name_stays_in_its_folder_and_is_unique(one: str, other: str) -> None:
    name = places.file_name(one)

    assert name not in ("", ".", "..")
    assert not {"/", "\\", "\0"} & set(name)
    assert name == name.lower()
    assert len(name) < 200
    assert (name == places.file_name(other)) == (one == other)


def test_a_name_says_what_it_is_of() -> None:
    assert places.unescape_name(places.file_name("feature/Ledger ä")) == "feature/Ledger ä"


def test_lines_are_trimmed_to_the_newest_whole_ones(tmp_path) -> None:
    path = str(tmp_path / "a" / "log.jsonl")

    for number in range(200):
        places.append(path, {"number": number, "text": "x" * 50}, limit=4000)

    found = lines(path)
    assert os.path.getsize(path) <= 4000
    assert [entry["number"] for entry in found] == list(range(200 - len(found), 200))
    assert len(found) > 20


def test_half_a_line_of_a_killed_writer_costs_that_line_alone(tmp_path) -> None:
    path = str(tmp_path / "log.jsonl")
    places.append(path, {"a": 1}, limit=4000)
    with open(path, "a") as file:
        file.write('{"b": ')

    places.append(path, {"c": 3}, limit=4000)

    assert places.read_lines(path, 4000) == [{"a": 1}, {"c": 3}]


def test_what_is_no_object_is_no_entry(tmp_path) -> None:
    (tmp_path / "log.jsonl").write_text(f'[]\nnull\n{"[" * 100_000}\n{{"a": 1}}\n')

    assert places.read_lines(str(tmp_path / "log.jsonl"), 1_000_000) == [{"a": 1}]


def test_many_processes_lose_no_line(tmp_path) -> None:
    path = str(tmp_path / "log.jsonl")
    script = (
        "import sys; from gitmem.agents.session.places import append\n"
        "for n in range(25): append(sys.argv[1], {'who': sys.argv[2], 'n': n}, limit=1_000_000)"
    )

    running = [subprocess.Popen([sys.executable, "-c", script, path, str(who)]) for who in range(6)]

    assert [one.wait() for one in running] == [0] * 6
    assert sorted((entry["who"], entry["n"]) for entry in lines(path)) == sorted(
        (str(who), n) for who in range(6) for n in range(25)
    )


def test_waiting_for_a_writer_that_hangs_ends(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(places, "PATIENCE_S", 0.05)
    lock = try_lock(tmp_path / places.LOCK)

    with pytest.raises(BusyError):
        places.append(str(tmp_path / "log.jsonl"), {}, limit=4000)
    os.close(lock)

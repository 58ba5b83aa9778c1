"""Which files are read as transcripts, and how much of them."""

from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.transcripts import placed

from gitmem.agents.transcripts.source import UnreadableError, iter_records, open_own


def records(path: Path, **bounds: int) -> list[dict]:
    fd = os.open(path, os.O_RDONLY)
    try:
        return list(iter_records(fd, **bounds))
    finally:
        os.close(fd)


def numbered(first: int, last: int) -> bytes:
    return b"".join(b'{"n":%d}\n' % number for number in range(first, last))


def numbers(found: list[dict]) -> list[int]:
    return [one["n"] for one in found]


def test_a_file_in_a_client_folder_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    os.close(open_own(str(placed("{}\n", folder=".codex/sessions"))))
    (tmp_path / "moved").mkdir()
    (tmp_path / "moved" / "a.jsonl").write_text("{}")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "moved"))

    os.close(open_own(str(tmp_path / "moved" / "a.jsonl")))


@pytest.mark.parametrize(
    "what", ["elsewhere", "dotdot", "link", "folder link", "pipe", "folder", "gone", "name", "relative"]
)
def test_nothing_else_is_read(what: str, tmp_path: Path) -> None:
    home = placed("{}\n").parent
    outside = tmp_path / "a.jsonl"
    outside.write_text('{"secret": 1}\n')
    path = home / f"{what.replace(' ', '-')}.jsonl"
    path.unlink(missing_ok=True)
    if what == "link":
        path.symlink_to(outside)
    elif what == "folder link":
        path.symlink_to(tmp_path)
        path = path / "a.jsonl"
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir(exist_ok=True)
    named = {
        "elsewhere": str(outside),
        "dotdot": f"{home}/../../../../{os.path.relpath(outside, '/')}",
        "name": str(placed("{}", name="id_rsa")),
        "relative": "s1.jsonl",
    }

    with pytest.raises(UnreadableError) as caught:
        open_own(named.get(what, str(path)))

    assert str(tmp_path) not in str(caught.value)


def test_a_device_is_not_read() -> None:
    with pytest.raises(UnreadableError):
        open_own("/dev/zero")


def test_beginning_and_end_of_a_large_file_are_read_in_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(numbered(100, 1000))  # 10 bytes a line

    assert numbers(records(path, head=25, rest=34)) == [100, 101, 997, 998, 999]


def test_damaged_and_cut_lines_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a"
    deep = b"[" * 100_000
    path.write_bytes(
        b'{"n":1}\n\x00\x00\x00{"n":2}\n{"n":\n\xff\xfe\n[1]\n' + deep + b'\n\n\r\n{"n":3}\r\n{"n":4, "x": "unfin'
    )

    assert numbers(records(path)) == [1, 2, 3]


def test_text_that_is_not_utf_8_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b'{"n": "a\xffb"}\n')

    assert numbers(records(path)) == ["a\ufffdb"]


def test_line_that_is_too_long_is_skipped_in_constant_memory(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with path.open("wb") as file:
        file.write(b'{"n":1}\n{"n":"')
        for _ in range(8):
            file.write(b"x" * (1 << 20))
        file.write(b'"}\n{"n":2}\n')
    tracemalloc.start()
    try:
        found = records(path, line=1 << 20)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert numbers(found) == [1, 2]
    assert peak < 6 << 20


def test_lines_written_meanwhile_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(numbered(0, 3))
    fd = os.open(path, os.O_RDONLY)
    found = iter_records(fd)
    first = next(found)
    with path.open("ab") as file:
        file.write(numbered(3, 9))

    assert numbers([first, *found]) == [0, 1, 2]
    os.close(fd)


@pytest.mark.parametrize("cut", [0, 30], ids=["whole", "cut off"])
def test_one_object_over_many_lines_is_read_element_by_element(tmp_path: Path, cut: int) -> None:
    messages = [
        {"id": str(number), "n": number, "inner": {"a": [{"b": 1}]}, "text": "{\n    {\n    }"} for number in range(4)
    ]
    text = json.dumps({"sessionId": "s", "messages": messages}, indent=2)
    path = tmp_path / "a"
    path.write_text(text[: len(text) - cut])

    found = records(path)

    assert found == messages[: 3 if cut else 4]


def test_last_elements_of_a_large_object_are_read(tmp_path: Path) -> None:
    messages = [{"n": number} for number in range(1000)]
    path = tmp_path / "a"
    path.write_text(json.dumps({"messages": messages}, indent=2))

    found = records(path, head=70, rest=70)

    assert numbers(found) == [0, 1, 998, 999]


@given(
    st.lists(
        st.sampled_from(
            [b"{", b"}", b"    {", b"    }", b'"a": 1', b"\n", b"\r\n", b"\x00", b"\xff", b"[", b",", b"{}"]
        )
    )
)
def test_no_bytes_raise(parts: list[bytes]) -> None:
    fd = os.memfd_create("a")
    try:
        os.write(fd, b"".join(parts))
        assert all(isinstance(one, dict) for one in iter_records(fd, head=7, rest=11, line=9))
    finally:
        os.close(fd)

"""Result files: what one machine writes another one reads, and nothing else that is called one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.errors import GitmemError, RefusedError, UsageError
from gitmem.frozen import replace
from gitmem.model import Verdict
from gitmem.verify.jobs import result_file as module
from gitmem.verify.jobs.result_file import (
    ResultLine,
    Results,
    format_results,
    list_missing,
    parse_results,
    read_results,
)

VERDICT = Verdict(
    *("auth", "a" * 64, "b" * 64, "fails", "d" * 40, "files:1", 1_790_000_000, "exit 1: no", "bubblewrap"),
    held_commit="c" * 40,
    held_at=1_780_000_000,
    seconds=0.5,
    flapping=3,
    reads="r",
    environment="t",
    undeclared="u",
    moved="m",
    outside="network",
    attempt="4 of 8 fail",
    attempt_at=1_780_000_001,
    alike=7,
)
LINE = ResultLine(VERDICT, "timed out")
RESULTS = Results("0.1.0", "d" * 40, "e" * 40, "2/8", (LINE,))


def changed(**fields: object) -> bytes:
    """Return the file with fields of its one fact changed; None takes one away."""
    head, line = map(json.loads, format_results(RESULTS).splitlines())
    row = {name: value for name, value in (line | fields).items() if value is not None}
    return f"{json.dumps(head)}\n{json.dumps(row)}\n".encode()


def test_formatted_results_are_parsed_back() -> None:
    assert parse_results(format_results(RESULTS).encode()) == RESULTS
    assert format_results(Results("0.1.0", "d" * 40, "", "", ())).count("\n") == 1


def test_file_of_an_earlier_gitmem_lacks_the_later_fields() -> None:
    verdict = parse_results(changed(attempt=None, attempt_at=None, alike=None)).lines[0].verdict

    assert (verdict.attempt, verdict.attempt_at, verdict.alike, verdict.outside) == ("", 0, 0, "network")


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=100))
def test_result_file_keeps_any_text_of_a_check(text: str) -> None:
    line = replace(LINE, verdict=replace(VERDICT, because=text))

    assert parse_results(format_results(Results("0.1.0", "d" * 40, "", "", (line,))).encode()).lines == (line,)


HOSTILE = {
    "outcome unknown": {"outcome": "maybe"},
    "outcome not text": {"outcome": ["holds"]},
    "commit short": {"held_commit": "c" * 12},
    "commit upper case": {"held_commit": "C" * 40},
    "key a path": {"key": "../../x"},
    "key a command of the forge": {"key": "::error::x"},
    "flag a number": {"weak": 1},
    "number a flag": {"flapping": True},
    "number a float": {"flapping": 1.0},
    "number negative": {"seconds": -1},
    "number huge": {"seconds": 10**14},
    "text too long": {"because": "x" * 501},
    "half a pair": {"because": "\ud800"},
    "time no time": {"at": "yesterday"},
    "time with more": {"at": "2026-09-21T14:13:20Z; x"},
    "spec short": {"spec": "a" * 16},
    "digest with a space": {"inputs": "files: 1"},
    "rung unknown": {"sandbox": "host"},
    "field missing": {"weak": None},
    "field more": {"own": True},
}


@each("fields", HOSTILE.values())
def test_line_with_one_wrong_field_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="line 2"):
        parse_results(changed(**fields))


FILES = {
    "empty": b"",
    "no head": b"\n",
    "cut off": format_results(RESULTS).encode()[:-1],
    "a fact less": format_results(RESULTS).encode().split(b"\n")[0] + b"\n",
    "a fact more": format_results(RESULTS).encode() + b"{}\n",
    "not UTF-8": changed().replace(b"auth", b"\xff\xfe"),
    "field twice": changed().replace(b'"weak": false', b'"weak": false, "weak": true'),
    "not a number": changed().replace(b"0.5", b"NaN"),
    "endless": changed().replace(b"0.5", b"1e999"),
    "digits": changed().replace(b'"flapping": 3', b'"flapping": ' + b"9" * 5000),
    "deep": changed().replace(b'"flapping": 3', b'"flapping": ' + b"[" * 50_000),
    "other format": changed().replace(b"results-1", b"results-2"),
    "other shard": changed().replace(b"2/8", b"9/8"),
    "long line": changed(reads="x" * module.LINE_LIMIT),
    "a zip": b"PK\x03\x04" + bytes(100),
}


@each("content", FILES.values())
def test_invalid_result_file_is_refused_without_quoting_it(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "part\n::error::x"
    path.write_bytes(content)

    with pytest.raises(RefusedError) as refused:
        read_results(str(path))

    assert "\n" not in refused.value.message
    assert "auth" not in refused.value.message


def test_only_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_text(format_results(RESULTS), encoding="utf-8")
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", ".", "missing"):
        with pytest.raises(RefusedError):
            read_results(str(tmp_path / name))


def test_result_file_past_its_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FILE_LIMIT", 100)
    (tmp_path / "file").write_text(format_results(RESULTS), encoding="utf-8")

    with pytest.raises(RefusedError, match="more than"):
        read_results(str(tmp_path / "file"))


def test_result_file_is_written_atomically(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()

    module.write_results(str(tmp_path / "file"), RESULTS)
    with pytest.raises(GitmemError, match="cannot write the results"):
        module.write_results(str(tmp_path / "none" / "file"), RESULTS)
    with pytest.raises(GitmemError, match="cannot write the results"):
        module.write_results(str(tmp_path / "folder"), RESULTS)
    for name in ("none/file", "folder"):
        with pytest.raises(UsageError):
            module.need_writable(str(tmp_path / name))

    assert read_results(str(tmp_path / "file")) == RESULTS


def test_shards_without_a_file_are_named() -> None:
    files = [Results("0", "d" * 40, "", shard, ()) for shard in ("1/3", "3/3", "")]

    assert list_missing(files) == ["2/3"]

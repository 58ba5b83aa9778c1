"""Sources are checked before anything is read; standard input and pipes are sources too."""

from __future__ import annotations

import io
import os
import threading
from pathlib import Path

import pytest

from gitmem.errors import NotFoundError, RefusedError
from gitmem.plugins.import_.fields import ImportRecord
from gitmem.plugins.import_.files import check_sources, read_sources
from gitmem.plugins.import_.folder import ImportContext
from gitmem.plugins.import_.names import Names


def read(
    *names: str, kind: str = "", stdin: bytes = b"", stdin_text: list[tuple[int, int]] | None = None
) -> list[ImportRecord]:
    say = None if stdin_text is None else lambda done, of: stdin_text.append((done, of))
    found = list(read_sources(names, ImportContext(Names(), kind), stdin=io.BytesIO(stdin), progress_of=say))
    assert all(isinstance(one, ImportRecord) for one in found)
    return [one for one in found if isinstance(one, ImportRecord)]


def test_sources_are_read_in_turn_with_their_default_kinds(tmp_path: Path) -> None:
    (tmp_path / "k.jsonl").write_text('{"content": "a line"}\n')
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("a file")
    names = [str(tmp_path / "k.jsonl"), str(tmp_path / "docs"), str(tmp_path / "docs" / "a.md"), "-"]
    stdin_text: list[tuple[int, int]] = []

    found = read(*names, stdin=b'{"content": "typed"}', stdin_text=stdin_text)

    assert [(one.body, one.fields["kind"]) for one in found] == [
        ("a line", "learned"), ("a file", "doc"), ("a file", "doc"), ("typed", "learned")
    ]  # fmt: skip
    assert {one.fields["kind"] for one in read(*names, kind="recipe")} == {"recipe"}
    assert stdin_text == [(22, 22), (1, 1)]


def test_plain_text_is_a_document_and_json_of_that_name_is_not(tmp_path: Path) -> None:
    (tmp_path / "Ferry.txt").write_text("It sails at six.\n")
    (tmp_path / "backup.txt").write_text('{"items": [{"text": "a line"}]}')

    (tmp_path / "todo.txt").write_text("[x] Paint the ferry.\n")
    (tmp_path / "list.txt").write_text('\ufeff[\n{"text": "another"}]')

    found = read(*(str(tmp_path / name) for name in ("Ferry.txt", "backup.txt", "todo.txt", "list.txt")))

    assert [(one.body, one.fields["kind"]) for one in found] == [
        ("It sails at six.", "doc"),
        ("a line", "learned"),
        ("[x] Paint the ferry.", "doc"),
        ("another", "learned"),
    ]


def test_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(b'{"content": "piped"}\n'))
    writer.start()

    check_sources([str(pipe)])
    found = read(str(pipe))
    writer.join()

    assert [one.body for one in found] == ["piped"]


def test_unusable_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="No such file"):
        check_sources([str(tmp_path / "none.jsonl")])
    with pytest.raises(RefusedError, match="neither a file nor a folder"):
        check_sources(["/dev/zero"])

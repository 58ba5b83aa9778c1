"""What was purged is removed from paths, contents and messages, and from nothing else."""

from __future__ import annotations

from pathlib import Path

from conftest import git, memory_text, put_files, tip

from gitmem.memory import Memory
from gitmem.store import layout
from gitmem.store.purged import KEY, TEXT, TRACE, Eraser, format_marks, list_records, parse_marks
from gitmem.text.fingerprints import fingerprint

SECRET = b"walrus-9431"


def test_marks_survive_their_trailers_and_invalid_ones_are_left_out() -> None:
    marks = ((KEY, fingerprint(b"octopus")), (TEXT, fingerprint(SECRET)), (TRACE, fingerprint(b"The title")))
    lines = [value for _, value in format_marks(marks)]

    assert parse_marks(lines) == marks
    assert parse_marks([*lines, "key 1 2", "else " + lines[0], ""]) == marks


def test_text_that_is_too_short_to_purge_is_no_mark_but_a_short_key_is() -> None:
    marks = [(what, fingerprint(b"e")) for what in (KEY, TEXT, TRACE)]

    assert parse_marks(value for _, value in format_marks(marks)) == (marks[0],)


def test_text_goes_from_every_file_and_a_trace_only_from_generated_ones_and_messages() -> None:
    text, trace = Eraser([(TEXT, fingerprint(SECRET))]), Eraser([(TRACE, fingerprint(SECRET))])
    content = b"it is " + SECRET + b"."

    for path in ("learned/a.md", layout.STATUS_PATH, "gitmem.toml"):
        assert text.content(path, content) == b"it is [purged]."
    assert trace.content("learned/a.md", content) == content
    assert trace.content(layout.STATUS_PATH, content) == trace.text(content) == b"it is [purged]."


def test_purged_key_takes_its_files_and_verdicts_along_and_no_others() -> None:
    eraser = Eraser([(KEY, fingerprint(b"octopus"))])
    bucket = b'[octopus.0123456789abcdef]\noutcome = "holds"\n'

    dropped = ["learned/octopus.md", "archive/learned/octopus.md", layout.verdict_path("octopus", "0123456789abcdef")]
    kept = ["learned/octopus-2.md", "STATUS.md", "octopus.md"]
    assert [path for path in [*dropped, *kept] if eraser.drops(path)] == dropped
    assert eraser.content(layout.bucket_path("octopus"), bucket) == b""


def test_records_are_listed_newest_first_and_only_where_asked(memory: Memory, repo: Path) -> None:
    put_files(repo, {"learned/octopus.md": memory_text("Octopus"), "learned/squid.md": memory_text("Squid pools")})
    before = tip(repo)
    memory.purges.purge("octopus")
    first = tip(repo)
    memory.purges.purge("squid")

    found = list_records(memory.repository.git, tip(repo))

    assert [len(record.keys()) for record in found] == [1, 1]
    assert found[0].commit == tip(repo)
    assert list_records(memory.repository.git, tip(repo), tip(repo)) == []
    assert git(repo, "cat-file", "-t", tip(repo)) == "commit"
    assert before != first

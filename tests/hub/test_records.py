"""Records are read where they were written, also by views that were made before later ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.errors import GitmemError
from gitmem.hub.records import NAME, Records, is_whole

TEXTS = [(b"a", b""), (b"line\n\0\xff", b"many\nlines"), (b"", b"x" * 100_000)]


def test_records_are_read_at_their_places(tmp_path: Path) -> None:
    records = Records(tmp_path)
    places = [records.append(*TEXTS[0])]
    records.flush()
    early = records.view()
    places += [records.append(*texts) for texts in TEXTS[1:]]
    records.flush()
    late, size = records.view(), records.size
    records.close()
    again = Records(tmp_path)
    places.append(again.append(b"later", b"on"))
    again.flush()
    last = again.view()
    again.close()

    assert (early.scored(places[0]), early.shown(places[0])) == TEXTS[0]
    assert [(late.scored(at), late.shown(at)) for at in places[:3]] == TEXTS
    assert [(last.scored(at), last.shown(at)) for at in places] == [*TEXTS, (b"later", b"on")]
    assert (tmp_path / NAME).stat().st_size > size


def test_shorter_and_foreign_files_are_not_whole(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.append(b"a", b"b")
    records.flush()
    size, content = records.size, (tmp_path / NAME).read_bytes()
    records.close()
    found = [is_whole(tmp_path, size), is_whole(tmp_path, size + 1), is_whole(tmp_path, 0)]
    (tmp_path / NAME).write_bytes(b"x" * len(content))
    found.append(is_whole(tmp_path, size))
    (tmp_path / NAME).unlink()
    found.append(is_whole(tmp_path, size))

    assert found == [True, False, False, False, False]


def test_files_that_another_user_may_have_written_are_not_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = Records(tmp_path)
    records.flush()
    records.close()
    found = [is_whole(tmp_path, records.size)]
    for path, own in ((tmp_path, 0o700), (tmp_path / NAME, 0o600)):
        for mode in (own | 0o002, own):
            path.chmod(mode)
            found.append(is_whole(tmp_path, records.size))
    user = os.geteuid()
    monkeypatch.setattr("os.geteuid", lambda: user + 1)
    found.append(is_whole(tmp_path, records.size))

    assert found == [True, False, True, False, True, False]


@pytest.mark.parametrize(
    ("part", "instead"),
    [
        (b"scored", b"sc0red"),
        (b"shown", b"sh0wn"),
        (b"\x06\0\0\0\x05\0\0\0", b"\x06\0\0\0\xff\xff\xff\xff"),  # the sizes
        (b"\x06\0\0\0\x05\0\0\0", b"\xff\xff\xff\xff\x05\0\0\0"),
    ],
)
def test_damaged_record_is_never_read(tmp_path: Path, part: bytes, instead: bytes) -> None:
    records = Records(tmp_path)
    at = records.append(b"scored", b"shown")
    records.flush()
    view = records.view()
    with (tmp_path / NAME).open("r+b") as file:  # in its place, as a disk does: the view maps this file
        file.write((tmp_path / NAME).read_bytes().replace(part, instead))
    size = (tmp_path / NAME).stat().st_size

    with pytest.raises(GitmemError, match="damaged"):
        (view.scored(at), view.shown(at))
    with pytest.raises(GitmemError, match="damaged"):
        view.scored(size)  # a place of another file
    assert records.damage.is_set()
    records.erase([at])  # a wrong size erases nothing else
    records.close()
    assert (tmp_path / NAME).stat().st_size == size


def test_erased_record_is_gone_from_the_file_and_from_older_views(tmp_path: Path) -> None:
    records = Records(tmp_path)
    secret, other = records.append(b"secret one", b"secret two"), records.append(b"other", b"shown")
    records.flush()
    view = records.view()
    records.erase([secret])
    later = records.append(b"later", b"")
    records.flush()
    records.close()

    assert (view.scored(secret), view.shown(secret)) == (None, None)
    assert (view.scored(other), view.shown(other)) == (b"other", b"shown")
    assert later > other
    assert b"secret" not in (tmp_path / NAME).read_bytes()

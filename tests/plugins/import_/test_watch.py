"""A change is noticed when it is complete, and each only once."""

from __future__ import annotations

from pathlib import Path

from gitmem.plugins.import_.watch import iter_changes


def test_each_change_is_noticed_once_it_is_complete(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    waits: list[int] = []
    steps = [lambda: None, lambda: note.write_text("a"), lambda: note.write_text("a b"), lambda: None, note.unlink]

    def wait(_: float) -> None:
        waits.append(len(waits))
        if len(waits) <= len(steps):
            steps[len(waits) - 1]()

    changes = iter_changes([str(tmp_path)], wait)

    next(changes)
    assert waits == []
    next(changes)
    assert note.read_text() == "a b"
    next(changes)
    assert not note.exists()
    assert len(waits) == 6


def test_file_that_is_missing_is_waited_for(tmp_path: Path) -> None:
    later = tmp_path / "later.md"
    changes = iter_changes([str(later)], lambda _: None if later.exists() else later.touch())

    next(changes)
    next(changes)

    assert later.exists()


def test_interrupt_ends_the_wait(tmp_path: Path) -> None:
    def wait(_: float) -> None:
        raise KeyboardInterrupt

    assert list(iter_changes([str(tmp_path)], wait)) == [None]

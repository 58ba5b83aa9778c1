"""Rows about reads wait for each other while the database takes them, and stop reads as soon as it does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from support.processes import wait_until

from gitmem.errors import GitmemError
from gitmem.hub.audit import AuditLog, Read, foreign_reads
from gitmem.hub.identity import make_identity


class Table:
    """What was written, in one list for each time; nothing can be while it is full."""

    def __init__(self) -> None:
        self.written: list[list[str]] = []
        self.is_full = False
        self.error: Exception = GitmemError("full")

    def write(self, rows: Sequence[Read]) -> None:
        if self.is_full:
            raise self.error
        self.written.append([one.detail for one in rows])

    @property
    def all(self) -> list[str]:
        return [detail for batch in self.written for detail in batch]


def row(detail: str) -> list[Read]:
    return [Read(0.0, "alice", "search", 1, detail)]


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def log(table: Table) -> Iterator[AuditLog]:
    made = AuditLog(table.write)
    made.open()
    yield made
    table.is_full = False
    made.close()


def test_first_read_is_written_at_once_and_later_ones_together(log: AuditLog, table: Table) -> None:
    log.note(row("first"))
    at_once = [*table.written]
    for number in range(50):
        log.note(row(str(number)))

    assert at_once == [["first"]]
    assert wait_until(lambda: len(table.all) == 51)
    assert len(table.written) < 10
    assert table.all[1:] == [str(number) for number in range(50)]


@pytest.mark.parametrize("error", [GitmemError("full"), ValueError("a fault of the program")], ids=str)
def test_nothing_is_read_while_rows_cannot_be_written_and_none_is_lost(
    log: AuditLog, table: Table, error: Exception
) -> None:
    log.note(row("first"))
    table.is_full, table.error = True, error
    log.note(row("waits"))  # known to work a moment ago
    assert wait_until(lambda: not log._works)
    with pytest.raises(type(error)):
        log.note(row("refused"))
    table.is_full = False
    log.note(row("later"))

    assert wait_until(lambda: len(table.all) == 3)
    assert sorted(table.all) == ["first", "later", "waits"]


def test_database_that_never_took_a_row_gives_nothing_away(log: AuditLog, table: Table) -> None:
    table.is_full = True
    for _ in range(3):
        with pytest.raises(GitmemError):
            log.note(row("refused"))


def test_rows_that_have_waited_too_long_stop_reads(
    log: AuditLog, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    monkeypatch.setattr("gitmem.hub.audit.monotonic", lambda: clock[0])
    monkeypatch.setattr("gitmem.hub.audit.EACH_S", 600)  # the thread does not come to write them
    log.note(row("first"))
    log.note(row("waits"))
    clock[0] += 0.9
    log.note(row("waits, too"))
    table.is_full = True
    clock[0] += 0.2
    with pytest.raises(GitmemError):
        log.note(row("refused"))
    table.is_full = False
    log.note(row("at once"))

    assert table.written == [["first"], ["at once"]]


def test_no_more_rows_wait_than_some(log: AuditLog, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitmem.hub.audit.EACH_S", 600)
    monkeypatch.setattr("gitmem.hub.audit.WAITING_AT_MOST", 1)
    log.note(row("first"))
    log.note(row("waits"))
    log.note(row("does not wait"))

    assert table.written == [["first"], ["does not wait"]]


def test_close_writes_what_waits(log: AuditLog, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitmem.hub.audit.EACH_S", 600)
    log.note(row("first"))
    log.note(row("waits"))
    before = [*table.all]
    lost = log.close()

    assert (before, table.all, lost) == (["first"], ["first", "waits"], 0)


def test_close_says_how_many_rows_could_not_be_written(
    log: AuditLog, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.hub.audit.EACH_S", 600)
    log.note(row("first"))
    log.note([*row("waits"), *row("waits, too")])
    table.is_full = True

    assert log.close() == 2


def test_only_reads_of_other_teams_are_noted() -> None:
    identity = make_identity("alice", ("payments",))
    reads = {3: ["own"], 2: ["a", "b"], 1: ["of no team"]}
    rows = foreign_reads(identity, "search", reads, {3: "@payments", 2: "@web"})

    assert [(one.repository, one.detail, one.identity) for one in rows] == [
        (1, "of no team", "alice"),
        (2, "a b", "alice"),
    ]

"""The figures of ``gitmem stats``, at a fixed time."""

from __future__ import annotations

from gitmem.commands.report import usage
from gitmem.commands.report.usage import HitRate, Period, UsedMemory
from gitmem.policy.settings import DAY_S
from gitmem.store.state import plain_files

# Wednesday, 2026-11-25, 00:00 UTC.
TODAY = 1_795_564_800
NOW = TODAY + 3600


def before(days: int) -> int:
    return TODAY - days * DAY_S


def written(key: str, days: int, **fields) -> UsedMemory:
    return UsedMemory(key, fields.pop("kind", "learned"), before(days), fields.pop("changed", before(days)), **fields)


def test_growth_counts_whole_weeks_from_monday_and_months() -> None:
    memories = [written("a", 0), written("b", 3), written("c", 3, is_live=False), written("d", 40)]

    weeks = usage.growth_of(memories, since=before(7), now=NOW, by="week")
    months = usage.growth_of(memories, since=before(60), now=NOW, by="month")

    assert weeks == (Period("2026-11-16", 2, 1), Period("2026-11-23", 1, 1))
    assert [(one.start, one.written) for one in months] == [("2026-09-01", 0), ("2026-10-01", 1), ("2026-11-01", 3)]


def test_each_age_is_in_one_class() -> None:
    assert usage.ages_of([0, 7, 8, 365, 366, 900]) == ((7, 2), (30, 1), (90, 0), (180, 0), (365, 1), (None, 2))


def test_dead_weight_is_what_is_old_live_and_neither_recalled_nor_shown() -> None:
    memories = [
        written("never", 200),
        written("long-ago", 100),
        written("recalled", 100),
        written("opened", 100),
        written("new", 3),
        written("gone", 100, is_live=False),
        written("work", 100, kind="task"),
    ]
    shown = {"recalled": before(30), "long-ago": before(31)}

    idle, number = usage.idle_in(memories, shown, {"opened": NOW}, since=before(30))

    assert ([one.key for one in idle], number) == (["never", "long-ago"], 4)


def test_use_is_what_happens_after_a_memory_was_shown_first() -> None:
    at = before(5)
    memories = {
        one.key: one
        for one in (
            written("opened", 50),
            written("opened-before", 50),
            written("changed", 50, changed=at + 1),
            written("changed-before", 50, changed=at - 1),
            written("cited", 50, cited=at + 1),
            written("twice", 50, changed=at + 1, cited=at + 1),
        )
    }
    sessions = {
        "s1": [
            {"at": at, "tokens": 100, "shown": dict.fromkeys((*memories, "of-another-store"), "")},
            {"at": at + 60, "tokens": 20, "shown": {"changed": ""}},
        ],
        "old": [{"at": before(40), "tokens": 5, "shown": {"opened": ""}}],
        "damaged": [{"at": "x"}, {"shown": []}, {"at": at, "shown": [], "tokens": "many"}],
    }

    found = usage.session_use(sessions, memories, {"opened": at + 9, "opened-before": at - 9}, since=before(30))

    assert (found.sessions, found.tokens, found.shown) == (2, (120,), 6)
    assert (found.opened, found.changed, found.cited, found.used) == (1, 2, 2, 4)


def test_rates_are_of_the_days_looked_at_and_nothing_has_no_share() -> None:
    today = TODAY // DAY_S
    days = {
        today - 40: {plain_files.RECALLS: 9, plain_files.RECALLS_ANSWERED: 9},
        today: {plain_files.RECALLS: 4, plain_files.RECALLS_ANSWERED: 3},
    }

    found = usage.usage_of([], usage.UsageLog(days, {}, {}, {}), since=before(29), now=NOW)

    assert (found.recalls, found.prompts) == (HitRate(4, 3), HitRate(0, 0))
    assert (found.document["recalls"]["share"], found.document["prompts"]["share"]) == (0.75, None)
    assert (found.since, found.counted_since, found.median_days) == ("2026-10-27", "2026-10-16", None)
    assert found.by == "week"
    assert usage.usage_of([], usage.UsageLog(days, {}, {}, {}), since=before(364), now=NOW).by == "month"

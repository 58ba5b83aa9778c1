"""The time that a question names: what is read as a range or as an order, in each language, and what is not."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

from conftest import NOW, git, memory_text, put_files
from support.each import each

from gitmem.memory import Memory
from gitmem.recall import ranker
from gitmem.recall.query import Query
from gitmem.recall.time_words import WORDS
from gitmem.recall.when import When, factors, find_when

# 2026-09-21 is a Monday.


@each(
    ("question", "start", "end"),
    [
        ("what changed in April 2026", "2026-04-01", "2026-05-01"),
        ("what changed in April", "2026-04-01", "2026-05-01"),
        ("what changed in December", "2025-12-01", "2026-01-01"),
        ("deploys, March 2024", "2024-03-01", "2024-04-01"),
        ("what broke on 2026-04-03", "2026-04-03", "2026-04-04"),
        ("what broke on 3 April 2026", "2026-04-03", "2026-04-04"),
        ("what broke on April 3rd, 2026", "2026-04-03", "2026-04-04"),
        ("retries between October and September", "2025-10-01", "2026-10-01"),
        ("retries between 2024 and 2023", "2023-01-01", "2025-01-01"),
        ("vorig jaar", "2025-01-01", "2026-01-01"),
        ("vergangenes Jahr", "2025-01-01", "2026-01-01"),
        ("decisions since 2025-11", "2025-11-01", ""),
        ("decisions after 2024", "2025-01-01", ""),
        ("decisions before May 2025", "", "2025-05-01"),
        ("decisions until May 2025", "", "2025-06-01"),
        ("retries between 2023 and 2024", "2023-01-01", "2025-01-01"),
        ("what did we do last month", "2026-08-01", "2026-09-01"),
        ("what did we do last year", "2025-01-01", "2026-01-01"),
        ("what did we do yesterday", "2026-09-20", "2026-09-21"),
        ("what changed since 2.0", "2026-02-01", ""),
        ("outage in the first quarter of 2026", "2026-01-01", "2026-04-01"),
        ("outages, Q4 2025", "2025-10-01", "2026-01-01"),
        ("outages 2025-Q2", "2025-04-01", "2025-07-01"),
        ("outages in Q4", "2025-10-01", "2026-01-01"),
        ("retry limit as of May 2026", "", "2026-06-01"),
        ("outages last quarter", "2026-04-01", "2026-07-01"),
        ("im ersten Quartal 2026", "2026-01-01", "2026-04-01"),
        ("le deuxième trimestre de 2026", "2026-04-01", "2026-07-01"),
        ("deploys in spring 2025", "2025-03-01", "2025-06-01"),
        ("deploys in winter 2025", "2025-12-01", "2026-03-01"),
        ("outages this summer", "2026-06-01", "2026-09-01"),
        ("outages last winter", "2025-12-01", "2026-03-01"),
        ("letzten Herbst", "2025-09-01", "2025-12-01"),
        ("l'été dernier", "2026-06-01", "2026-09-01"),
        ("les décisions d'avril 2026", "2026-04-01", "2026-05-01"),
        ("was im April 2026 beschlossen wurde", "2026-04-01", "2026-05-01"),
        ("letzten Monat", "2026-08-01", "2026-09-01"),
        ("seit März 2025", "2025-03-01", ""),
        ("avant juin 2025", "", "2025-06-01"),
        ("le mois dernier", "2026-08-01", "2026-09-01"),
        ("desde enero de 2026", "2026-01-01", ""),
        ("antes de maio de 2025", "", "2025-05-01"),
        ("dopo giugno 2025", "2025-07-01", ""),
        ("sinds oktober 2025", "2025-10-01", ""),
        ("outages in the week before last", "2026-09-07", "2026-09-14"),
        ("outages the month before last", "2026-07-01", "2026-08-01"),
        ("vorletzte Woche", "2026-09-07", "2026-09-14"),
        ("l'avant-dernier mois", "2026-07-01", "2026-08-01"),
        ("la semana antepasada", "2026-09-07", "2026-09-14"),
        ("outages in Q2", "2026-04-01", "2026-07-01"),
        ("what broke over the weekend", "2026-09-19", "2026-09-21"),
        ("Ausfälle letztes Wochenende", "2026-09-19", "2026-09-21"),
        ("pannes du week-end dernier", "2026-09-19", "2026-09-21"),
        ("fallos del fin de semana pasado", "2026-09-19", "2026-09-21"),
        ("what broke yesterday morning", "2026-09-20", "2026-09-21"),
        ("what broke this morning", "2026-09-21", "2026-09-22"),
        ("ce matin", "2026-09-21", "2026-09-22"),
        ("fallos de esta mañana", "2026-09-21", "2026-09-22"),
        ("was gestern Abend ausfiel", "2026-09-20", "2026-09-21"),
        ("what broke the day before yesterday", "2026-09-19", "2026-09-20"),
        ("was ist vorgestern passiert", "2026-09-19", "2026-09-20"),
        ("avant-hier", "2026-09-19", "2026-09-20"),
        ("anteayer", "2026-09-19", "2026-09-20"),
        ("decisions of last Friday", "2026-09-18", "2026-09-19"),
        ("decisions of last Monday", "2026-09-14", "2026-09-15"),
        ("decisions since Tuesday", "2026-09-15", ""),
        ("letzten Freitag", "2026-09-18", "2026-09-19"),
        ("vendredi dernier", "2026-09-18", "2026-09-19"),
        ("el viernes pasado", "2026-09-18", "2026-09-19"),
        ("昨天的故障", "2026-09-20", "2026-09-21"),
        ("上个月的决定", "2026-08-01", "2026-09-01"),
        ("去年的故障", "2025-01-01", "2026-01-01"),
        ("前天", "2026-09-19", "2026-09-20"),
        ("上上周的故障", "2026-09-07", "2026-09-14"),
        ("先月の障害", "2026-08-01", "2026-09-01"),
    ],
)
def test_range_is_read(question: str, start: str, end: str) -> None:
    found = find_when(question, NOW, {"2.0": _at("2026-02-01")}.get)

    assert found is not None
    assert (found.start, found.end) == (_at(start) if start else None, _at(end) if end else None)
    assert ranker.may_name_time(question)


@each(
    ("question", "inside", "outside"),
    [
        ("outages seven weeks ago", "2026-08-03", "2026-08-20"),
        ("was vor drei Wochen war", "2026-08-31", "2026-09-20"),
        ("Ausfälle vor einem Monat", "2026-08-21", "2026-09-20"),
        ("les pannes d'il y a trois semaines", "2026-08-31", "2026-09-20"),
        ("fallos de hace dos semanas", "2026-09-07", "2026-09-20"),
        ("avarias há dois meses", "2026-07-21", "2026-09-20"),
        ("in den letzten drei Monaten", "2026-07-01", "2026-06-01"),
        ("les trois derniers mois", "2026-07-01", "2026-06-01"),
        ("los últimos tres meses", "2026-07-01", "2026-06-01"),
        ("once last year", "2025-07-01", "2024-07-01"),
        ("outages twenty days ago", "2026-09-01", "2026-09-10"),
        ("outages twenty-five days ago", "2026-08-27", "2026-09-10"),
        ("outages a fortnight ago", "2026-09-07", "2026-09-20"),
        ("the last fortnight", "2026-09-10", "2026-09-01"),
        ("a couple of weeks ago", "2026-09-07", "2026-09-20"),
        ("a few days ago", "2026-09-18", "2026-09-12"),
        ("notes of an hour ago", "2026-09-21T13:00", "2026-09-21T02:00"),
        ("notes of the last two hours", "2026-09-21T13:00", "2026-09-21T02:00"),
        ("vor einer Stunde", "2026-09-21T13:00", "2026-09-21T02:00"),
        ("vor zwanzig Tagen", "2026-09-01", "2026-09-10"),
        ("vor ein paar Tagen", "2026-09-18", "2026-09-12"),
        ("il y a une heure", "2026-09-21T13:00", "2026-09-21T02:00"),
        ("il y a vingt jours", "2026-09-01", "2026-09-10"),
        ("il y a quelques jours", "2026-09-18", "2026-09-12"),
        ("hace veinte días", "2026-09-01", "2026-09-10"),
        ("hace un par de semanas", "2026-09-07", "2026-09-20"),
        ("三天前的故障", "2026-09-18", "2026-09-12"),
        ("20天前", "2026-09-01", "2026-09-10"),
        ("两周前", "2026-09-07", "2026-09-20"),
        ("二十五天前", "2026-08-27", "2026-09-16"),
        ("十五天前", "2026-09-06", "2026-09-16"),
        ("twenty five days ago", "2026-08-27", "2026-09-16"),
        ("half a year ago", "2026-03-21", "2025-09-21"),
        ("un'ora fa", "2026-09-21T13:00", "2026-09-21T02:00"),
    ],
)
def test_range_around_a_number_of_units_is_read(question: str, inside: str, outside: str) -> None:
    found = find_when(question, NOW)

    assert found is not None
    assert [found.contains([int(_at(day))]) for day in (inside, outside)] == [True, False]
    assert ranker.may_name_time(question)


@each(
    ("question", "order"),
    [
        ("the latest change to retries", 1),
        ("most recent decision about queues", 1),
        ("letzte Entscheidung zu Warteschlangen", 1),
        ("dernière décision", 1),
        ("what was the last change to the gateway", 1),
        ("first decision about retries", -1),
        ("oldest gotcha about retries", -1),
    ],
)
def test_order_is_read(question: str, order: int) -> None:
    found = find_when(question, NOW)

    assert found is not None
    assert (found.order, found.is_range) == (order, False)
    assert ranker.may_name_time(question)


@each(
    "question",
    [
        "port 2019 is taken",
        "may we march on",
        "run it in parallel",
        "since the migration",
        "error 1968-b",
        "v2.0 of it",
        "beans in spring boot",
        "q1 of the exam",
        "the first quarter of the buffer",
        "requests fall back to summer time",
        "the certificate expired 2 hours ago",
        "container exited 3 weeks ago",
        'the test prints "2 days ago" twice',
        "the parser reads `last month` as a name",
        "retry an hour later",
        "minus two days ago",
        "two hundred five days ago",
        "the job runs over night",
        "backups run on Monday",
        "weekend of the pool",
        "the last name of a night owl",
        "年报的格式",
        "the job that keeps the last 5 days of logs",
        "sessions older than two days ago",
        "snapshots over five days ago get pruned",
        "rolling average of the last seven days",
        "Protokolle der letzten 7 Tage aufbewahren",
        "guarda los últimos 30 días de registros",
        "logs of the last week are rotated",
        "the last 7 days are kept",
        "keeps the latest three backups",
        "the newest two releases are supported",
        "install the latest node version",
        "why does the chart show the last 12 months",
        "release notes of the last four weeks are mailed",
        "keeps the last 5 days of release notes",
        "which table has the orders of the last 90 days",
        "die Logs der letzten Woche werden rotiert",
        "nur die letzten 30 Tage bleiben in der Tabelle",
        "le tableau de bord porte sur les sept derniers jours",
        "los registros de la última semana se comprimen",
    ],
)
def test_other_words_name_no_time(question: str) -> None:
    assert find_when(question, NOW) is None


@each(
    "question",
    [
        "what did we keep in the last 5 days",
        "who touched the retention policy two months ago",
        "what was stored in the last month",
        "show the gotchas of the last two weeks",
        "changes to the drop zone last month",
        "what happened last week with retention",
        "what changed in the last 7 days",
        "anything new on retention in the past few days",
        "incidents of the last two weeks that are open",
        "we hit the gym last week to stay fit",
        "who indexed the emails last month",
        "which logs are rotated wrongly since last week",
        "Entscheidungen der letzten zwei Wochen",
        "problèmes de rétention de la semaine dernière",
        "qué cambiamos en los últimos tres días",
    ],
)
def test_time_is_read_in_questions_about_what_happened_to_something_kept(question: str) -> None:
    assert find_when(question, NOW) is not None


@each(
    "time",
    [
        "² days ago",
        "since ²²²²",
        "2026-²",
        f"2026-{'1' * 5000}",
        "0000-05",
        "April 0000",
        "9999-12-31",
    ],
)
def test_number_that_is_no_time_is_not_read(time: str) -> None:
    assert find_when(f"locks {time}", NOW) is None


def test_words_that_make_a_time_are_looked_for_in_a_query() -> None:
    for name in ("last", "last_after", "ago", "today", "yesterday", "day_before", "before_last"):
        assert [word for word in sorted(WORDS[name]) if not ranker.may_name_time(f"locks {word}")] == []


@each("text", ["of " * 50_000, "since since " + "the " * 50_000, "before the x " * 20_000, "九" * 50_000 + "天前"])
def test_long_query_is_read_in_time_that_grows_with_its_length(text: str) -> None:
    calls: list[str] = []
    start = time.process_time()

    find_when(text, NOW, date_of_event=calls.append)  # type: ignore[arg-type]  # returns None

    assert len(calls) < 10_000
    assert time.process_time() - start < 2  # 100 s where each word read all that follow


def test_time_of_a_tag_that_no_calendar_has_is_not_read() -> None:
    assert find_when("locks since 2.0", NOW, {"2.0": 1e15}.get) is None


@each(
    ("question", "is_before"),
    [
        ("backup before the migration", True),
        ("backup after the migration to Postgres", False),
        ("Backup vor der Migration", True),
        ("sauvegarde depuis la migration", False),
        ("what must be saved before the migration", None),
        ("saved before migration", None),
        ("backup before the outage", None),
        ("backup before the rename", None),
        ("backup before the copy", None),
    ],
)
def test_event_that_one_memory_reports_is_a_time(repo: Path, question: str, is_before: bool | None) -> None:
    titles = {
        "before": ("Backup saved, sauvegarde", "2025-01-01"),
        "after": ("Backup saved, sauvegarde", "2026-01-01"),
        "event": ("The migration to Postgres is done", "2025-06-01"),
        "twice": ("The rename is done", "2025-03-01"),
        "again": ("A second rename is done", "2025-05-01"),
        "plan": ("The outage page is short", "2025-06-01"),
    }
    put_files(
        repo,
        {f"learned/{key}.md": memory_text(title, created=f"{day}T00:00:00Z") for key, (title, day) in titles.items()},
    )
    with Memory(repo, clock=lambda: NOW) as memory:
        times = {hit.key: dict(hit.factors)["time"] for hit in memory.recall(Query(text=question)).hits}

    assert [times["before"] > 1, times["after"] > 1] == [is_before is True, is_before is False]


def test_range_prefers_and_excludes_nothing() -> None:
    found = factors({1: 2.0, 2: 1.0}, {1: [10, 10, 0], 2: [100, 100, 0]}, When(start=50.0))

    assert found == {1: 1.0, 2: 3.0}


def test_newest_of_the_memories_that_match_comes_first() -> None:
    scores = {1: 1.0, 2: 0.9, 3: 0.2}

    found = factors(scores, {1: [10], 2: [20], 3: [30]}, When(order=1))

    assert max(scores, key=lambda number: scores[number] * found[number]) == 2


def test_recall_shows_the_factor_and_knows_versions_by_their_tags(repo: Path) -> None:
    texts = {"old": "2020-01-01T00:00:00Z", "new": "2022-01-01T00:00:00Z"}
    put_files(repo, {f"learned/{key}.md": memory_text("Retries are limited", created=at) for key, at in texts.items()})
    git(repo, "-c", "user.name=a", "-c", "user.email=b", "tag", "-a", "v2.0", "-m", "two")
    with Memory(repo, clock=lambda: NOW) as memory:
        earlier = memory.recall(Query(text="retries before 2021", without=("recency",))).hits
        later = memory.recall(Query(text="retries after 2021")).hits
        tagged = memory.recall(Query(text="retries before 2.0")).hits

    assert [hit.key for hit in earlier] == ["old", "new"]
    assert [dict(hit.factors)["time"] for hit in earlier] == [3.0, 1.0]
    assert [hit.key for hit in later] == ["new", "old"]
    assert [dict(hit.factors)["time"] for hit in tagged] == [3.0, 3.0]


def _at(day: str) -> float:
    return datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()

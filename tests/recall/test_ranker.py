"""Recall finds a question as typed, keeps to the filters, leaves out what has left search, and ranks by each factor."""

from __future__ import annotations

import shutil
from math import prod
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git, memory_text, put_files
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.each import each
from support.facts import DAY, Clock, approve_all, make_fact, make_memory, put, verify

from gitmem.document.times import format_time
from gitmem.memory import Memory
from gitmem.model import STATUSES
from gitmem.recall import gate
from gitmem.recall.query import Query

QUESTION = "how are auth tokens signed?"
# Characters that mean something to FTS5, SQL, a shell, a regular expression or a terminal, and what is no character.
ODD = "\"'*^-+:;.,/\\()[]{}<>|&!?~`@#$%=_\x00\x1b\x7f\u202e\ud800\U000e0041 \t\n"


def keys(memory: Memory, query: str = "", **asked) -> list[str]:
    """Return the keys that recall finds, in its order."""
    return [hit.key for hit in memory.recall(Query(text=query, **asked)).hits]


def factors(memory: Memory, query: str, key: str, **asked) -> dict[str, float]:
    """Return every factor of the score of one hit."""
    return next(dict(hit.factors) for hit in memory.recall(Query(text=query, **asked)).hits if hit.key == key)


def at(days: float) -> str:
    """Return the time that lies so many days before the tests' clock."""
    return format_time(int(NOW - days * DAY))


def twins(**fields) -> dict:
    """Return the files of `n-one` and `n-two`, which say the same; a field's two values are theirs in turn."""
    first, second = ({name: pair[n] for name, pair in fields.items()} for n in (0, 1))
    return make_memory("n-one", "The gateway drops idle connections", **first) | make_memory(
        "n-two", "The gateway drops idle connections", **second
    )


def unrelated(number: int = 30) -> list[dict]:
    """Return the files of memories about other things: words that not every memory has are worth something."""
    return [make_memory(f"z{n:02}", f"Another matter {n}", f"It is about thing{n}") for n in range(number)]


SHELF = {
    **make_memory("jwt-signing", "Auth tokens are signed with RS256", "The gateway only holds public keys.",
                  kind="decision", tags=["auth", "jwt"], paths=["src/auth/**"], created=at(1)),
    **make_memory("retry-budget", "The gateway retries three times", "See `RETRIES` in src/gateway/retry.py.",
                  tags=["gateway"], paths=["src/gateway/retry.py"], refs=["src/gateway/retry.py:1-1"], created=at(2)),
    **make_memory("user-lookup", "Call getUserById, never load_user", "It caches for ten minutes.", kind="pattern",
                  tags=["auth"], paths=["src/user store/*.py"], created=at(3)),
    **make_memory("naïve-no", "never served: its name is no key"),
    **make_memory("numbers", "Version 3.11.7 of port 8080 & 100% of C++", "Größe, naïve, 東京タワー", created=at(4)),
    **make_fact("readme-there", {"exists": "README.md"}, title="There is a README", created=at(5)),
    **make_fact("nope-there", {"exists": "nope.md"}, title="There is a nope file", created=at(6)),
}  # fmt: skip


@pytest.fixture(scope="module")
def shelf(template: Path, tmp_path_factory: pytest.TempPathFactory):
    """Return a store that no test changes."""
    folder = Path(shutil.copytree(template, tmp_path_factory.mktemp("shelf") / "service"))
    put(folder, SHELF)
    with Memory(folder, clock=Clock()) as memory:
        verify(memory)
        yield memory


# A question as typed


@each(
    ("query", "first"),
    [
        (QUESTION, "jwt-signing"),
        ("How are AUTH-TOKENS signed???!", "jwt-signing"),
        ('"auth" AND (tokens) OR NOT NEAR/2 signed*', "jwt-signing"),
        ("signing token", "jwt-signing"),
        ("kind:decision RS256'; DROP TABLE memory; --", "jwt-signing"),
        ("get_user_by_id", "user-lookup"),
        ("getUserById()", "user-lookup"),
        ("user by id", "user-lookup"),
        ("why does loadUser() fail?", "user-lookup"),
        ("src/gateway/retry.py:1", "retry-budget"),
        ("RETRIES", "retry-budget"),
        ("3.11.7", "numbers"),
        ("port:8080", "numbers"),
        ("GROSSE", "numbers"),
        ("東京", "numbers"),
        ("C++", "numbers"),
    ],
)
def test_question_as_typed_finds_its_memory(shelf: Memory, query: str, first: str) -> None:
    assert keys(shelf, query)[:1] == [first]


@each("query", ["zebra", "???", '""', "*", "NEAR(", "-", "\x00", "🦓", "xyzzy AND OR NOT"])
def test_question_about_nothing_that_is_there_finds_nothing(shelf: Memory, query: str) -> None:
    assert keys(shelf, query) == []


# Parts of words, and near ones


@each(("query", "key"), [("S25", "jwt-signing"), ("ETRIE", "retry-budget"), ("SerBy", "user-lookup")])
def test_a_part_of_a_word_finds_what_contains_it_and_says_so(shelf: Memory, query: str, key: str) -> None:
    found = shelf.recall(Query(text=query))

    assert [hit.key for hit in found.hits] == [key]
    assert "no memory contains a whole word of" in found.notice


def test_a_question_of_stop_words_alone_finds_nothing_and_promises_nothing(memory: Memory) -> None:
    memory.remember("Now and then the mail is late", key="mail")

    found = memory.recall(Query(text="now"))

    assert (found.hits, found.notice) == ((), "")


@pytest.fixture
def odd_titles(memory: Memory) -> Memory:
    """Return a memory with titles of stop words, and of words that differ in a sign."""
    titles = ("Now and then", "Don't", "Can't", "Recall now", "Use C++ here", "Use C# here", "Use C here")
    for number, title in enumerate(titles):
        memory.remember(title, key=f"k{number}")
    return memory


@each(
    ("query", "title"),
    [
        ("now and then", "Now and then"),
        ("don't", "Don't"),
        ("can’t", "Can't"),
        ("recall now", "Recall now"),
        ("C++", "Use C++ here"),
        ("c#", "Use C# here"),
    ],
)
def test_titles_of_stop_words_and_signs_are_found(odd_titles: Memory, query: str, title: str) -> None:
    found = odd_titles.recall(Query(text=query))

    assert (found.hits[0].title, found.notice) == (title, "")
    assert query[1] not in "+#" or len(found.hits) == 1


def test_parts_are_not_looked_for_where_a_word_is_known(shelf: Memory) -> None:
    found = shelf.recall(Query(text="budget etrie"))

    assert [hit.key for hit in found.hits] == ["retry-budget"]
    assert found.notice == ""


def test_parts_keep_to_the_filters(shelf: Memory) -> None:
    assert keys(shelf, "S25", kinds=("gotcha",)) == []


def test_where_nothing_is_found_a_near_word_is_suggested(shelf: Memory) -> None:
    assert shelf.recall(Query(text="how does the gatewey work")).suggestion == "how does the gateway work"
    assert shelf.recall(Query(text="zebra")).suggestion == ""


def test_near_misses_are_found_only_for_who_asks_and_never_pass_the_gate(shelf: Memory) -> None:
    asked = shelf.recall(Query(text="how does the gatewey work", near_misses=True))

    assert [hit.key for hit in asked.near] == ["retry-budget", "jwt-signing"]
    assert shelf.recall(Query(text="how does the gatewey work")).near == ()
    policy, catalog = shelf.repository.policy(), shelf.repository.catalog()
    assert gate.good_hits("how does the gatewey work", asked, policy, catalog_of=lambda _: catalog) == []


def test_near_misses_leave_out_what_has_left_search(memory: Memory) -> None:
    memory.remember("The gateway retries", key="gone")
    memory.remember("The gateway waits", key="there")
    memory.forget("gone")

    found = memory.recall(Query(text="gateway", kinds=("gotcha",), near_misses=True))

    assert (found.hits, [hit.key for hit in found.near]) == ((), ["there"])


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.text(st.sampled_from(ODD + "aué東") | st.characters(), max_size=60)
    | st.text("gateway \"*'-():", max_size=40)
)
def test_no_question_raises_whatever_its_characters(shelf: Memory, query: str) -> None:
    found = shelf.recall(Query(text=query))

    assert all(hit.score > 0 for hit in found.hits) or not query.strip()


@each("query", ["gateway " * 5000, "a" * 100_000, " ".join(f"w{n}" for n in range(5000)) + " gateway"])
def test_very_long_question_is_answered(shelf: Memory, query: str) -> None:
    assert len(keys(shelf, query)) <= 10


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    word=st.sampled_from(["gateway", "RS256", "getUserById", "8080"]),
    left=st.text(ODD, max_size=8),
    right=st.text(ODD, max_size=8),
)
def test_punctuation_around_a_word_changes_nothing(shelf: Memory, word: str, left: str, right: str) -> None:
    # An underscore, a dot or a slash joins words to an identifier or path.
    query = f"{left} {word} {right}"

    assert keys(shelf, query) == keys(shelf, word)


def test_question_with_words_of_every_other_memory_still_finds_the_telling_one_first(
    memory: Memory, repo: Path
) -> None:
    made = [make_memory(f"m{n:02}", f"The gateway service note {n}", "about the gateway") for n in range(40)]
    put(repo, *made, make_memory("needle", "The gateway service speaks HTTP/3", "about the gateway"))

    assert keys(memory, "does the gateway service speak http/3?")[:1] == ["needle"]


# Filters


@each(
    ("asked", "found"),
    [
        ({"kinds": ("decision",)}, {"jwt-signing"}),
        ({"kinds": ("decision", "pattern")}, {"jwt-signing", "user-lookup"}),
        ({"kinds": ("no-such",)}, set()),
        ({"tags": ("auth",)}, {"jwt-signing", "user-lookup"}),
        ({"tags": ("auth", "jwt")}, {"jwt-signing"}),
        ({"tags": ("AUTH",)}, set()),
        ({"tags": ("aut",)}, set()),
        ({"paths": ("src/auth/jwt.py",)}, {"jwt-signing"}),
        ({"paths": ("src/auth",)}, {"jwt-signing"}),
        ({"paths": ("src/auth/",)}, {"jwt-signing"}),
        ({"paths": ("./src/auth/deep/er/x.py",)}, {"jwt-signing"}),
        ({"paths": ("src",)}, {"jwt-signing", "retry-budget", "user-lookup"}),
        ({"paths": ("src/gateway/retry.py",)}, {"retry-budget"}),
        ({"paths": ("src/gateway/*.py",)}, {"retry-budget"}),
        ({"paths": ("src/user store/cache.py",)}, {"user-lookup"}),
        ({"paths": ("src/user",)}, set()),
        ({"paths": ("docs", "src/gateway/retry.py")}, {"retry-budget"}),
        ({"statuses": ("verified",)}, {"readme-there"}),
        ({"statuses": ("failed",)}, {"nope-there"}),
        ({"statuses": ("failed", "verified")}, {"nope-there", "readme-there"}),
        ({"statuses": ("suspect",)}, set()),
        ({"kinds": ("fact",), "statuses": ("failed",)}, {"nope-there"}),
    ],
)  # fmt: skip
def test_filter_keeps_exactly_what_fits(shelf: Memory, asked: dict, found: set[str]) -> None:
    words = "auth gateway user port readme nope file there"

    assert set(keys(shelf, words, **asked)) == found, "with a question"
    assert set(keys(shelf, **asked)) == found, "the newest"
    assert {hit.key for hit in shelf.list(Query(limit=100, **asked)).hits} == found, "list"


def test_reference_to_lines_is_about_its_file(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_memory("a", "Look here", refs=["src/auth/jwt.py:3-5"]),
        make_memory("b", "And there", refs=["a.py:1"]),
    )

    assert keys(memory, paths=("src/auth/jwt.py",)) == ["a"]
    assert keys(memory, paths=("src/auth/*.py",)) == ["a"]
    assert keys(memory, "look there", paths=("src/auth",)) == ["a"]


def test_status_filter_finds_a_failed_fact_among_hundreds_of_better_matches(memory: Memory, repo: Path) -> None:
    made = [make_memory(f"m{n:03}", "The gateway gateway gateway", "gateway " * 3) for n in range(400)]
    long = "gateway " + " ".join(f"word{n}" for n in range(300))
    put(repo, *made, make_fact("broken", {"exists": "nope"}, title="A claim", body=long))
    verify(memory)

    assert keys(memory, "gateway", statuses=("failed",)) == ["broken"]


def test_path_filter_finds_its_memory_among_hundreds_of_better_matches(memory: Memory, repo: Path) -> None:
    made = [make_memory(f"m{n:03}", "The gateway gateway gateway", "gateway " * 3, paths=["b/**"]) for n in range(400)]
    long = "gateway " + " ".join(f"word{n}" for n in range(300))
    put(repo, *made, make_memory("here", "A claim", long, paths=["a/x.py"]))

    assert keys(memory, "gateway", paths=("a/x.py",)) == ["here"]


def test_recent_gives_the_newest_first_and_says_how_many_more(shelf: Memory) -> None:
    found = shelf.recall(Query(limit=2))

    assert [hit.key for hit in found.hits] == ["jwt-signing", "retry-budget"]
    assert found.more == 4


@each("limit", [1, 3, 6, 7, 1000])
@each("asked", [{}, {"kinds": ("fact",)}, {"statuses": STATUSES}, {"paths": ("src",)}])
def test_hits_and_more_are_all_there_are(shelf: Memory, limit: int, asked: dict) -> None:
    everything = keys(shelf, limit=1000, **asked)

    found = shelf.recall(Query(limit=limit, **asked))

    assert [hit.key for hit in found.hits] == everything[:limit]
    assert found.more == max(0, len(everything) - limit)


def test_limit_cuts_a_question_and_more_counts_the_rest(memory: Memory, repo: Path) -> None:
    put(repo, *(make_memory(f"m{n}", f"The gateway, part {n}") for n in range(8)))

    found = memory.recall(Query(text="gateway", limit=3))

    assert len(found.hits) == 3
    assert found.more == 5
    assert [h.key for h in found.hits] == keys(memory, "gateway", limit=8)[:3]


def test_more_is_never_nothing_when_there_is_more(memory: Memory, repo: Path) -> None:
    put(repo, *(make_memory(f"m{n:03}", f"The gateway, part {n}") for n in range(120)))

    for limit in (1, 10, 40, 119):
        found = memory.recall(Query(text="gateway", limit=limit))
        assert len(found.hits) == limit
        assert 0 < found.more <= 120 - limit


# What leaves search


@pytest.mark.parametrize(
    ("kind", "days"), [("session", 3), ("outcome", 7), ("note", 30), ("gotcha", None), ("decision", None)]
)
def test_memory_leaves_search_when_its_kinds_time_has_passed(repo: Path, kind: str, days: int | None) -> None:
    put(repo, make_memory("it", "The gateway drops idle connections", kind=kind, created=at(0)))
    clock = Clock()
    last = (days or 10_000) * DAY

    with Memory(repo, clock=clock) as memory:
        for after, is_there in ((last - 1, True), (last, days is None), (last + 1, days is None)):
            clock.now = NOW + after
            expected = ["it"] if is_there else []
            assert keys(memory, "gateway") == keys(memory) == expected, after
            assert [hit.key for hit in memory.list(Query()).hits] == expected
            assert keys(memory, "gateway", everything=True) == keys(memory, everything=True) == ["it"]
            assert memory.show("it").document["expired"] is not is_there


def test_own_ttl_goes_before_that_of_the_kind(repo: Path) -> None:
    put(
        repo,
        make_memory("short", "gateway one", ttl="1h", created=at(0)),
        make_memory("long", "gateway two", kind="session", ttl="90d", created=at(0)),
        make_memory("ever", "gateway three", kind="outcome", ttl="never", created=at(0)),
    )

    with Memory(repo, clock=Clock(NOW + 80 * DAY)) as memory:
        assert set(keys(memory, "gateway")) == {"long", "ever"}
        assert set(keys(memory, "gateway", everything=True)) == {"short", "long", "ever"}


def test_fact_past_its_ttl_stays_in_search_and_is_stale(repo: Path) -> None:
    put(repo, make_fact("a", {"exists": "README.md"}, title="The gateway has a README"))
    clock = Clock()
    with Memory(repo, clock=clock) as memory:
        verify(memory)
        clock.now += 31 * DAY

        (hit,) = memory.recall(Query(text="gateway")).hits

    assert hit.status == "stale"


def test_superseded_memory_leaves_search_and_is_still_shown_by_its_key(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("old", "The gateway speaks HTTP/1"), make_memory("new", "The gateway speaks HTTP/2"))

    memory.supersede("old", "new")

    assert keys(memory, "gateway") == keys(memory) == ["new"]
    assert set(keys(memory, "gateway", everything=True)) == {"old", "new"}
    assert memory.show("old").document["superseded"]
    assert memory.show("old").document["frontmatter"]["superseded_by"] == "new"


@pytest.mark.parametrize("link", [{"new": {"supersedes": ["old"]}}, {"old": {"superseded_by": "new"}}], ids=str)
def test_one_side_of_the_link_is_enough_to_leave_search(memory: Memory, repo: Path, link: dict) -> None:
    put(repo, *(make_memory(key, "The gateway", **link.get(key, {})) for key in ("old", "new")))

    assert keys(memory, "gateway") == ["new"]


def test_superseded_memory_comes_back_when_the_new_one_lets_go_of_it(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("old", "The gateway"), make_memory("new", "The gateway", supersedes=["old"]))
    assert keys(memory, "gateway") == ["new"]

    put(repo, make_memory("new", "The gateway"))

    assert set(keys(memory, "gateway")) == {"old", "new"}


def test_forgotten_memory_leaves_search_and_comes_back_with_all(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("a", "The gateway"), make_memory("b", "The gateway"))

    memory.forget("a", why="it is gone")

    assert keys(memory, "gateway") == keys(memory) == ["b"]
    found = memory.recall(Query(text="gateway", everything=True)).hits
    assert {hit.key: hit.gone for hit in found} == {"a": "archived", "b": ""}
    assert memory.show("a").document["archived"]


def test_statistics_count_what_is_live_and_what_has_left(repo: Path) -> None:
    put(
        repo,
        make_memory("a", "A", tags=["x", "y"], created=at(0)),
        make_memory("b", "B", tags=["x"], created=at(0)),
        make_memory("c", "C", kind="session", tags=["z"], created=at(4)),
        make_memory("d", "D", kind="pattern", supersedes=["e"], created=at(0)),
        make_memory("e", "E", tags=["z"], created=at(0)),
        make_memory("f", "F", created=at(0)),
    )

    with Memory(repo, clock=Clock()) as memory:
        memory.forget("f")
        message = memory.index.statistics().document

    assert message == {
        "total": 3,
        "kinds": {"gotcha": 2, "pattern": 1},
        "tags": {"x": 2, "y": 1},
        "archived": 1,
        "superseded": 1,
        "expired": 1,
        "scopes": {},
    }


# What moves a memory, through the real store


def test_newer_of_two_that_say_the_same_comes_first(memory: Memory, repo: Path) -> None:
    put(repo, twins(created=(at(60), at(1))))

    assert keys(memory, "gateway") == ["n-two", "n-one"]
    assert factors(memory, "gateway", "n-one")["recency"] < factors(memory, "gateway", "n-two")["recency"] < 1


def test_age_takes_half_of_what_it_can_in_the_half_life(memory: Memory, repo: Path) -> None:
    put(repo, twins(kind=("observation", "observation"), created=(at(14), at(28))))

    assert factors(memory, "gateway", "n-one")["recency"] == pytest.approx(0.75, abs=1e-3)
    assert factors(memory, "gateway", "n-two")["recency"] == pytest.approx(0.625, abs=1e-3)


def test_age_does_not_matter_to_a_principle(memory: Memory, repo: Path) -> None:
    put(repo, twins(kind=("principle", "principle"), created=(at(900), at(0))))

    assert {factors(memory, "gateway", key)["recency"] for key in ("n-one", "n-two")} == {1.0}


@pytest.mark.parametrize(("kind", "first"), [("gotcha", "new-worse"), ("principle", "old-better")])
def test_age_moves_a_better_match_behind_a_newer_one_of_a_kind_that_ages(
    memory: Memory, repo: Path, kind: str, first: str
) -> None:
    put(
        repo,
        *unrelated(),
        make_memory("old-better", "The gateway drops idle connections", kind=kind, created=at(200)),
        make_memory("new-worse", "The gateway drops idle connections of three kinds", kind=kind, created=at(0)),
    )

    assert keys(memory, "gateway idle")[0] == first


def test_verified_again_is_as_good_as_new(repo: Path) -> None:
    put(repo, make_fact("a", {"exists": "README.md"}, title="The gateway", created=at(300)))

    with Memory(repo, clock=Clock()) as memory:
        before = factors(memory, "gateway", "a")["recency"]
        verify(memory)

        assert before < 0.66
        assert factors(memory, "gateway", "a")["recency"] == 1.0


def test_memory_that_was_looked_at_comes_first(memory: Memory, repo: Path) -> None:
    put(repo, twins())
    assert keys(memory, "gateway") == ["n-one", "n-two"]

    memory.show("n-two")

    assert keys(memory, "gateway") == ["n-two", "n-one"]
    assert factors(memory, "gateway", "n-two")["access"] == pytest.approx(1.1)


def test_looking_often_counts_up_to_the_most_and_half_after_two_days(repo: Path) -> None:
    put(repo, twins())
    clock = Clock()
    with Memory(repo, clock=clock) as memory:
        for _ in range(7):
            memory.show("n-two")

        boosts = []
        for hours in (0, 48, 49):
            clock.now = NOW + hours * 3600
            boosts.append(factors(memory, "gateway", "n-two")["access"])

    assert boosts == [1.5, 1.5, 1.25]


def test_recalling_and_listing_is_no_look_at_a_memory(memory: Memory, repo: Path) -> None:
    put(repo, twins())

    memory.list(Query())
    memory.recall(Query())

    assert factors(memory, "gateway", "n-one")["access"] == factors(memory, "gateway", "n-two")["access"] == 1.0


def test_better_proved_of_equal_matches_comes_first(repo: Path) -> None:
    commit_files(repo, {"there": ""})
    checks = {
        "a-failed": {"exists": "nope"}, "b-stale": {"exists": "there"}, "c-verified": {"exists": "README.md"},
        "e-unproven": "a command nobody approved",
    }  # fmt: skip
    made = [make_fact(key, check, title="The gateway drops idle connections") for key, check in checks.items()]
    made.append(make_memory("d-suspect", "The gateway drops idle connections", requires=["a-failed"]))
    put(repo, *made)

    with Memory(repo, clock=Clock()) as memory:
        verify(memory)
        git(repo, "rm", "-q", "there")
        git(repo, "commit", "-q", "-m", "gone")
        hits = memory.recall(Query(text="gateway")).hits

    lines = [(hit.status, dict(hit.factors)["status"]) for hit in hits]
    assert lines[0] == ("verified", 1.1)
    assert lines[1:3] == [("stale", 0.95), ("unproven", 0.9)]
    assert lines[3:] == [("suspect", 0.7), ("failed", 0.5)]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("importance", ("low", "critical")),
        ("importance", ("medium", "high")),
        ("confidence", (0.2, 0.9)),
    ],
)
def test_what_the_author_said_moves_a_memory(memory: Memory, repo: Path, name: str, values: tuple) -> None:
    put(repo, twins(**{name: values}))
    assert keys(memory, "gateway") == ["n-two", "n-one"]

    put(repo, twins(**{name: values[::-1]}))

    assert keys(memory, "gateway") == ["n-one", "n-two"]


def test_memory_that_says_nothing_of_itself_is_of_medium_importance_and_sure(memory: Memory, repo: Path) -> None:
    put(repo, twins())

    message = factors(memory, "gateway", "n-one")

    assert (message["importance"], message["confidence"]) == (1.0, 1.0)


def test_memory_about_the_very_place_comes_first(memory: Memory, repo: Path) -> None:
    put(repo, twins(paths=(["*/auth/jwt.py"], ["src/auth/jwt.py"])))
    assert factors(memory, "gateway", "n-two", paths=())["path"] == 1.0

    assert keys(memory, "gateway", paths=("src/auth/jwt.py",)) == ["n-two", "n-one"]
    assert factors(memory, "gateway", "n-two", paths=("src/auth/jwt.py",))["path"] == 1.5


def test_factors_multiply_to_the_score(shelf: Memory) -> None:
    shelf.show("user-lookup")

    hits = shelf.recall(Query(text="auth gateway user readme nope file there", paths=())).hits

    assert len(hits) >= 4
    for hit in hits:
        assert [name for name, _ in hit.factors] == [
            "lexical", "recency", "access", "status", "importance", "confidence", "path", "dependency", "workspace",
            "scope", "talk", "provenance", "time",
        ]  # fmt: skip
        assert prod(value for _, value in hit.factors) == pytest.approx(hit.score, abs=1e-4)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


FAR = "gateway " + " ".join(f"word{n}" for n in range(300))


def test_floor_is_that_of_what_was_asked_for(memory: Memory, repo: Path) -> None:
    """A hit that the filter keeps is not dropped because one that the filter drops is so much better."""
    made = {"title": "A claim", "body": FAR, "paths": ["a/x.py"], "confidence": 0.1, "created": at(900)}
    put(
        repo,
        *unrelated(),
        make_memory("best", "The gateway", "gateway", tags=["gateway"], importance="critical", created=at(0)),
        make_fact("broken", {"exists": "nope"}, **made),
    )
    verify(memory)
    assert keys(memory, "gateway") == ["best"]

    assert keys(memory, "gateway", statuses=("failed",)) == ["broken"]
    assert keys(memory, "gateway", paths=("a/x.py",)) == ["broken"]


# Tuning


HALF_LIFE = [
    ("policy", '[kinds.gotcha]\nhalf_life = "1d"\n'),
    ("config", "gitmem.recallHalfLifeDays"),
    ("environment", "GITMEM_RECALL_HALF_LIFE_DAYS"),
    ("environment", "MEMORY_RECENCY_HALF_LIFE_DAYS"),
]


@pytest.mark.parametrize(("where", "name"), HALF_LIFE, ids=[name for _, name in HALF_LIFE])
def test_half_life_is_set(repo: Path, monkeypatch: pytest.MonkeyPatch, where: str, name: str) -> None:
    put(repo, twins(created=(at(1), at(2))))
    if where == "policy":
        put_files(repo, {"gitmem.toml": name})
    elif where == "config":
        git(repo, "config", name, "1")
    else:
        monkeypatch.setenv(name, "1")

    with Memory(repo, clock=Clock()) as memory:
        assert factors(memory, "gateway", "n-one")["recency"] == pytest.approx(0.75)
        assert factors(memory, "gateway", "n-two")["recency"] == pytest.approx(0.625)


def test_nearer_setting_goes_before_the_further_one(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(repo, twins(created=(at(8), at(8))))
    # 8 days: so many half-lives.
    steps = [(16, 0.5), (8, 1), (4, 2), (2, 4)]

    seen = []
    put_files(repo, {"gitmem.toml": f'[kinds.gotcha]\nhalf_life = "{steps[0][0]}d"\n'})
    for n, (days, _) in enumerate(steps):
        if n == 1:
            git(repo, "config", "gitmem.recallHalfLifeDays", str(days))
        if n > 1:
            monkeypatch.setenv(("MEMORY_RECENCY_HALF_LIFE_DAYS", "GITMEM_RECALL_HALF_LIFE_DAYS")[n - 2], str(days))
        with Memory(repo, clock=Clock()) as memory:
            seen.append(factors(memory, "gateway", "n-one")["recency"])

    assert seen == pytest.approx([0.5 + 0.5 * 2**-halves for _, halves in steps])


ACCESS = [
    ("policy", "[recall]\naccess_boost_max = 3.0\naccess_recency_hours = 1\n", ""),
    ("config", "gitmem.recallAccessBoostMax", "gitmem.recallAccessRecencyHours"),
    ("environment", "GITMEM_RECALL_ACCESS_BOOST_MAX", "GITMEM_RECALL_ACCESS_RECENCY_HOURS"),
    ("environment", "MEMORY_ACCESS_BOOST_MAX", "MEMORY_ACCESS_RECENCY_HOURS"),
]


@pytest.mark.parametrize(("where", "boost", "hours"), ACCESS, ids=[row[1] for row in ACCESS])
def test_boost_of_access_is_set(
    repo: Path, monkeypatch: pytest.MonkeyPatch, where: str, boost: str, hours: str
) -> None:
    put(repo, twins())
    if where == "policy":
        put_files(repo, {"gitmem.toml": boost})
    else:
        for name, value in ((boost, "3"), (hours, "1")):
            git(repo, "config", name, value) if where == "config" else monkeypatch.setenv(name, value)
    clock = Clock()

    with Memory(repo, clock=clock) as memory:
        for _ in range(12):
            memory.show("n-one")
        at_once = factors(memory, "gateway", "n-one")["access"]
        clock.now += 2 * 3600

        assert at_once == pytest.approx(2.2)
        assert factors(memory, "gateway", "n-one")["access"] == pytest.approx(1.6)


def test_policy_sets_what_a_status_and_a_field_are_worth(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_fact("failed", {"exists": "nope"}, title="The gateway"),
        make_fact("holds", {"exists": "README.md"}, title="The gateway"),
        make_memory("tagged", "Something", "of the door", tags=["gateway"]),
        *unrelated(),
    )
    verify(memory)
    assert keys(memory, "gateway")[0] == "holds"

    put_files(repo, {"gitmem.toml": "[recall.status]\nfailed = 10.0\n"})
    assert keys(memory, "gateway")[0] == "failed"

    put_files(repo, {"gitmem.toml": "[recall.weights]\ntitle = 0.1\ntags = 900.0\n"})
    assert keys(memory, "gateway")[0] == "tagged"


@pytest.mark.parametrize("name", ["GITMEM_RECALL_CANDIDATE_MULTIPLIER", "MEMORY_CANDIDATE_MULTIPLIER"])
def test_candidates_are_as_many_times_the_limit_as_is_set(
    repo: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A newer memory whose words fit less is found only if enough candidates are looked at."""
    better = [make_memory(f"m{n:03}", "gateway gateway gateway", created=at(400)) for n in range(75)]
    put(repo, *better, make_memory("newest", "The gateway among other things", importance="critical", created=at(0)))
    with Memory(repo, clock=Clock()) as memory:
        few = keys(memory, "gateway", limit=5)
    monkeypatch.setenv(name, "20")

    with Memory(repo, clock=Clock()) as memory:
        many = keys(memory, "gateway", limit=5)

    assert "newest" not in few
    assert many[0] == "newest"


@each("value", ["0", "0.001", "1e300", "1000000"])
@each("name", ["CANDIDATE_MULTIPLIER", "RECENCY_HALF_LIFE_DAYS", "ACCESS_BOOST_MAX", "ACCESS_RECENCY_HOURS"])
def test_no_number_that_a_setting_takes_breaks_recall(
    repo: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    put(repo, twins(created=(at(900), at(0))))
    with monkeypatch.context() as patch:
        patch.setenv(f"MEMORY_{name}", value)
        with Memory(repo, clock=Clock()) as memory:
            memory.show("n-two")
            hits = memory.recall(Query(text="gateway")).hits

    assert [hit.key for hit in hits] == ["n-two", "n-one"]
    assert all(hit.score > 0 for hit in hits)


def test_relative_floor_drops_what_fits_far_less(memory: Memory, repo: Path) -> None:
    put(
        repo,
        *unrelated(),
        make_memory("best", "The gateway"),
        make_memory("far", "Something", "else " * 60 + "gateway"),
    )
    assert keys(memory, "gateway") == ["best", "far"]

    put_files(repo, {"gitmem.toml": "[recall]\nrelative_floor = 0.9\n"})

    assert keys(memory, "gateway") == ["best"]


# The command


def test_recall_prints_one_line_of_cells_for_each_hit_in_a_pipe(run_cli, repo: Path) -> None:
    put(repo, make_memory("a", "The gateway", "It drops\nidle connections."), make_memory("b", "Another thing"))

    done = run_cli("recall", "gateway")

    assert (done.status, done.out) == (0, "a\tgotcha\t\tThe gateway\tIt drops idle connections.\tproject\n")


@pytest.mark.parametrize("option", ["--kind", "--type"])
def test_kind_and_type_are_one_option(run_cli, repo: Path, option: str) -> None:
    put(repo, make_memory("a", "The gateway"), make_memory("b", "The gateway", kind="anti_pattern"))

    assert run_cli("recall", "gateway", option, "anti-pattern").out.startswith("b\t")
    assert run_cli("recall", "gateway", option, "anti_pattern,fact").out.startswith("b\t")


def test_recall_that_finds_nothing_says_so_and_exits_1(run_cli, repo: Path) -> None:
    put(repo, make_memory("a", "The gateway"))

    done = run_cli("recall", "zebra?")

    assert (done.status, done.out) == (1, "")
    assert "nothing found for 'zebra?'" in done.err


def test_explain_shows_a_product_that_is_the_score(run_cli, repo: Path) -> None:
    put(repo, make_memory("a", "The gateway", importance="high"))

    (line,) = run_cli("recall", "gateway", "--explain").out.splitlines()

    (_, score), *parts = (part.split("=") for part in line.split("\t")[-1].split())
    assert ["importance", "1.1"] in parts
    assert prod(float(value) for _, value in parts) == pytest.approx(float(score), rel=1e-2)


@each("argv", [[], ["  "], ["gateway", "--stats"], ["gateway", "--recent", "3"], ["--recent", "0"]])
def test_recall_wants_a_question_or_recent_or_stats(run_cli, memory: Memory, argv: list[str]) -> None:
    assert run_cli("recall", *argv).status == 2


def test_recall_works_in_a_store_of_broken_files_too(memory: Memory, repo: Path) -> None:
    put_files(
        repo, {"gotchas/a.md": "no frontmatter: [", "facts/b.md": memory_text("The gateway", kind="fact", verify="[]")}
    )
    put(repo, make_memory("c", "The gateway"))

    assert keys(memory, "gateway") == ["c"]


def test_approving_commands_does_not_change_what_is_found(memory: Memory, repo: Path) -> None:
    put(repo, make_fact("a", "test -f README.md", title="The gateway"))
    before = keys(memory, "gateway")

    approve_all(memory)

    assert keys(memory, "gateway") == before == ["a"]


GERMAN = {"gitmem.toml": '[recall]\nlanguage = "german"\n'}


def german() -> list[dict]:
    """Return the files of memories in German."""
    return [
        make_memory("fluss", "Die Häuser stehen am Fluss", "Sie werden im Winter geheizt."),
        make_memory("token", "Zugriffsschlüssel laufen nach einer Stunde ab"),
    ]


def test_words_are_found_by_the_stems_of_the_stores_language(repo: Path) -> None:
    put(repo, *german())
    put_files(repo, GERMAN)

    with Memory(repo, clock=Clock()) as memory:
        found = memory.recall(Query("wo steht das Haus?")).hits
        assert [hit.key for hit in found] == ["fluss"]
        found = memory.recall(Query("geheizte")).hits[0]
        assert [found.snippet[a:b] for a, b in found.matches] == ["geheizt"]
        assert keys(memory, "der Zugriffsschluessels") == ["token"]
        assert memory.recall(Query("Stonden")).suggestion == "stunde"


def test_change_of_language_is_followed_by_whoever_has_the_store_open(repo: Path) -> None:
    put(repo, *german())

    with Memory(repo, clock=Clock()) as memory:
        before = keys(memory, "Haus")
        put_files(repo, GERMAN)
        with Memory(repo, clock=Clock()) as other:
            assert keys(other, "Haus") == ["fluss"]
        after = keys(memory, "Haus")
        put(repo, make_memory("neu", "Wer Häuser heizt, spart nicht"))
        written = set(keys(memory, "Haus"))
        put_files(repo, {"gitmem.toml": '[recall]\nlanguage = "none"\n'})
        assert keys(memory, "Haus") == []

    assert (before, after, written) == ([], ["fluss"], {"fluss", "neu"})


@pytest.mark.parametrize("value", ['"klingon"', '"english\\u001b[2J"', "7", "[]"])
def test_language_that_there_is_none_of_leaves_the_store_readable(repo: Path, value: str) -> None:
    put(repo, make_memory("gate", "The gateways drop connections"))
    put_files(repo, {"gitmem.toml": f"[recall]\nlanguage = {value}\n"})

    with Memory(repo, clock=Clock()) as memory:
        assert keys(memory, "gateway") == ["gate"]
        lines = [problem for problem in memory.doctor(fix=False).problems if problem.code == "bad-policy"]

    assert len(lines) == 1
    assert "recall.language must be" in lines[0].message


def test_process_that_is_asked_again_sees_what_others_write(repo: Path) -> None:
    put(repo, make_memory("one", "The gateway drops connections"), *unrelated())

    with Memory(repo, clock=Clock()) as memory, Memory(repo, clock=Clock()) as other:
        assert [keys(memory, "gateway drops") for _ in range(3)] == [["one"]] * 3
        other.remember("Gateway drops are counted", key="two")
        assert set(keys(memory, "gateway drops")) == {"one", "two"}
        other.forget("one", why="it is mended")
        assert keys(memory, "gateway drops") == ["two"]

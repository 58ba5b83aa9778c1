"""``gitmem recall``: hits, statistics, the newest, and what is documented of its JSON."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import commit_files, git, memory_text, put_files, tip
from support.each import each
from support.standing_folder import fill, standing_repo

from gitmem.index.catalog import FILE_NAME

repo = standing_repo("recall")


@pytest.fixture
def filled(run_cli, repo: Path) -> None:
    fill(repo.parent, "filled", lambda: remember_three(run_cli))


def remember_three(run_cli) -> None:
    run_cli("remember", "The gateway drops requests without a trace id", "--kind", "gotcha", "--path", "src/gateway/**")
    run_cli("remember", "Retries in the gateway are limited to three", "--kind", "decision", "--tag", "net")
    run_cli("fact", "The gateway retries three times", "--contains", "RETRIES = 3", "--in", "src/gateway/retry.py")


@pytest.mark.usefixtures("filled")
def test_hits_are_one_line_each_in_a_pipe(run_cli) -> None:
    done = run_cli("recall", "what", "drops", "requests?")

    assert done.status == 0
    assert done.out.split("\n")[0].split("\t")[:4] == [
        "the-gateway-drops-requests-without-a",
        "gotcha",
        "",
        "The gateway drops requests without a trace id",
    ]


@pytest.mark.usefixtures("filled")
def test_json_is_as_documented(run_cli, repo: Path) -> None:
    found = json.loads(run_cli("recall", "gateway", "--limit", "2", "--json").out)

    assert list(found) == ["query", "commit", "hits", "more"]
    assert (found["query"], found["commit"], len(found["hits"]), found["more"]) == ("gateway", tip(repo), 2, 1)
    fields = ["key", "short_id", "kind", "title", "status", "score", "scope", "store", "snippet", "matches", "refs"]
    fields += ["archived", "superseded", "expired"]
    assert [list(hit) for hit in found["hits"]] == [fields] * 2
    assert found["hits"][0]["score"] >= found["hits"][1]["score"] > 0


@pytest.mark.usefixtures("filled")
def test_filters_leave_only_what_fits(run_cli) -> None:
    for words, kinds in (
        (("--kind", "gotcha"), {"gotcha"}),
        (("--type", "gotcha,decision"), {"gotcha", "decision"}),
        (("--status", "verified"), {"fact"}),
        (("--tag", "net"), {"decision"}),
        (("--path", "src/gateway/retry.py"), {"gotcha"}),
    ):
        asked, newest = (
            json.loads(run_cli("recall", *first, *words, "--json").out) for first in (["gateway"], ["--recent", "9"])
        )

        assert {hit["kind"] for hit in asked["hits"]} == kinds
        assert {hit["kind"] for hit in newest["hits"]} == kinds


@pytest.mark.usefixtures("filled")
def test_explain_gives_every_factor_and_their_product_is_the_score(run_cli) -> None:
    hit = json.loads(run_cli("recall", "trace", "--explain", "--json").out)["hits"][0]

    product = 1.0
    for value in hit["factors"].values():
        product *= value
    assert product == pytest.approx(hit["score"], rel=1e-3)


@pytest.mark.usefixtures("filled")
def test_statistics_count_by_kind(run_cli) -> None:
    run_cli("forget", "retries-in-the-gateway")

    text, found = run_cli("recall", "--stats"), json.loads(run_cli("recall", "--stats", "--json").out)

    assert text.out.startswith("2 memories\n")
    assert "searched only with --all: 1 archived\n" in text.out
    assert (found["total"], found["kinds"], found["archived"]) == (2, {"fact": 1, "gotcha": 1}, 1)


def test_all_says_which_hits_plain_recall_leaves_out(run_cli, repo: Path) -> None:
    old = {"created": "2026-01-01T00:00:00Z"}
    texts = {
        "archive/learned/away.md": memory_text("Tokens away", retired="{why: rotated}"),
        "gotchas/before.md": memory_text("Tokens before", kind="gotcha", superseded_by="now"),
        "gotchas/now.md": memory_text("Tokens now", kind="gotcha", supersedes="[before]"),
        "sessions/over.md": memory_text("Tokens over", kind="session", ttl="1d", **old),
    }
    put_files(repo, texts)
    expected = {"away": "archived", "before": "superseded", "now": "", "over": "expired"}

    for command in (("recall", "tokens"), ("recall", "--recent", "9"), ("list",)):
        rows = [line.split("\t") for line in run_cli(*command, "--all").out.splitlines()]
        found = json.loads(run_cli(*command, "--all", "--json").out)

        assert {row[0]: row[2] for row in rows} == expected
        hits = found.get("hits") or found["memories"]
        assert {hit["key"]: [name for name in expected.values() if name and hit[name]] for hit in hits} == {
            key: [gone] if gone else [] for key, gone in expected.items()
        }


@pytest.mark.usefixtures("filled")
def test_question_with_nothing_but_a_time_is_answered_with_the_way_to_the_newest(run_cli) -> None:
    done = run_cli("recall", "zyzzogeton", "since", "yesterday")

    assert (done.status, done.out) == (1, "")
    assert "nothing found for 'zyzzogeton since yesterday'; the newest memories: gitmem recall --recent 10" in done.err


@pytest.mark.usefixtures("filled")
def test_nothing_found_exits_with_1_and_is_still_one_document(run_cli) -> None:
    for words in (
        ("zyzzogeton",),
        ("\x1b[2J", "AND", "NOT", '"('),
        ("--kind", "nosuch", "gateway"),
    ):
        text, found = run_cli("recall", *words), run_cli("recall", *words, "--json")

        assert (text.status, text.out, found.status) == (1, "", 1)
        assert "gitmem: nothing found for " in text.err
        assert json.loads(found.out)["hits"] == []


def test_question_newest_and_statistics_are_asked_for_one_at_a_time(run_cli) -> None:
    for words in (
        ("x", "--recent", "2"),
        ("x", "--stats"),
        ("--recent", "2", "--stats"),
        (),
        ("  ",),
    ):
        done = run_cli("recall", *words)

        assert done.status == 2
        assert "give one of: a question, --near FILE, --recent N, --stats" in done.err


@pytest.mark.usefixtures("filled")
def test_syntax_applies_only_with_its_option(run_cli) -> None:
    plain, syntax = (run_cli("recall", *option, "kind:decision gateway") for option in ([], ["--syntax"]))

    assert len(plain.out.splitlines()) == 3
    assert [line.split("\t")[1] for line in syntax.out.splitlines()] == ["decision"]


@pytest.mark.usefixtures("filled")
def test_wrong_syntax_exits_2_and_says_where(run_cli) -> None:
    done = run_cli("recall", "--syntax", "gateway (retries")

    assert (done.status, done.out) == (2, "")
    assert "at character 9, '(retries': the parenthesis is not closed" in done.err


@pytest.mark.usefixtures("filled")
@each("option", [[], ["--syntax"]], ids=["plain", "syntax"])
def test_a_near_word_is_suggested_where_nothing_is_found(run_cli, option: list[str]) -> None:
    done, found = (run_cli("recall", *option, "gatewey", *json_) for json_ in ([], ["--json"]))

    assert (done.status, done.out) == (1, "")
    assert "nothing found for 'gatewey'; did you mean 'gateway'?" in done.err
    assert json.loads(found.out)["suggestion"] == "gateway"


@pytest.mark.usefixtures("filled")
@each(
    "words",
    [("retriez",), ("retries", "--kind", "gotcha"), ("retriez", "--kind", "gotcha"), ("retries", "--tag", "ui")],
    ids=["spelling", "kind", "both", "tag"],
)
def test_near_misses_are_shown_as_such_where_nothing_is_found(run_cli, words: tuple[str, ...]) -> None:
    text, found = run_cli("recall", *words), run_cli("recall", *words, "--json")
    document = json.loads(found.out)

    assert (text.status, text.out, found.status, document["hits"]) == (1, "", 1, [])
    assert "near misses, which do not match the question as asked:" in text.err
    assert "Retries in the gateway are limited to three" in text.err
    assert {hit["title"] for hit in document["near"]} == {
        "Retries in the gateway are limited to three",
        "The gateway retries three times",
    }


@pytest.mark.usefixtures("filled")
def test_claims_of_documents_are_near_misses_while_they_hold(run_cli, repo: Path) -> None:
    commit_files(repo, {"AGENTS.md": "Run `make zebra` first.\n", "Makefile": "zebra:\n\ttrue\n"})
    run_cli("adopt", "--apply")

    found, asked = run_cli("recall", "zebra"), run_cli("recall", "zebra", "--kind", "claim", "--json")

    assert (found.status, found.out) == (1, "")
    assert "claims of adopted documents, which recall leaves out while they hold (--kind claim finds them)" in found.err
    assert "(unproven): `Makefile` defines `zebra`" in found.err
    assert [hit["title"] for hit in json.loads(asked.out)["hits"]] == ["`Makefile` defines `zebra`"]


@pytest.mark.usefixtures("filled")
def test_near_misses_are_left_out_where_there_are_hits_or_nothing_is_near(run_cli) -> None:
    for words in (("gateway",), ("zyzzogeton",)):
        assert "near misses" not in run_cli("recall", *words).err
        assert "near" not in json.loads(run_cli("recall", *words, "--json").out)


def test_recall_at_finds_what_was_known_then(run_cli, repo: Path) -> None:
    run_cli("remember", "The gateway retries thrice", "--title", "Gateway", "--key", "a")
    commit_files(repo, {"new.py": ""})
    run_cli("edit", "a", "--body", "The gateway never retries")

    found = json.loads(run_cli("recall", "gateway", "--at", "HEAD~1", "--json").out)
    counts = json.loads(run_cli("recall", "--stats", "--at", "HEAD~1", "--json").out)

    assert [hit["snippet"] for hit in found["hits"]] == ["The gateway retries thrice"]
    assert found["commit"] == found["at"]["commit"] == git(repo, "rev-parse", "memory~1")
    assert (found["at"]["code"], counts["total"]) == (git(repo, "rev-parse", "HEAD~1"), 1)
    assert run_cli("recall", "--syntax", "kind:fact", "--at", "HEAD").status == 2


@pytest.mark.usefixtures("filled")
def test_factors_are_asked_for_and_switched_off_by_options(run_cli, repo: Path) -> None:
    (repo / "src/gateway/retry.py").write_text("changed\n", encoding="utf-8")

    def factors(*options: str) -> dict[str, float]:
        hits = json.loads(run_cli("recall", "trace", "--explain", "--json", *options).out)["hits"]
        return hits[0]["factors"]

    assert [factors(*options)["path"] for options in ((), ("--near", "src/gateway"), ("--work",))] == [1, 1.5, 1.5]
    assert {"path", "recency"}.isdisjoint(factors("--work", "--without", "path,recency"))
    assert list(factors("--without", "all")) == ["lexical"]


@pytest.mark.usefixtures("filled")
def test_policy_that_cannot_be_read_is_reported_beside_the_answer(run_cli, repo: Path) -> None:
    put_files(repo, {"gitmem.toml": "[recall\n"})
    alone = run_cli("recall", "trace")
    run_cli("remember", "a trace of mine alone", "--scope", "private")
    beside = run_cli("recall", "trace")

    for done in (alone, beside):
        assert done.status == 0
        assert done.out
        lines = [line for line in done.err.splitlines() if "gitmem.toml" in line]
        assert len(lines) == 1
        assert lines[0].endswith("gitmem doctor")


@pytest.fixture
def locked_index(run_cli, repo: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection that holds the index's write lock, while the branch has a memory that the index lacks."""
    run_cli("remember", "The gateway drops requests")
    run_cli("index")
    put_files(repo, {"learned/lamp.md": memory_text("Lamps need oil")})
    other = sqlite3.connect(repo / ".git/gitmem" / FILE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield other
    other.close()


@pytest.mark.usefixtures("locked_index")
def test_search_that_cannot_see_the_newest_memories_never_says_that_there_are_none(run_cli) -> None:
    nothing, found = run_cli("recall", "lamps", "--json"), run_cli("recall", "gateway", "--json")
    text = run_cli("recall", "lamps")

    assert [nothing.status, found.status, text.status] == [3, 0, 3]
    assert "another process is updating the index" in json.loads(nothing.out)["behind"]
    assert json.loads(found.out)["behind"] == json.loads(nothing.out)["behind"]
    assert "nothing found for 'lamps' in the memories that could be searched" in text.err


def test_search_in_a_store_with_a_lost_memory_never_says_that_there_is_none(run_cli, repo: Path) -> None:
    run_cli("remember", "Lamps need oil", "--key", "lamps")
    run_cli("remember", "The gateway drops requests")
    oid = git(repo, "rev-parse", "memory:learned/lamps.md")
    for pack in repo.glob(".git/objects/pack/*.pack"):
        loose = pack.rename(repo / pack.name)
        pack.with_suffix(".idx").unlink()
        subprocess.run(["git", "unpack-objects", "-q"], cwd=repo, input=loose.read_bytes(), check=True)
    (repo / ".git/objects" / oid[:2] / oid[2:]).unlink()
    (repo / ".git/gitmem" / FILE_NAME).unlink()

    done, found = run_cli("recall", "lamps"), run_cli("recall", "gateway")

    assert (done.status, found.status, found.err) == (3, 0, "")
    assert "1 memory cannot be read: gitmem doctor" in done.err
    assert "nothing found for 'lamps' in the memories that could be searched" in done.err


@pytest.mark.usefixtures("locked_index")
def test_digest_that_cannot_see_the_newest_memories_warns_of_it(run_cli) -> None:
    done = json.loads(run_cli("context", "--json").out)

    (warnings,) = (one for one in done["sections"] if one["name"] == "WARNINGS")
    assert "another process is updating the index" in warnings["items"][0]["text"]

"""The search of the page has the order of ``gitmem recall``: the same words, weights, candidates and factors.

The store is the benchmark's task `developer`, with its questions as its readers typed them, and what other stores have
besides: facts of all statuses, kinds that are not read unasked, what is retired, other scripts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import commit_files
from support.facts import make_fact, make_memory, put, verify
from support.processes import wait_until

from benchmarks import judged
from benchmarks.browser import CHROMIUM, DRIVER, Browser
from gitmem.commands.report.page import render
from gitmem.commands.report.page.rank_factors import settings
from gitmem.config import Config
from gitmem.memory import Memory
from gitmem.policy import builtin
from gitmem.recall.query import Query
from gitmem.recall.scoring import RecallRun

pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="no chromium or no chromedriver here (Debian: chromium, chromium-driver)"
)

CORPUS = judged.DATA / "developer" / "tollgate"
MORE = (
    "C++", "c#", "C", "now and then", "main.c#L1", ".NET", "🚀", "don't", "won’t do", "Щукин",
    "", "   ", "what is that", "why", "zzz", "getUserById", "src/gateway/retry.py", "snake_case", "RETRIES = 3",
    "café naïve", "Größe", "ルーター", "路由器 超时", "roter", "dir config auth", "env vars", "k8s", "the the",
    "it's", "a.b.c", "../..", "HTTPServer2", "deploying deployed deploys", "retry retries retried", "MIXED Case",
)  # fmt: skip
STORE = {
    **make_memory("sharp", "Use C# here"),
    **make_memory("plus", "Use C++17 and C++ here, never i++ in main.c#L1"),
    **make_memory("stop", "Now and then"),
    **make_memory("signs", "🚀 Use .NET, we won't say don't", "Спросите Щукина"),
    **make_fact("retries", {"contains": "RETRIES = 3", "in": "src/gateway/retry.py"}, tags=["gateway"]),
    **make_fact("readme", {"exists": "README.md"}, importance="high"),
    **make_fact("waits", "make test", confidence=0.4),
    **make_memory("rests", "The router retries deploys", "Retries of the router.", requires=["retries"]),
    **make_memory("old", "The router was a proxy", superseded_by="rests"),
    **make_memory("cjk", "ルーターのタイムアウト", "路由器的超时是三十秒。", tags=["router"]),
    **make_memory("accents", "Größe of the café", "naïve `HTTPServer2` and parse_http_header in src/a/b.py"),
    **make_memory("agents", "Deploys need the router", by={"agent": "claude"}, task="AUTH-12"),
    "archive/gotchas/gone.md": "---\ntitle: The router of old\nkind: gotcha\n---\nIt deploys.\n",
}


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    made = Browser(tmp_path_factory.mktemp("chromium"))
    yield made
    made.close()


def lines(name: str) -> list[dict]:
    return [json.loads(line) for line in (CORPUS / name).read_text("utf-8").splitlines()]


def ask_all(chromium: Browser, questions: list[str]) -> list[list[str]]:
    """Type each question and return the keys that the page lists for it."""
    return chromium.js(
        """const words = document.getElementById("_words");
        return arguments[0].map((question) => {
            words.value = question;
            words.dispatchEvent(new Event("input"));
            return [...document.querySelectorAll("#_hits li")].map((hit) => hit.dataset.key);
        });""",
        questions,
    )


def test_page_lists_what_recall_finds_in_its_order(memory: Memory, repo: Path, chromium: Browser) -> None:
    docs = [
        make_memory(
            *(doc["id"], doc["title"], doc["text"]),
            **{"kind": doc["kind"], "tags": doc["tags"], "paths": doc["paths"], "created": f"{doc['date']}Z"},
        )
        for doc in lines("docs.jsonl")
    ]
    put(repo, STORE, *docs)
    verify(memory)
    commit_files(repo, {"src/gateway/retry.py": "RETRIES = 5\n"}, "five")
    verify(memory)
    page = repo / "page.html"
    page.write_text(render.render(memory.report()), encoding="utf-8")
    chromium.open(page)
    assert wait_until(lambda: chromium.js("return 'ready' in document.body.dataset"))

    questions = [one["text"] for one in (*lines("queries.jsonl"), *lines("unanswered.jsonl"))][::2]
    questions += filter(str.strip, MORE)
    wrong = {}
    for question, keys in zip(questions, ask_all(chromium, questions), strict=True):
        found = memory.recall(Query(text=question, limit=10, lexical=True))
        expected = [] if found.notice else [hit.key for hit in found.hits]
        if keys[: len(expected)] != expected:
            wrong[question] = (keys, expected)

    assert len(questions) > 100
    assert wrong == {}


def test_words_are_stemmed_as_the_index_stems_them(chromium: Browser) -> None:
    stemmer = pytest.importorskip("Stemmer").Stemmer("english")
    words = sorted({word for word in (CORPUS / "docs.jsonl").read_text("utf-8").lower().split() if word.isalpha()})
    words += ["dying", "eying", "vying", "skies", "news", "past", "pasting", "bpaste", "geologist", "university", "yes"]
    script = (Path(render.__file__).parent / "analysis.js").read_text("utf-8")

    stemmed = chromium.js(f"{script}; return arguments[0].map(analysis.stem)", words)

    assert dict(zip(words, stemmed, strict=True)) == dict(zip(words, stemmer.stemWords(words), strict=True))


@pytest.mark.whole_system
def test_other_languages_are_not_ranked_by_the_page() -> None:
    run = RecallRun(builtin(), Config(), 0)

    assert settings(["fact"], run=run, language="german") == {}
    assert settings(["fact"], run=run, language="english")["candidates"] == 60

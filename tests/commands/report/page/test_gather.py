"""The page's data: the usual statuses, with reasons, all memories of one scope, and nothing private."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git, tip
from support.facts import DAY, Clock, make_fact, make_memory, put, verify
from support.ids import id_of

from gitmem.commands.report.page.model import as_table
from gitmem.commands.report.page.sections import list_failed
from gitmem.errors import NotFoundError
from gitmem.memory import Memory

RETRIES = "src/gateway/retry.py"
STORE = {
    **make_fact("retries", {"contains": "RETRIES = 3", "in": RETRIES}, by="Ana", produces=["three-tries"]),
    **make_fact("readme", {"exists": "README.md"}, ttl="30d"),
    **make_fact("algorithm", {"contains": "RS256", "in": "src/auth/jwt.py"}),
    **make_fact("waits", "make test"),
    **make_memory("worst-case", "Ninety seconds", "See `retries`.", requires=["three-tries"], tags=["gateway"]),
    **make_memory("balancer", "Idles out later", requires=["worst-case"]),
    **make_memory("old", "A proxy", superseded_by="worst-case"),
    **make_fact("gate", {"exists": "nothing"}, kind="task"),
    "archive/gotchas/gone.md": "---\ntitle: Retired\nkind: gotcha\n---\nIt was.\n",
}


@pytest.fixture
def broken(repo: Path, memory) -> Memory:
    """Return a memory where one fact fails, one is stale, one waits, and two rest on the failure."""
    put(repo, STORE)
    verify(memory)
    commit_files(repo, {RETRIES: "RETRIES = 5\n", "src/auth/jwt.py": 'ALGORITHM = "RS256"  # new\n'}, "five")
    verify(memory, "retries")
    return memory


def test_facts_of_one_second_are_in_the_order_of_their_numbers_in_every_list(repo: Path, memory) -> None:
    names = [f"route-{number}" for number in (1, 2, 3, 10, 11)]
    put(repo, {k: v for name in names for k, v in make_fact(name, {"contains": "RETRIES = 3", "in": RETRIES}).items()})
    verify(memory)
    commit_files(repo, {RETRIES: "RETRIES = 5\n"}, "five")
    verify(memory)

    page = memory.report()

    assert [entry.key for entry in page.entries] == names
    assert [failed.key for failed, _ in list_failed(page)] == names
    assert [strip.key for strip in page.timeline.strips] == names


def test_first_fact_is_about_a_file_that_the_code_has(repo: Path, memory) -> None:
    readme = 'gitmem fact "There is a README" --exists README.md'
    git(repo, "rm", "-rq", ".")
    put(repo, make_memory("plain", "Plain"))
    for name, command in (
        ("docs/README.md", ""),
        ("a*.md", ""),
        ("-f", ""),
        (".gitignore", "gitmem fact 'There is a file .gitignore' --exists .gitignore"),
        ("a b.txt", "gitmem fact 'There is a file a b.txt' --exists 'a b.txt'"),
        ("readme.rst", "gitmem fact 'There is a file readme.rst' --exists readme.rst"),
        ("README.md", readme),
    ):
        commit_files(repo, {name: "text\n"})
        assert memory.report().first_fact == command, name
    put(repo, make_fact("readme", {"exists": "README.md"}))
    assert memory.report().first_fact == ""


def test_statuses_are_those_of_status_and_each_says_why(broken: Memory) -> None:
    page = broken.report()

    by_key = {entry.key: entry for entry in page.entries}

    def named(key: str) -> str:
        return f"{by_key[key].title} ({id_of(key)})"

    assert page.counts() == broken.status().document["statuses"]
    assert {key: (entry.status, entry.why) for key, entry in by_key.items() if entry.status} == {
        "retries": ("failed", f"{RETRIES} does not contain 'RETRIES = 3'"),
        "worst-case": ("suspect", f"rests on {named('retries')}"),
        "balancer": ("suspect", f"rests on {named('worst-case')} → {named('retries')}"),
        "algorithm": ("stale", "the code that it reads has changed"),
        "waits": ("unproven", "its command is waiting for approval"),
        "readme": ("verified", ""),
    }
    assert {key: entry.place for key, entry in by_key.items() if entry.place != "live"} == {
        "old": "superseded",
        "gone": "archived",
    }
    assert page.links == (("retries", "worst-case"), ("worst-case", "balancer"))
    assert by_key["retries"].held == git(broken.repository.git.repository.state_dir, "rev-parse", "main~1")
    assert (by_key["retries"].by, by_key["worst-case"].tags, page.waiting) == ("Ana", ("gateway",), ("waits",))


def test_it_says_of_which_commits_it_is_and_when_jobs_ran(broken: Memory, repo: Path) -> None:
    page = broken.report()

    assert (page.name, page.branch, page.code, page.tip) == (
        "service",
        "main",
        git(repo, "rev-parse", "HEAD"),
        tip(repo),
    )
    assert page.made == NOW
    assert page.jobs is not None
    assert page.jobs["last"]["commit"] == git(repo, "rev-parse", "HEAD~1")
    assert page.jobs["branch"]["code"] == page.code


def test_expired_time_to_live_is_given_as_the_reason(repo: Path) -> None:
    clock = Clock()
    with Memory(repo, clock=clock) as memory:
        memory.init(offline=True)
        put(repo, make_fact("readme", {"exists": "README.md"}, ttl="1d"))
        verify(memory)
        clock.now += 2 * DAY

        (entry,) = memory.report().entries

    assert (entry.status, entry.why) == ("stale", "its time to live has passed")


def test_silence_of_a_schedule_is_the_first_warning(repo: Path) -> None:
    clock = Clock()
    with Memory(repo, clock=clock) as memory:
        memory.init(offline=True)
        put(repo, make_fact("readme", {"exists": "README.md"}, ttl="1d"), {"facts/broken.md": "---\n: :\n---\n"})
        verify(memory)
        commit_files(repo, {".github/workflows/gitmem-verify.yml": "# gitmem-verify every daily\n"})
        clock.now += 70 * DAY

        warnings = memory.report().warnings

    assert "the forge's verify job has recorded no verdict for 70 days" in warnings[0]
    assert warnings[1] == "1 file of the memory cannot be read or have problems: gitmem doctor"


def test_private_memories_are_counted_and_shown_only_where_they_are_asked_for(memory) -> None:
    memory.remember("Everybody may know", key="shared")
    memory.remember("Only mine", key="mine", scope="private")

    page, private = memory.report(), memory.report(scope="private")

    assert ([entry.key for entry in page.entries], page.left_out) == (["shared"], 1)
    assert [entry.key for entry in private.entries] == ["mine"]
    assert "Only mine" not in json.dumps(as_table(page))


def test_a_scope_without_memories_is_reported(memory) -> None:
    memory.remember("Everybody may know", key="shared")

    with pytest.raises(NotFoundError, match="no memories with the scope private"):
        memory.report(scope="private")


def test_a_secret_that_was_pushed_past_every_check_travels_no_further(memory, repo: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    fields = {"refs": [f"https://ci:{token}@example.org/run"], "by": f"ana {token}", "paths": [f"src/{token}"]}
    put(repo, make_memory("leak", f"Use {token}", f"or {token}", **fields), make_fact("f", {"exists": "README.md"}))
    commit_files(repo, {"src/a.py": ""}, f"deploy with {token}")
    verify(memory)

    document = json.dumps(as_table(memory.report()))

    assert "deploy with" in document
    assert token not in document


def test_the_past_is_reported_as_it_was_known(broken: Memory, repo: Path) -> None:
    page = broken.at("HEAD~1").report()

    assert (page.counts()["failed"], page.counts()["verified"]) == (0, 3)
    assert (page.rev, page.code, page.jobs) == ("HEAD~1", git(repo, "rev-parse", "HEAD~1"), None)
    assert page.timeline is not None
    assert len(page.timeline.moments) == 1


def test_the_table_has_everything_and_leaves_out_what_is_empty(broken: Memory) -> None:
    table = json.loads(json.dumps(as_table(broken.report())))

    assert table["statuses"]["failed"] == 1
    assert next(m for m in table["memories"] if m["key"] == "gone") == {
        **{
            "key": "gone",
            "kind": "gotcha",
            "title": "Retired",
            "place": "archived",
            "status": "",
            "body": "It was.",
            "short_id": id_of("gone"),
        },
    }
    assert table["links"][0] == {"requires": "retries", "key": "worst-case"}
    assert table["timeline"]["facts"] == [{"key": "retries", "states": "V!"}]

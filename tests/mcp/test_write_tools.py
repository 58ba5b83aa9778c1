"""The tools that write: provenance, refusals, deletions by who may, and that nothing is approved or run."""

from __future__ import annotations

from pathlib import Path

from conftest import git, tip
from support.branch import fields_of
from support.facts import approve_all, count_commits, make_fact, make_memory, put
from support.ids import id_of
from support.mcp_client import call, call_one

from gitmem.memory import Memory

OWN = {"who": "Ana", "agent": "mcp"}
# Split, so that no scanner takes this file for a leak.
SECRET = "AKIA" + "IOSFODNN7EXAMPLF"


def test_memory_names_the_agent_that_wrote_it(memory, repo: Path) -> None:
    answer = call_one(
        repo,
        "memory_remember",
        text="The gateway drops idle connections.\n\nAfter a minute.",
        kind="gotcha",
        tags=["net"],
        refs=["src/gateway/retry.py:1"],
    )

    key = answer.content["key"]
    fields = fields_of(repo, f"gotchas/{key}.md")
    assert answer.content == {
        **{"key": key, "short_id": id_of(key), "scope": "project", "commit": tip(repo), "changed": True, "notes": ""}
    }
    assert fields["by"] == OWN
    assert (fields["title"], fields["refs"]) == ("The gateway drops idle connections", ["src/gateway/retry.py:1"])
    assert "Gitmem-Source: agent mcp" in git(repo, "log", "-1", "--format=%B", tip(repo))


def test_setting_names_the_agent_before_the_client_does(memory, repo: Path) -> None:
    git(repo, "config", "gitmem.agent", "worker-7")

    answer = call_one(repo, "memory_remember", text="Private thoughts", scope="private")

    assert answer.content["scope"] == "private"
    assert git(repo, "for-each-ref", "--format=%(refname)", "refs/gitmem") == "refs/gitmem/private/worker-7"


REFUSED = (
    ({"text": f"the key is {SECRET}"}, "secret"),
    ({"text": "plain", "title": f"key {SECRET}"}, "secret"),
    ({"text": "plain", "tags": [SECRET]}, "secret"),
    ({"text": "a\u202eb"}, "RIGHT-TO-LEFT OVERRIDE"),
    ({"text": "plain", "key": "../../etc/passwd"}, "invalid key"),
    ({"text": "plain", "kind": "fact"}, "needs a check that proves it"),
    ({"text": "plain", "requires": ["a\x1b[31m"]}, "control character"),
    ({"text": "plain", "supersedes": ["nothing"]}, "there is no memory nothing"),
    ({"text": "   "}, "the text is empty"),
)


def test_what_may_not_be_written_is_refused_and_not_repeated(memory, repo: Path) -> None:
    before = tip(repo)

    answers = call(repo, *(("memory_remember", arguments) for arguments, _ in REFUSED))

    assert [answer for answer in answers if not answer.is_error or SECRET in answer.text or "\x1b" in answer.text] == []
    assert [stdin for (_, stdin), answer in zip(REFUSED, answers, strict=True) if stdin not in answer.text] == []
    assert tip(repo) == before


def test_duplicate_is_reported_by_its_key_alone(memory, repo: Path) -> None:
    put(repo, make_memory("storm", "A retry storm took the gateway down", by=OWN))

    again = call_one(repo, "memory_remember", text="A retry storm took the gateway down", kind="gotcha")
    more = call_one(
        repo, "memory_remember", text="A retry storm took the gateway down twice", kind="gotcha", supersedes=["storm"]
    )

    assert again.is_error
    assert "storm already says this, or nearly this" in again.text
    assert "took the gateway" not in again.text
    assert fields_of(repo, "gotchas/storm.md")["superseded_by"] == more.content["key"]


def test_another_ones_memory_is_neither_replaced_nor_superseded_nor_deleted(memory, repo: Path) -> None:
    put(repo, make_memory("storm", "A retry storm", by={"who": "Ana"}))
    before = tip(repo)

    answers = call(
        repo,
        ("memory_remember", {"text": "Nothing to see", "key": "storm", "kind": "gotcha"}),
        ("memory_remember", {"text": "Quite another thing", "supersedes": ["storm"]}),
        ("memory_delete", {"key": "storm"}),
        ("memory_delete", {"key": "sto"}),
    )

    assert [answer.is_error for answer in answers] == [True] * 4
    assert all("storm was written by someone else" in answer.text for answer in answers)
    assert tip(repo) == before


def test_own_memory_is_deleted_and_can_be_restored(memory, repo: Path) -> None:
    key = call_one(repo, "memory_remember", text="A retry storm").content["key"]

    gone, found, again = call(
        repo,
        ("memory_delete", {"key": key, "why": "it is over"}),
        ("memory_search", {"query": "storm"}),
        ("memory_delete", {"key": key}),
    )

    assert (gone.content["changed"], found.content["hits"], again.content["changed"]) == (True, [], False)
    assert fields_of(repo, f"archive/learned/{key}.md")["retired"]["why"] == "it is over"
    assert memory.restore(key)[0].is_written


def test_agent_that_leads_deletes_what_others_wrote(memory, repo: Path) -> None:
    put(repo, make_memory("storm", "A retry storm", by={"who": "Ana"}))
    git(repo, "config", "--add", "gitmem.leads", "somebody")
    refused = call_one(repo, "memory_delete", key="storm")
    git(repo, "config", "--add", "gitmem.leads", "mcp")

    done = call_one(repo, "memory_delete", key="storm")

    assert refused.is_error
    assert done.content["changed"]


def test_learning_goes_to_one_worker_or_to_all(memory, repo: Path) -> None:
    to_all, to_one = call(
        repo,
        ("inject_learning", {"text": "Never retry a POST", "category": "mistake-pattern"}),
        ("inject_learning", {"text": "Ask before you deploy", "category": "preference", "worker": "Worker 7"}),
    )

    shared = fields_of(repo, f"mistake_patterns/{to_all.content['key']}.md")
    assert (shared["kind"], to_all.content["scope"]) == ("mistake_pattern", "project")
    assert shared["by"] == OWN | {"role": "lead"}
    assert to_one.content["scope"] == "private"
    git(repo, "config", "gitmem.agent", "worker-7")
    found = call_one(repo, "memory_search", query="deploy")
    assert [(hit["key"], hit["scope"]) for hit in found.content["hits"]] == [(to_one.content["key"], "private")]
    git(repo, "config", "gitmem.agent", "worker-8")
    assert call_one(repo, "memory_search", query="deploy").content["hits"] == []


def test_learning_is_pushed_to_a_worker_in_another_clone(memory, repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "hub.git")
    git(repo, "remote", "add", "origin", str(tmp_path / "hub.git"))
    learning = {"text": "Never retry a POST", "category": "mistake-pattern", "push": True}

    sent, nobody = call(
        repo, ("inject_learning", learning | {"worker": "worker-7"}), ("inject_learning", learning)
    )  # fmt: skip

    refs = git(tmp_path / "hub.git", "for-each-ref", "--format=%(refname)").split()
    assert refs == [sent.content["key"]]
    assert (refs[0].rpartition("/")[0], sent.content["scope"]) == ("refs/gitmem/inbox/worker-7", "remote")
    assert "push needs the name of a worker" in nobody.text


def test_proposed_command_waits_and_is_not_run_even_where_it_was_approved(memory, repo: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    command = f"test -f README.md && touch {mark}"

    first = call_one(repo, "fact_propose", title="There is a README", command=command)
    with Memory(repo) as other:
        waiting = other.repository.waiting_keys()
        approve_all(other)
    second = call_one(repo, "fact_propose", title="The README is there, and more of it", command=command)

    assert (first.content["waits"], waiting) == (True, [first.content["key"]])
    assert "gitmem trust --review" in first.content["notes"]
    assert second.content["waits"] is False
    assert not mark.exists()


def test_proposed_command_may_say_what_it_needs_of_the_world(memory, repo: Path) -> None:
    answer = call_one(
        repo,
        "fact_propose",
        title="The service answers",
        command="curl -sf $URL",
        network=True,
        outside=True,
        env=["URL"],
    )
    builtin = call_one(repo, "fact_propose", title="There is one", check={"exists": "README.md"}, network=True)

    fields = memory.show(answer.content["key"]).document["frontmatter"]
    assert (fields["network"], fields["outside"], fields["env"]) == (True, True, ["URL"])
    assert builtin.is_error


def test_proposed_check_is_answered_at_once(memory, repo: Path) -> None:
    holds, fails, both, neither, odd = call(
        repo,
        ("fact_propose", {"title": "Retries are three", "check": {"contains": "RETRIES = 3", "in": "src/**"}}),
        ("fact_propose", {"title": "Retries are nine", "check": {"contains": "RETRIES = 9", "in": "src/**"}}),
        ("fact_propose", {"title": "Both", "check": {"exists": "README.md"}, "command": "test -f README.md"}),
        ("fact_propose", {"title": "Neither"}),
        ("fact_propose", {"title": "Odd", "check": {"runs": "touch x"}}),
    )

    shown = call_one(repo, "memory_get", key=holds.content["key"])
    assert (holds.content["waits"], shown.content["status"]) == (False, "verified")
    assert [answer.is_error for answer in (fails, both, neither, odd)] == [True] * 4
    assert "the check does not hold" in fails.text
    assert "either a command or a check" in neither.text


def test_command_that_proves_nothing_is_refused(memory, repo: Path) -> None:
    answer = call_one(repo, "fact_propose", title="All is well", command="true")

    assert answer.is_error
    assert "proves nothing" in answer.text


def test_another_ones_fact_gets_no_other_check(memory, repo: Path) -> None:
    put(repo, make_fact("there-is-a-readme", "test -f README.md", title="There is a README"))
    before = count_commits(repo)

    answer = call_one(repo, "fact_propose", title="There is a README", command="test -d README.md")

    assert answer.is_error
    assert count_commits(repo) == before


def test_every_tool_that_takes_a_key_takes_a_short_id(memory, repo: Path) -> None:
    old = call_one(repo, "memory_remember", text="A retry storm", key="storm").content["short_id"]
    new, got = call(
        repo,
        ("memory_remember", {"text": "Quite another thing", "key": "other", "supersedes": [old], "requires": [old]}),
        ("memory_get", {"key": old}),
    )
    gone = call_one(repo, "memory_delete", key=new.content["short_id"])

    assert (got.content["key"], got.content["short_id"]) == ("storm", id_of("storm"))
    assert gone.content["key"] == "other"
    fields = fields_of(repo, "archive/learned/other.md")
    assert (fields["supersedes"], fields["requires"]) == (["storm"], ["storm"])

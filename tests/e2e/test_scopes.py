"""Scopes (rows D3, B10, E7): private, project, domain and universal memories, read together and told apart."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from conftest import git, put_files, tip
from support.facts import Clock, outcomes, put, statuses, verify

from gitmem.errors import NoRepositoryError, RefusedError
from gitmem.memory import Memory
from gitmem.recall.query import Query
from gitmem.store.universal import find_universal

ALL = {name: name for name in ("project", "private", "domain", "universal")}
AGENT = "refs/gitmem/private/ana"


@pytest.fixture(scope="module")
def made(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a repository and a universal store that have a memory in every scope."""
    top = tmp_path_factory.mktemp("scopes")
    repo = Path(shutil.copytree(template, top / "service"))
    git(repo, "config", "gitmem.domains", "auth, payments")
    with pytest.MonkeyPatch.context() as patch, Memory(repo, clock=Clock()) as memory:
        patch.setenv("XDG_DATA_HOME", str(top / "data-home"))
        memory.init(offline=True)
        memory.remember("The gateway of the project", key="project")
        memory.remember("The gateway of mine", key="private", scope="private")
        memory.remember("The gateway of a domain", key="domain", scope="domain", domains=["auth"])
        memory.remember("The gateway of another domain", key="elsewhere", scope="domain", domains=["ui"])
        memory.remember("The gateway of everybody", key="universal", scope="universal")
        assert found(memory) == ALL
    return top


@pytest.fixture
def repo(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made / "data-home", tmp_path / "data-home")
    return Path(shutil.copytree(made / "service", tmp_path / "service"))


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Return a folder that no repository holds."""
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


@pytest.fixture
def four(repo: Path):
    """Return a memory with one about the gateway in every scope."""
    with Memory(repo, clock=Clock()) as memory:
        yield memory


@pytest.fixture
def bare(template: Path, tmp_path: Path):
    """Return the memory of a repository that has none, of a person who has none."""
    with Memory(shutil.copytree(template, tmp_path / "bare"), clock=Clock()) as memory:
        yield memory


def found(memory: Memory, query: str = "gateway", **asked) -> dict[str, str]:
    return {hit.key: hit.scope for hit in memory.recall(Query(query, **asked)).hits}


def test_recall_finds_the_memories_of_every_scope_that_is_read_here(four: Memory) -> None:
    assert found(four) == ALL
    assert found(four, "") == ALL
    assert {hit.key: hit.scope for hit in four.list(Query(limit=9)).hits} == ALL


def test_outside_of_a_repository_the_universal_memories_are_read_and_written(repo: Path, outside: Path) -> None:
    with Memory(outside, clock=Clock(), fallback=find_universal) as memory:
        assert found(memory) == found(memory, scopes=("universal",)) == {"universal": "universal"}
        assert found(memory, scopes=("project",)) == {}
        assert memory.show("universal").document["scope"] == "universal"
        memory.remember("The gateway from anywhere", key="anywhere", scope="universal")
    with Memory(repo, clock=Clock()) as memory:
        assert found(memory) == ALL | {"anywhere": "universal"}


def test_only_where_no_repository_is_the_universal_store_is_opened_instead(
    repo: Path, tmp_path: Path, outside: Path
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / ".git").write_text("gitdir: /nowhere")

    for folder in (broken, tmp_path / "missing"):
        with pytest.raises(NoRepositoryError):
            Memory(folder, fallback=find_universal)
    shutil.rmtree(tmp_path / "data-home")
    with pytest.raises(NoRepositoryError, match="not a git repository"):
        Memory(outside, fallback=find_universal)


def test_of_equal_matches_the_nearer_scope_comes_first_and_the_factor_is_reported(four: Memory) -> None:
    hits = four.recall(Query("gateway")).hits

    assert [hit.key for hit in hits] == ["project", "private", "domain", "universal"]
    assert [dict(hit.factors)["scope"] for hit in hits] == [1.0, 0.95, 0.9, 0.85]


@pytest.mark.parametrize("scopes", [("project",), ("private",), ("domain",), ("universal",), ("private", "universal")])
def test_only_the_scopes_that_are_asked_for_are_read(four: Memory, scopes: tuple[str, ...]) -> None:
    assert set(found(four, scopes=scopes)) == set(scopes)
    assert {hit.key for hit in four.list(Query(limit=9, scopes=scopes)).hits} == set(scopes)


def test_parts_of_words_and_near_words_are_found_in_every_scope(four: Memory) -> None:
    assert found(four, "atewa") == ALL
    assert "no memory contains a whole word of" in four.notices[0]
    assert four.recall(Query("gatewya")).suggestion == "gateway"


def test_private_memories_are_those_of_one_agent(four: Memory, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITMEM_AGENT", "Worker 3")

    with Memory(repo, clock=Clock()) as other:
        assert set(found(other)) == set(ALL) - {"private"}
        other.remember("The gateway as worker three sees it", key="private", scope="private")
        assert found(other)["private"] == "private"
    refs = git(repo, "for-each-ref", "--format=%(refname)", "refs/gitmem").split()
    assert refs == [AGENT, "refs/gitmem/private/worker-3"]


def test_packed_private_refs_are_found(four: Memory, repo: Path) -> None:
    git(repo, "pack-refs", "--all", "--prune")

    assert not (repo / ".git" / AGENT).exists()
    assert found(four)["private"] == "private"


def test_private_memories_are_pushed_by_nothing_but_a_mirror(four: Memory, repo: Path, tmp_path: Path, run_cli) -> None:
    git(tmp_path, "init", "-q", "--bare", "origin.git")
    git(repo, "remote", "add", "origin", str(tmp_path / "origin.git"))

    assert run_cli("sync").status == 0
    assert git(tmp_path / "origin.git", "for-each-ref", "--format=%(refname)") == "refs/heads/memory"
    git(repo, "push", "-q", "--all", "origin")
    git(repo, "push", "-q", "--tags", "origin")
    git(repo, "-c", "push.default=matching", "push", "-q", "origin")
    assert "private" not in git(tmp_path / "origin.git", "for-each-ref")
    assert "mine alone" not in git(tmp_path / "origin.git", "log", "--all", "-p")

    git(repo, "config", "remote.origin.mirror", "true")
    problems = {p.code: p for p in four.doctor(fix=False).problems}
    assert "origin" in problems["private-exposed"].message


def test_the_universal_store_is_a_repository_that_is_made_at_the_first_write(bare: Memory, tmp_path: Path) -> None:
    home = tmp_path / "data-home/gitmem/universal"
    bare.init(offline=True)
    bare.recall(Query("gateway"))
    assert not home.exists()

    bare.remember("Review in pairs", key="pairs", scope="universal")

    assert git(home, "log", "-1", "--format=%s", "memory") == "learned: add pairs"
    assert "project: bare" in git(home, "show", "memory:learned/pairs.md")
    with Memory(home) as own:  # it is an ordinary store as well
        assert found(own, "pairs") == {"pairs": "project"}


def test_another_project_reads_the_universal_and_its_own_domains_and_nothing_else(four: Memory, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")

    with Memory(other, clock=Clock()) as memory:
        assert found(memory) == {"universal": "universal"}  # though it has no memory of its own
        put(other, {"gitmem.toml": '[recall]\ndomains = ["ui"]\n'})
        assert found(memory) == {"universal": "universal", "elsewhere": "domain"}
        assert memory.show("universal").document["title"] == "The gateway of everybody"


def test_memory_of_a_domain_that_is_not_read_here_is_reported_with_the_setting_that_changes_that(
    four: Memory, repo: Path
) -> None:
    four.remember("The ports of payments", scope="domain", domains=["payments"])
    assert four.notices == []

    four.remember("The ports of the ui", key="ports", scope="domain", domains=["ui"])

    assert len(four.notices) == 1
    assert four.notices[0].endswith(": git config gitmem.domains auth,payments,ui")
    git(repo, "config", "gitmem.domains", "auth,payments,ui")
    with Memory(repo, clock=Clock()) as memory:
        assert found(memory, "ports")["ports"] == "domain"


def test_without_any_memory_a_message_says_how_to_start(bare: Memory) -> None:
    with pytest.raises(NoRepositoryError):
        bare.recall(Query("gateway"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scope": "domain"}, "a memory with the scope domain must name its domains"),
        ({"scope": "universal", "domains": ["auth"]}, "for all projects"),
        ({"scope": "private", "in_tree": True}, "not of the scope private"),
    ],
)
def test_what_cannot_be_of_a_scope_is_refused_and_nothing_is_made(
    bare: Memory, tmp_path: Path, options: dict, message: str
) -> None:
    with pytest.raises(RefusedError, match=message):
        bare.remember("x", **options)

    assert not (tmp_path / "data-home").exists()


def test_a_key_is_that_of_the_nearest_scope_unless_one_is_named(four: Memory) -> None:
    four.remember("My own view", key="project", scope="private")

    assert four.show("project").document["scope"] == "project"
    assert four.show("project", scope="private").document["title"] == "My own view"
    assert four.show("univ").document["scope"] == "universal"
    four.forget("project", scope="private")
    assert four.show("project").document["title"] == "The gateway of the project"


def test_memories_of_every_scope_are_edited_and_retired_where_they_are(four: Memory, repo: Path) -> None:
    before = tip(repo)

    for key in ("private", "domain", "universal"):
        four.edit(key, fields={"title": f"New {key}"}, body=None, approve=False)
    four.forget("private", "universal", why="gone")

    assert tip(repo) == before
    assert found(four, "new") == {"domain": "domain"}
    assert "archive/learned/private.md" in git(repo, "ls-tree", "-r", "--name-only", AGENT)


def test_private_facts_are_proved_and_their_verdicts_stay_private(four: Memory, repo: Path) -> None:
    memory = four
    before = tip(repo)
    memory.fact("Signed with RS256", verify={"contains": "RS256", "in": "src/auth/jwt.py"}, key="rs", scope="private")
    memory.fact("Three retries", verify={"contains": "3", "in": "src/gateway/retry.py"}, key="three", scope="private")

    (repo / "src/auth/jwt.py").write_text("EdDSA\n")
    git(repo, "commit", "-qam", "EdDSA")
    run = verify(memory)

    assert outcomes(run) == {"rs": "fails"}
    assert {k: s for k, s in statuses(memory).items() if s} == {"rs": "failed", "three": "verified"}
    assert run.standing.statuses["failed"] == 1
    assert tip(repo) == before
    assert "verify: rs failed" in git(repo, "log", "--format=%s", AGENT)


def test_a_universal_fact_is_proved_where_it_is_written_and_runs_nowhere_else(four: Memory) -> None:
    memory = four
    with pytest.raises(RefusedError, match="does not hold"):
        memory.fact("No", verify={"exists": "nope"}, scope="universal")
    memory.fact("There is a README", verify={"exists": "README.md"}, key="readme", scope="universal")

    assert verify(memory, everything=True).due == 0
    assert statuses(memory)["readme"] == "unproven"


def test_the_digest_has_a_section_for_the_other_scopes_within_its_budget(four: Memory) -> None:
    message = four.context(paths=[], budget_tokens=1000).document

    section = message["sections"][-1]
    assert section["name"] == "OTHER SCOPES"
    assert {item["key"]: item["scope"] for item in section["items"]} == {k: v for k, v in ALL.items() if k != "project"}
    assert message["tokens"] <= 1000
    small = four.context(paths=[], budget_tokens=200).document["sections"][-1]
    assert small["total"] == 3
    assert small["more"] == 3 - len(small["items"]) > 0


def test_status_counts_what_the_other_scopes_have(four: Memory) -> None:
    assert four.status().document["scopes"] == {"private": 1, "domain": 1, "universal": 1}
    assert four.status(scope="private").document["memories"] == 1
    assert four.index.statistics().document["scopes"] == {"private": 1, "domain": 1, "universal": 1}


def test_a_broken_universal_store_hides_nothing_of_the_project(four: Memory, tmp_path: Path, repo: Path) -> None:
    (tmp_path / "data-home/gitmem/universal/.git/refs/heads/memory").write_text("garbage\n")

    with Memory(repo, clock=Clock()) as memory:
        assert found(memory) == {"project": "project", "private": "private"}
        assert "universal" in memory.notices[0]


def test_the_doctor_tells_what_is_wrong_in_the_other_scopes(four: Memory, repo: Path) -> None:
    put_files(repo, {"learned/bad.md": "-"}, ref=AGENT)

    problems = [p for p in four.doctor(fix=True).problems if p.path.startswith("private: ")]

    assert [(p.path, p.key) for p in problems] == [("private: learned/bad.md", "bad")]


def test_scopes_are_reported_by_the_commands(four: Memory, run_cli) -> None:
    rows = [line.split("\t") for line in run_cli("recall", "gateway").out.splitlines()]
    assert {row[0]: row[5] for row in rows} == ALL
    hits = json.loads(run_cli("recall", "gateway", "--scope", "private,domain", "--json").out)["hits"]
    assert {hit["key"]: hit["scope"] for hit in hits} == {"private": "private", "domain": "domain"}
    assert json.loads(run_cli("list", "--scope", "universal", "--json").out)["memories"][0]["scope"] == "universal"
    assert "private" in run_cli("show", "private").out.splitlines()[1]
    assert "1 private, 1 domain, 1 universal" in run_cli("status").out
    assert run_cli("recall", "x", "--scope", "everywhere").status == 2
    git(four.repository.git.repository.work_tree, "update-ref", "-d", AGENT)
    assert run_cli("recall", "gateway", "--scope", "private").status == 1

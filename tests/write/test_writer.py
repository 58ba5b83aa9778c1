"""Writing: one commit each, earlier texts are kept, links go both ways, and refused writes change nothing."""

from __future__ import annotations

import subprocess

import pytest
from conftest import NOW, git, memory_text, put_files, tip
from support.agent_signs import CLIENT_VARIABLES
from support.branch import fields_of, keys_found, memory_files
from support.catalogs import said_anew, said_by
from support.facts import Clock, count_commits, for_code, trailers

from gitmem.errors import DuplicateError, GitmemError, NotFoundError, RefusedError
from gitmem.memory import Memory
from gitmem.recall.query import Query
from gitmem.store import layout
from gitmem.write.draft import with_fields

DAY = 86_400
SECRET = "AK" + "IA" + "IOSFODNN7" + "QWERTYU"
GATEWAY = "The gateway drops every request that carries no trace id and answers 502"


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(memory, repo, clock):
    """The memory of a fresh repository whose clock a test sets."""
    with Memory(repo, clock=clock) as opened:
        yield opened


def subject(folder):
    return git(folder, "log", "-1", "--format=%s", "refs/heads/memory")


@pytest.fixture
def untouched(repo):
    """Return everything of a repository that a write may not touch, and with ``all`` nothing at all may."""

    def look(*, with_memory=True):
        left_out = () if with_memory else ("refs/heads/memory",)
        refs = [line for line in git(repo, "for-each-ref").split("\n") if not line.endswith(left_out or ("\0",))]
        objects = {p.name for p in (repo / ".git/objects").rglob("*") if p.is_file()} if with_memory else set()
        tree = {
            str(p.relative_to(repo)): p.read_bytes() for p in repo.rglob("*") if p.is_file() and ".git" not in p.parts
        }
        own = {name: (repo / ".git" / name).read_bytes() for name in ("index", "config", "HEAD")}
        return refs, objects, tree, own

    (repo / "README.md").write_text("changed, not added\n")
    (repo / "new.txt").write_text("not tracked\n")
    (repo / "staged.txt").write_text("staged\n")
    git(repo, "add", "staged.txt")
    return look


# --- remember ---------------------------------------------------------------------------------------------------------


def test_memory_is_one_file_in_one_commit_that_says_which(store, repo):
    before = tip(repo)

    done = store.remember("Deploys need VPN", kind="gotcha", tags=["ops"], paths=["deploy/**"])

    assert (done.key, done.path) == ("deploys-need-vpn", "gotchas/deploys-need-vpn.md")
    assert (done.is_new, done.is_written, done.commit) == (True, True, tip(repo))
    assert git(repo, "rev-parse", "refs/heads/memory~") == before
    assert git(repo, "diff", "--name-status", before, done.commit) == f"A\t{done.path}"
    assert subject(repo) == f"gotcha: add {done.key}"
    assert trailers(repo, done.commit) == [f"Gitmem-Key: {done.key}", for_code(repo)]
    assert git(repo, "log", "-1", "--format=%an <%ae> %ct", done.commit) == f"Ana <ana@example.org> {NOW}"
    assert memory_files(repo)[done.path] == (
        "---\ntitle: Deploys need VPN\nkind: gotcha\ntags: [ops]\npaths: [deploy/**]\nimportance: medium\n"
        "project: service\ncreated: 2026-09-21T14:13:20Z\nby: {who: Ana}\n---\n"
    )


def test_agent_is_named_as_the_source(store, repo, monkeypatch):
    monkeypatch.setenv("GITMEM_AGENT", "dev  7")
    with Memory(repo, clock=Clock()) as opened:
        done = opened.remember("Deploys need VPN")

    assert trailers(repo, done.commit) == [f"Gitmem-Key: {done.key}", "Gitmem-Source: agent dev 7", for_code(repo)]
    assert fields_of(repo, done.path)["by"] == {"who": "Ana", "agent": "dev  7"}


@pytest.mark.parametrize(("variable", "client"), CLIENT_VARIABLES.items())
def test_memory_that_an_agents_command_writes_names_its_client(store, repo, monkeypatch, variable, client):
    monkeypatch.setenv(variable, "1")
    with Memory(repo, clock=Clock()) as opened:
        done = opened.remember("Deploys need VPN")

    assert fields_of(repo, done.path)["by"]["agent"] == client


def test_first_memory_starts_the_branch_from_the_root_that_all_clones_share(repo):
    with Memory(repo, clock=Clock()) as opened:
        opened.remember("Deploys need VPN", key="a")

    root = git(repo, "rev-list", "--max-parents=0", "refs/heads/memory")
    assert git(repo, "log", "-1", "--format=%an %at %T", root) == (
        f"{layout.ROOT_NAME} {layout.ROOT_TIME} {git(repo, 'hash-object', '-t', 'tree', '/dev/null')}"
    )
    assert list(memory_files(repo)) == ["learned/a.md"]


@pytest.mark.parametrize("key", ["", "a"], ids=["made key", "explicit key"])
def test_same_text_again_writes_nothing(store, repo, clock, key):
    first = store.remember(f"{GATEWAY}\n\nSee the runbook.", key=key, tags=["ops"], ttl="30d")
    clock.now += DAY

    again = store.remember(f"{GATEWAY}\n\nSee the runbook.", key=key, tags=["ops"], ttl="30d")

    assert (again.key, again.path, again.commit) == (first.key, first.path, first.commit)
    assert (again.is_new, again.is_written) == (False, False)
    assert tip(repo) == first.commit


@pytest.mark.parametrize("key", ["deploys-need-vpn", ""], ids=["explicit key", "made key"])
def test_same_text_again_leaves_a_file_as_someone_formatted_it(store, repo, key):
    made = "importance: medium\nproject:   service\ncreated: 2026-01-01T00:00:00Z"
    text = f"---\n# ours\nkind:   learned\ntitle: 'Deploys need VPN'\n{made}\n---\n"
    put_files(repo, {"learned/deploys-need-vpn.md": text})
    before = tip(repo)

    done = store.remember("Deploys need VPN", key=key)

    assert (done.is_written, tip(repo)) == (False, before)


def test_with_an_explicit_key_the_latest_wins_and_history_has_the_earlier_one(store, repo, clock):
    store.remember("Deploys need VPN", key="deploys", tags=["ops"], ttl="30d", importance="high")
    clock.now += DAY

    done = store.remember("Deploys run from CI", key="deploys")

    now = fields_of(repo, done.path)
    assert (done.path, done.is_new) == ("learned/deploys.md", False)
    assert now["title"] == "Deploys run from CI"
    assert "ttl" not in now
    assert "ops" not in now.get("tags", [])
    assert "VPN" in memory_files(repo, "refs/heads/memory~")[done.path]
    assert subject(repo) == "learned: update deploys"
    assert [row.subject for row in store.log("deploys", limit=9)] == [
        "learned: update deploys",
        "learned: add deploys",
    ]


def test_options_missing_the_second_time_do_not_undo_earlier_ones(store, repo, clock):
    store.remember("Deploys need VPN", key="deploys", importance="high")
    clock.now += DAY

    done = store.remember("Deploys run from CI", key="deploys")

    now = fields_of(repo, done.path)
    assert now["importance"] == "high"
    assert (now["created"], now["updated"]) == ("2026-09-21T14:13:20Z", "2026-09-22T14:13:20Z")


def test_explicit_key_of_another_kind_moves_the_file_in_the_same_commit(store, repo):
    store.remember("Deploys need VPN", key="deploys")

    done = store.remember("Deploys need VPN", key="deploys", kind="gotcha")

    assert list(memory_files(repo)) == ["gotchas/deploys.md"]
    assert git(repo, "diff", "--name-status", "--no-renames", "refs/heads/memory~", "refs/heads/memory").split() == [
        *("A", done.path, "D", "learned/deploys.md")
    ]


def test_near_duplicate_is_an_update_that_loses_nothing(store, repo, clock):
    first = store.remember(
        GATEWAY, tags=["ops"], ttl="30d", requires=["edge"], paths=["src/gateway/**"], refs=["T-1"], domains=["net"]
    )
    text = memory_files(repo)[first.path].replace("ttl: 30d\n", "ttl: 30d # agreed with ops\nx-team: {lead: bo}\n")
    put_files(repo, {first.path: text})
    clock.now += DAY

    done = store.remember(f"{GATEWAY} here", tags=["edge"], paths=["src/edge/**"], importance="high")

    now = fields_of(repo, done.path)
    assert (done.key, done.is_new, done.is_written) == (first.key, False, True)
    assert now["title"] == f"{GATEWAY} here"
    assert now["tags"] == ["ops", "edge"]
    assert now["paths"] == ["src/gateway/**", "src/edge/**"]
    assert (now["ttl"], now["requires"], now["refs"], now["domains"]) == ("30d", ["edge"], ["T-1"], ["net"])
    assert (now["x-team"], now["importance"]) == ({"lead": "bo"}, "high")
    assert (now["created"], now["updated"]) == ("2026-09-21T14:13:20Z", "2026-09-22T14:13:20Z")
    assert "ttl: 30d # agreed with ops\n" in memory_files(repo)[done.path]
    assert len(memory_files(repo)) == 1


def test_same_slug_with_another_text_is_a_memory_of_its_own(store, repo):
    long = "The gateway drops every request that carries no trace id and answers"
    first = store.remember(f"{long} 502 when the batch jobs run at night")

    second = store.remember(f"{long} politely to browsers that come from abroad, it seems")

    assert second.is_new
    assert second.key.startswith("the-gateway-drops-every-request-")
    assert len(memory_files(repo)) == 2
    assert sorted(keys_found(store, "gateway")) == sorted([first.key, second.key])


def test_check_of_a_near_duplicate_replaces_the_old_one_as_a_whole(store, repo):
    old = {"verify": "grep -q RS256 src/auth/jwt.py", "refute": "rm src/auth/jwt.py", "network": True, "timeout": "5m"}
    put_files(repo, {"facts/tokens-are-signed-with-rs256.md": memory_text(
        "Tokens are signed with RS256", kind="fact", created='"2026-01-01T00:00:00Z"', tags="[jwt]",
        **{name: str(value).lower() if value is True else value for name, value in old.items()}
    )})  # fmt: skip

    done = store.fact("Tokens are signed with RS256", verify={"contains": "RS256", "in": "src/auth/jwt.py"})

    now = fields_of(repo, done.path)
    assert done.key == "tokens-are-signed-with-rs256"
    assert now["verify"] == {"contains": "RS256", "in": "src/auth/jwt.py"}
    assert not {"refute", "network", "timeout"} & set(now)
    assert "jwt" in now["tags"]
    assert store.show(done.key).document["status"] == "verified"


@pytest.mark.parametrize("key", ["", "deploys-need-vpn"], ids=["made key", "explicit key"])
def test_remembering_a_retired_memory_brings_it_back(store, repo, key):
    store.remember("Deploys need VPN", tags=["ops"])
    store.forget("deploys-need-vpn", why="not any more")

    with pytest.raises(DuplicateError, match=r"was retired on .* because: not any more") as refused:
        store.remember("Deploys need VPN", key=key)
    done = store.remember("Deploys need VPN", key=key, force=True)

    assert "gitmem restore deploys-need-vpn" in refused.value.hint
    assert (done.key, done.path, done.is_written) == ("deploys-need-vpn", f"learned/{done.key}.md", True)
    assert list(memory_files(repo)) == [done.path]
    assert "retired" not in fields_of(repo, done.path)
    assert subject(repo) == f"learned: restore {done.key}"
    assert keys_found(store, "deploys") == [done.key]


def test_remembering_one_of_two_files_of_a_key_leaves_one(store, repo):
    put_files(repo, {"gotchas/a.md": memory_text("One", kind="gotcha"), "learned/a.md": memory_text("Two")})

    store.remember("Three", key="a")

    assert list(memory_files(repo)) == ["learned/a.md"]


def test_memory_in_the_wrong_folder_is_moved_by_the_next_write(store, repo):
    put_files(repo, {"gotchas/a.md": memory_text("One", kind="learned")})

    store.remember("One, or two", key="a")

    assert list(memory_files(repo)) == ["learned/a.md"]


# --- what is refused changes nothing ----------------------------------------------------------------------------------

REFUSED = {
    "secret": lambda m: m.remember(f"the key is {SECRET}"),
    "secret in a tag": lambda m: m.remember("x", tags=[SECRET]),
    "hidden": lambda m: m.remember("run\u202e this"),
    "empty": lambda m: m.remember(" \n"),
    "key": lambda m: m.remember("x", key="../../etc/passwd"),
    "kind": lambda m: m.remember("x", kind="../.git"),
    "field": lambda m: m.remember("x", ttl="soon"),
    "too large": lambda m: m.remember("x\n" + "y" * layout.MEMORY_LIMIT),
    "pattern without lines": lambda m: m.remember("x", kind="code_pattern", refs=["src/auth/jwt.py"]),
    "fact without a check": lambda m: m.fact("x", verify=None),
    "fact remembered": lambda m: m.remember("x", kind="fact"),
    "supersedes nothing": lambda m: m.remember("x", supersedes=["no-such"]),
    "supersedes itself": lambda m: m.remember("x", key="x", supersedes=["x"]),
    "edit: secret": lambda m: m.edit("there", fields={"title": SECRET}, body=None, approve=False),
    "edit: hidden": lambda m: m.edit("there", lambda text: text + "\u200b\n"),
    "edit: no memory": lambda m: m.edit("there", lambda _: "text"),
    "edit: no check": lambda m: m.edit("there", fields={"kind": "fact"}, body=None, approve=False),
    "edit: metadata": lambda m: m.edit("decided", fields={"project": ""}, body=None, approve=False),
    "edit: itself": lambda m: m.edit("there", fields={"superseded_by": "there"}, body=None, approve=False),
    "edit: no such": lambda m: m.edit("no-such", str.upper),
    "forget: no such": lambda m: m.forget("there", "no-such"),
    "forget: secret": lambda m: m.forget("there", why=f"it says {SECRET}"),
    "supersede: itself": lambda m: m.supersede("there", "there"),
    "supersede: no such": lambda m: m.supersede("no-such", "there"),
    "supersede: by no such": lambda m: m.supersede("there", "no-such"),
}


def test_refused_write_leaves_everything_as_it_was(store, untouched):
    store.remember("It is there", key="there")
    store.remember("It was decided", key="decided", kind="decision")
    before = untouched()

    for what, write in REFUSED.items():
        with pytest.raises((RefusedError, NotFoundError)) as refused:
            write(store)

        assert refused.value.exit_status == (1 if isinstance(refused.value, NotFoundError) else 2), what
        assert SECRET not in f"{refused.value.message}{refused.value.hint}", what
        assert untouched() == before, what


def test_write_touches_nothing_but_the_memory_branch(store, untouched):
    before = untouched(with_memory=False)

    store.remember("It is there", key="there")
    store.fact("There is a readme", verify={"exists": "README.md"}, key="fact")
    store.edit("there", fields={"kind": "gotcha"}, body="more\n", approve=False)
    store.remember("It is here", key="here", supersedes=["there"])
    store.forget("there", "fact")

    assert untouched(with_memory=False) == before


# --- edit -------------------------------------------------------------------------------------------------------------


def test_edit_changes_what_was_asked_and_no_other_byte(store, repo):
    text = "---\n# why: see T-12\ntitle: 'Old'   # short\nx-own: [1,  2]\nkind: learned\n---\n\nbody  \n"
    put_files(repo, {"learned/a.md": text})

    done = store.edit("a", lambda old: old.replace("'Old'", "'New'"))

    assert memory_files(repo)[done.path] == text.replace("'Old'", "'New'")
    assert (done.path, done.is_new, done.is_written) == ("learned/a.md", False, True)
    assert subject(repo) == "learned: edit a"
    assert trailers(repo, done.commit) == ["Gitmem-Key: a", for_code(repo)]


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.edit("a", lambda text: text),
        lambda m: m.edit("a", fields={"title": "A thing", "tags": ["x"]}, body="body\n", approve=False),
        lambda m: m.edit("a", fields={"ttl": ""}, body=None, approve=False),
    ],
    ids=["text", "fields", "a field that is not there"],
)
def test_edit_to_the_same_writes_nothing(store, repo, clock, change):
    store.remember("A thing\nbody", key="a", tags=["x"])
    before = tip(repo)
    clock.now += DAY

    done = change(store)

    assert (done.is_written, done.commit, tip(repo)) == (False, before, before)


def test_edited_fields_say_when(store, repo, clock):
    store.remember("A thing", key="a")
    clock.now += DAY

    done = store.edit("a", fields={"ttl": "30d", "tags": ["x"]}, body="more", approve=False)

    assert fields_of(repo, done.path)["updated"] == "2026-09-22T14:13:20Z"
    assert store.show("a").document["body"] == "more\n"


@pytest.mark.parametrize("form", [lambda t: t.replace("\n", "\r\n"), lambda t: f"\ufeff{t}"], ids=["crlf", "bom"])
def test_file_from_windows_can_be_edited_and_keeps_its_form(store, repo, form):
    put_files(repo, {"learned/a.md": form(memory_text("Old", body="body\n"))})

    done = store.edit("a", lambda text: with_fields(text, {"title": "New"}, "a.md"))

    stored = subprocess.run(
        ["git", "show", f"{done.commit}:{done.path}"], cwd=repo, capture_output=True, check=True
    ).stdout.decode()
    assert stored == form(memory_text("New", body="body\n"))


def test_edited_kind_moves_the_file_in_the_same_commit(store, repo):
    store.remember("A thing", key="a")

    done = store.edit("a", fields={"kind": "gotcha"}, body=None, approve=False)

    assert done.path == "gotchas/a.md"
    assert list(memory_files(repo)) == ["gotchas/a.md"]
    assert [row.commit for row in store.log("a", limit=9)] == [
        done.commit,
        git(repo, "rev-parse", f"{done.commit}~"),
    ]


def test_edit_is_applied_to_what_someone_else_wrote_meanwhile(store, repo):
    store.remember("A thing", key="a", ttl="30d")
    seen = []

    def change(text):
        seen.append(text)
        if len(seen) == 2:  # planned, and not yet written
            put_files(repo, {"learned/a.md": text.replace("ttl: 30d", "ttl: 60d")})
        return text.replace("A thing", "Another thing")

    store.edit("a", change)

    assert "ttl: 60d" in seen[-1]
    assert (fields_of(repo, "learned/a.md")["title"], fields_of(repo, "learned/a.md")["ttl"]) == (
        "Another thing",
        "60d",
    )


def test_two_writers_that_change_different_fields_both_win(store, repo):
    store.remember("A thing", key="a")
    with Memory(repo, clock=Clock()) as other:
        other.show("a")  # it knows the memory as it was

        store.edit("a", fields={"ttl": "30d"}, body=None, approve=False)
        other.edit("a", fields={"tags": ["x"]}, body=None, approve=False)

    now = fields_of(repo, "learned/a.md")
    assert (now["ttl"], now["tags"]) == ("30d", ["x"])


def test_edit_that_fits_the_old_text_only_is_not_forced_onto_the_new_one(store, repo):
    store.remember("A thing", key="a")
    seen = []

    def change(text):
        seen.append(text)
        if len(seen) == 2:
            put_files(repo, {"learned/a.md": memory_text("Theirs")})
        if "A thing" not in text:
            raise RefusedError("someone else changed a in the meantime")
        return text.replace("A thing", "Ours")

    with pytest.raises(RefusedError, match="someone else"):
        store.edit("a", change)

    assert fields_of(repo, "learned/a.md")["title"] == "Theirs"


def test_edit_of_a_memory_that_was_retired_meanwhile_stays_in_the_archive(store, repo):
    store.remember("A thing", key="a")
    store.forget("a")

    done = store.edit("a", fields={"kind": "gotcha"}, body=None, approve=False)

    assert done.path == "archive/learned/a.md"
    assert list(memory_files(repo)) == ["archive/learned/a.md"]


# --- forget -----------------------------------------------------------------------------------------------------------


def test_forgotten_memory_lies_in_the_archive_with_when_who_and_why(store, repo, clock):
    store.remember("A thing\nwith text", key="a", kind="gotcha", tags=["x"])
    before = memory_files(repo)["gotchas/a.md"]
    clock.now += DAY

    (done,) = store.forget("a", why="it moved")

    assert (done.key, done.path, done.commit) == ("a", "archive/gotchas/a.md", tip(repo))
    assert list(memory_files(repo)) == ["archive/gotchas/a.md"]
    now = memory_files(repo)[done.path]
    assert fields_of(repo, done.path)["retired"] == {"when": "2026-09-22T14:13:20Z", "by": "Ana", "why": "it moved"}
    assert [line for line in now.split("\n") if not line.startswith("retired:")] == before.split("\n")
    assert (subject(repo), trailers(repo, done.commit)) == ("memory: forget a", ["Gitmem-Key: a", for_code(repo)])


def test_forgotten_memory_leaves_search_and_not_the_store(store):
    store.remember("A thing", key="a")

    store.forget("a")

    assert keys_found(store, "thing") == []
    assert [hit.key for hit in store.recall(Query(text="thing", everything=True)).hits] == ["a"]
    assert store.show("a").document["archived"]


def test_second_forget_writes_nothing(store, repo):
    store.remember("A thing", key="a")
    store.forget("a")
    before = tip(repo)

    (done,) = store.forget("a", why="again")

    assert (done.is_written, done.path, done.commit, tip(repo)) == (False, "archive/learned/a.md", before, before)


def test_several_are_forgotten_in_one_commit_that_names_the_ones_it_moved(store, repo):
    for key in ("a", "b", "c"):
        store.remember(f"Thing {key}", key=key)
    store.forget("a")
    before = count_commits(repo)

    done = store.forget("a", "c", "b", "c")

    assert [(d.key, d.is_written) for d in done] == [("a", False), ("c", True), ("b", True)]
    assert count_commits(repo) == before + 1
    assert subject(repo) == "memory: forget c and 1 more"
    assert trailers(repo, tip(repo)) == ["Gitmem-Key: c", "Gitmem-Key: b", for_code(repo)]


def test_no_other_file_takes_the_place_of_what_was_forgotten(store, repo):
    split = layout.memory_path("learned", "a", split=True)
    put_files(
        repo,
        {
            "gotchas/a.md": memory_text("One", kind="gotcha"),
            "learned/a.md": memory_text("Two"),
            split: memory_text("Three"),
        },
    )

    done = store.forget("a")

    assert [(d.key, d.path) for d in done] == [("a", "archive/gotchas/a.md")]
    assert sorted(memory_files(repo)) == ["archive/gotchas/a.md", "archive/learned/a.md"]
    assert store.show("a").document["archived"]
    assert fields_of(repo, "archive/learned/a.md")["title"] == "Two"  # the one that counted before the third


def test_name_of_who_forgets_hides_nothing(store, repo):
    store.remember("A thing", key="a")
    git(repo, "config", "user.name", "An\u202ea")

    with Memory(repo, clock=Clock()) as opened:
        opened.forget(*"a")

    assert fields_of(repo, "archive/learned/a.md")["retired"]["by"] == "An\\u{202e}a"


# --- the split ------------------------------------------------------------------------------------


@pytest.fixture
def crowded(store, repo):
    """A store whose folder `learned` is full."""
    put_files(repo, {f"learned/m{n:03}.md": memory_text(f"Thing m{n:03}") for n in range(layout.SPLIT_ABOVE)})
    return store


def split(key, folder="learned"):
    return f"{folder}/{layout.shard(key)}/{key}.md"


def paths(repo):
    return set(git(repo, "ls-tree", "-r", "--name-only", "refs/heads/memory", "learned", "archive", "gotchas").split())


MOVED = {split(f"m{n:03}") for n in range(layout.SPLIT_ABOVE)}


def test_folder_is_split_in_one_commit_with_the_file_that_was_one_too_many(crowded, repo):
    before = count_commits(repo)
    crowded.show("m007")

    done = crowded.remember("One too many", key="new")

    assert paths(repo) == MOVED | {split("new")}
    assert (done.path, count_commits(repo)) == (split("new"), before + 1)
    assert trailers(repo, done.commit) == ["Gitmem-Key: new", for_code(repo)]
    assert crowded.show("m007").document["path"] == split("m007")
    assert keys_found(crowded, "one too many")[0] == "new"
    assert said_by(crowded.repository.catalog()) == said_anew(repo, tip(repo))


def test_memory_is_changed_and_forgotten_in_either_layout(crowded, repo):
    crowded.edit("m001", fields={"tags": ["x"]}, body=None, approve=False)
    crowded.remember("One too many", key="new")

    assert crowded.edit("m002", fields={"tags": ["x"]}, body=None, approve=False).path == split("m002")
    assert crowded.remember("Another thing", key="m003").path == split("m003")
    assert crowded.forget("m004")[0].path == "archive/learned/m004.md"
    assert crowded.remember("It is back", key="m004").path == split("m004")
    assert [row.subject for row in crowded.log("m001", limit=9)] == [
        *("learned: add new", "learned: edit m001", "pushed")
    ]
    assert paths(repo) == MOVED | {split("new")}


def test_memory_that_is_superseded_by_the_one_too_many_moves_and_changes_at_once(crowded, repo):
    crowded.remember("One too many", key="new", supersedes=["m001"])

    assert paths(repo) == MOVED | {split("new")}
    assert fields_of(repo, split("m001"))["superseded_by"] == "new"


def test_edited_kind_splits_the_folder_that_it_moves_to(crowded, repo):
    crowded.remember("A trap", key="trap", kind="gotcha")
    before = count_commits(repo)

    done = crowded.edit("trap", fields={"kind": "learned"}, body=None, approve=False)

    assert (done.path, count_commits(repo)) == (split("trap"), before + 1)
    assert paths(repo) == MOVED | {split("trap")}


def test_archive_is_split_by_what_is_forgotten_into_it(store, repo):
    old = {f"archive/learned/m{n:03}.md": memory_text(f"Thing {n}") for n in range(layout.SPLIT_ABOVE)}
    put_files(repo, {**old, "learned/a.md": memory_text("A"), "learned/b.md": memory_text("B")})

    done = store.forget("a", "b")

    assert [d.path for d in done] == [split("a", "archive/learned"), split("b", "archive/learned")]
    assert paths(repo) == {f"archive/{path}" for path in MOVED} | {d.path for d in done}


def test_error_of_a_write_says_what_to_do(store):
    store.remember("A thing", key="a-thing")

    with pytest.raises(GitmemError, match="there is no memory a-think") as stdin:
        store.edit("a-think", str.upper)

    assert "a-thing" in stdin.value.hint

"""An import is one commit or nothing, imports nothing twice, and runs nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import git, memory_text, put_files, tip
from hypothesis import given
from hypothesis import strategies as st
from support.branch import fields_of, keys_found, memory_files
from support.catalogs import catalog_of, said_by
from support.facts import make_memory, put

from gitmem.commands.export import write_file
from gitmem.errors import NotFoundError
from gitmem.git import Git
from gitmem.index.catalog import texts_of
from gitmem.index.refresh import CatalogSource, rebuild
from gitmem.memory import Memory
from gitmem.plugins.import_.files import read_sources
from gitmem.plugins.import_.folder import ImportContext
from gitmem.plugins.import_.names import Names
from gitmem.plugins.import_.run import ImportResult, Sources, _incoming, _LeftOut
from gitmem.policy import builtin
from gitmem.recall.conversation import runs_of
from gitmem.recall.query import Query
from gitmem.write.bulk import settle
from gitmem.write.draft import Author

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
BEADS = [
    {
        "key": f"learned-k{n}",
        "type": "learned",
        "content": f"Learnt thing number {n}",
        "ts": 1706360000 + n,
        "bead": f"B-{n}",
    }
    for n in range(5)
]


def lines(path: Path, *tables: object) -> str:
    path.write_text("".join(json.dumps(table) + "\n" for table in tables))
    return str(path)


def run(memory: Memory, *names: str, **asked: object) -> ImportResult:
    return memory.bulk.import_files(Sources(names, **asked))  # type: ignore[arg-type]


def test_log_of_beadboard_is_imported_in_one_commit_and_only_once(memory: Memory, repo: Path, tmp_path: Path) -> None:
    log = lines(tmp_path / "knowledge.jsonl", *BEADS, {**BEADS[0], "content": "Said anew", "ts": 1706370000})
    before = tip(repo)

    done, again = run(memory, log), run(memory, log)

    assert (len(done.settled.new), done.settled.merged.total) == (5, 1)
    assert (len(again.settled.new), again.settled.unchanged, again.commit) == (0, 5, done.commit)
    assert git(repo, "log", "--format=%s", f"{before}..memory") == "memory: import 5 memories"
    assert (
        git(repo, "log", "-1", "--format=%(trailers:key=Gitmem-Source,valueonly)", "memory") == "import knowledge.jsonl"
    )
    assert fields_of(repo, "learned/learned-k0.md")["title"] == "Said anew"
    assert fields_of(repo, "learned/learned-k3.md")["task"] == "B-3"
    assert keys_found(memory, "number 3")[0] == "learned-k3"


def test_entries_with_secrets_are_refused_and_the_others_imported(memory: Memory, repo: Path, tmp_path: Path) -> None:
    source = lines(tmp_path / "k.jsonl", BEADS[0], {"content": f"use {TOKEN}"}, {"content": ""}, BEADS[1])

    done = run(memory, source)

    assert [where.rsplit(":", 1)[1] for where, _ in done.refused.kept + done.unreadable.kept] == ["2", "3"]
    assert len(memory_files(repo)) == 2
    assert TOKEN not in git(repo, "log", "-p", "memory") + str(done.refused.kept)


def test_import_does_not_restore_a_forgotten_memory(memory: Memory, repo: Path, tmp_path: Path) -> None:
    source = lines(tmp_path / "k.jsonl", BEADS[0], {**BEADS[1], "key": "another-key"})
    run(memory, source)
    memory.forget("learned-k0", why="wrong")
    before = tip(repo)

    dry = run(memory, source, dry_run=True)
    done = run(memory, source, lines(tmp_path / "k2.jsonl", {"content": BEADS[0]["content"]}))

    assert [dry.settled.skipped.total, done.settled.skipped.total] == [1, 2]
    assert tip(repo) == before


def test_imported_command_is_counted_but_neither_run_nor_approved(memory: Memory, repo: Path, tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    source = lines(tmp_path / "k.jsonl", {"title": "A trap", "kind": "fact", "body": "x", "verify": f"touch {trap}"})

    done = run(memory, source)
    memory.status()

    assert done.commands == 1
    assert memory.repository.waiting_keys() == list(done.settled.new)
    assert not trap.exists()


def test_dry_run_and_missing_source_write_nothing(repo: Path, tmp_path: Path) -> None:
    with Memory(repo) as memory:
        done = run(memory, lines(tmp_path / "k.jsonl", *BEADS), dry_run=True)
        with pytest.raises(NotFoundError):
            run(memory, str(tmp_path / "k.jsonl"), str(tmp_path / "none"))

    assert (len(done.settled.new), done.commit) == (5, "")
    assert git(repo, "for-each-ref", "refs/heads/memory") == ""


def test_import_starts_a_missing_store(repo: Path, tmp_path: Path) -> None:
    with Memory(repo) as memory:
        run(memory, lines(tmp_path / "k.jsonl", *BEADS))

        assert len(memory.list(Query(limit=99)).hits) == 5


def test_update_that_splits_a_folder_loses_no_file(memory: Memory, repo: Path, tmp_path: Path) -> None:
    old = {f"learned/old{n}.md": memory_text(f"Old {n}", created="2026-01-01T00:00:00Z") for n in range(499)}
    put_files(repo, old)
    more = [{"key": f"new{n}", "content": f"New text {n}", "ts": 1790000000} for n in range(5)]
    moved = {"key": "old7", "kind": "gotcha", "content": "It is a gotcha", "ts": 1790000000}

    run(memory, lines(tmp_path / "k.jsonl", *more, moved))

    paths = git(repo, "ls-tree", "-r", "--name-only", "memory", "learned/", "gotchas/").split("\n")
    keys = [*(f"old{n}" for n in range(499)), *(f"new{n}" for n in range(5))]
    assert sorted(Path(path).stem for path in paths) == sorted(keys)
    assert "gotchas/old7.md" in paths
    assert memory.repository.catalog().rows("SELECT * FROM problem") == []


KILLED = """
import os, signal, sys
from gitmem.system import process
run = process.run
def killed(argv, **options):
    if "fast-import" in argv:
        options["input"] = options["input"][: len(options["input"]) // 2]
        run(argv, **options)
        os.kill(os.getpid(), signal.SIGKILL)
    return run(argv, **options)
process.run = killed
from gitmem.cli import main
main(["import", sys.argv[1]])
"""


@pytest.mark.whole_system
def test_killed_import_writes_nothing(memory: Memory, repo: Path, tmp_path: Path) -> None:
    source = lines(tmp_path / "k.jsonl", *({"content": f"Learnt {n} " + "x" * 400} for n in range(300)))
    before = tip(repo)

    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    done = subprocess.run([sys.executable, "-c", KILLED, source], cwd=repo, env=env, capture_output=True, check=False)

    assert done.returncode == -signal.SIGKILL
    assert tip(repo) == before
    assert len(run(memory, source).settled.new) == 300


SPOKEN = ("Which port is it?", "It is 8443.", "Also for the old one?", "No, that went away.")


@pytest.mark.parametrize(
    ("given", "places"),
    [
        ([{}, {}, {}, {}], [0, 1, 2, 3]),
        ([{"timestamp": 1706356800}] * 4, [0, 1, 2, 3]),
        ([{"timestamp": 1706356800 + at} for at in (0, 0, 9, 9)], [0, 1, 0, 1]),
        ([{"key": f"turn-{at}"} for at in (8, 9, 10, 11)], [0, 0, 0, 0]),
        ([{"key": key} for key in ("c", "d", "a", "b")], [0, 0, 1, 2]),
    ],
    ids=["no time", "one time", "two times", "keys that count", "keys that do not"],
)
def test_log_without_times_keeps_the_order_of_import(
    memory: Memory, tmp_path: Path, given: list[dict], places: list[int]
) -> None:
    entries = [{"content": said, "tags": ["session-1"], **one} for said, one in zip(SPOKEN, given, strict=True)]

    run(memory, lines(tmp_path / "talk.jsonl", *entries))

    catalog = memory.repository.catalog()
    rows = {body: (id_, json.loads(fields)) for id_, body, fields in catalog.rows(
        "SELECT m.id, m.title || t.body, t.fields FROM memory m JOIN text t ON t.id = m.id"
    )}  # fmt: skip
    found = [next(row for text, row in rows.items() if said.rstrip(".") in text) for said in SPOKEN]
    assert [fields.get("seq", 0) for _, fields in found] == places
    assert runs_of(catalog, texts_of(catalog, [found[0][0]]), "1", ()) == [[number for number, _ in found]]


def test_invalid_place_in_a_log_is_ignored(memory: Memory, repo: Path) -> None:
    odd = {f"k{n}": value for n, value in enumerate(("-1", "x", "[1]", "1.5", "true", "9" * 40))}
    put(repo, *(make_memory(key, f"About {key}", "Text", tags=["session-1"], seq=value) for key, value in odd.items()))

    catalog = memory.repository.catalog()
    numbers = [row[0] for row in catalog.rows("SELECT id FROM memory ORDER BY key")]

    assert sorted(*runs_of(catalog, texts_of(catalog, numbers), "1", ())) == sorted(numbers)


def test_folders_of_other_systems_are_imported_completely_and_only_once(memory: Memory, tmp_path: Path) -> None:
    issue = {
        "id": "bd-1",
        "title": "Rotate keys",
        "status": "closed",
        "priority": 0,
        "close_reason": "done",
        "comments": [{"author": "bob", "text": "LEARNED: JWKS is cached a day", "created_at": "2026-01-02"}],
    }
    deleted = issue | {"id": "bd-2", "status": "tombstone"}
    files = {
        "beads/issues.jsonl": f"{json.dumps(issue)}\nnot json\n{json.dumps(deleted)}",
        "beads/memory/knowledge.jsonl": json.dumps(BEADS[0]),
        "beads/memory/knowledge.archive.jsonl": json.dumps(BEADS[1]),
        "beans/41.yaml": "id: '41'\ntitle: Memory\nslug: memory\nstatus: open\npriority: 2\nverify: npm test\n",
        "beans/bean-x1.md": "---\nid: bean-x1\ntitle: Other\nstatus: todo\npriority: high\n---\nText of it.\n",
        "vault/Gateway.md": "The gateway drops idle connections. #ops\n",
        "vault/deep/Timeouts.md": "See [[Gateway]]: a minute.\n",
        "claude/memory/MEMORY.md": "- [Role](user_role.md) — who she is\n",
        "claude/memory/user_role.md": "---\nname: role\ndescription: Ana leads\ntype: user\n---\nLedger. [[style]]\n",
        "claude/memory/project_goal.md": "---\nname: Das Ziel\ntype: project\n---\nFewer pages.\n",
        "claude/memory/rule.md": "---\nname: style\ndescription: Be brief\ntype: feedback\n---\n[[role]], [[goal]]\n",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "vault" / ".obsidian").mkdir()
    sources = Sources(tuple(str(tmp_path / name) for name in ("beads", "beans", "vault", "claude")))

    done = memory.bulk.import_files(sources)

    assert done.unreadable.kept == [(f"{tmp_path}/beads/issues.jsonl:2", "it is not JSON: Expecting value")]
    assert sorted(where.rsplit("/", 1)[1] for where, _ in done.settled.skipped.kept) == ["MEMORY.md", "issues.jsonl:3"]
    kinds = {hit.key: hit.kind for hit in memory.list(Query(limit=99)).hits}
    assert kinds == {
        "bd-1": "task", "jwks-is-cached-a-day": "learned", "learned-k0": "learned", "bean-41": "task",
        "bean-x1": "task", "gateway": "doc", "deep-timeouts": "doc", "memory-user-role": "preference",
        "memory-rule": "preference", "memory-project-goal": "codebase_knowledge",
    }  # fmt: skip
    role = memory.show("memory-user-role").document["frontmatter"]
    assert (role["refs"], role["index"]) == (["memory-rule"], "who she is")
    assert memory.show("memory-rule").document["frontmatter"]["refs"] == ["memory-user-role", "memory-project-goal"]
    assert memory.show("gateway").document["frontmatter"]["tags"] == ["ops"]
    assert memory.show("deep-timeouts").document["frontmatter"]["refs"] == ["gateway"]
    assert memory.show("learned-k1").document["frontmatter"]["retired"]["why"] == "rotated"
    assert [row.key for row in memory.tasks.list(states=["closed"])] == ["bd-1"]
    assert done.commands == 1
    again = memory.bulk.import_files(sources)
    assert (len(again.settled.new), len(again.settled.updated), again.commit) == (0, 0, done.commit)


@pytest.mark.parametrize("source", ["line", "note", "issue"])
def test_name_that_a_store_refuses_gets_another_form_before_the_commit(
    memory: Memory, tmp_path: Path, source: str
) -> None:
    names = ("nul", "con", "aux", "com1", "lpt9")
    (tmp_path / "notes").mkdir()
    for name in names:
        (tmp_path / "notes" / f"{name}.md").write_text(f"# A note about {name}\n\nIt says {name}\n")
    sources = {
        "line": lines(tmp_path / "log.jsonl", *({"key": name, "content": f"A line about {name}"} for name in names)),
        "note": str(tmp_path / "notes"),
        "issue": lines(
            tmp_path / "issues.jsonl",
            *({"id": name.upper(), "title": f"Do {name}", "issue_type": "task", "status": "open"} for name in names),
        ),
    }

    run(memory, sources[source])

    assert [problem.code for problem in memory.doctor().problems if problem.severity == "error"] == []
    assert memory.status().document["memories"] == len(names)


def test_every_word_of_other_fields_is_found(memory: Memory, tmp_path: Path) -> None:
    table = {
        "title": "Pool leak", "content": "The main text", "description": "quokka here", "aliases": ["wombat"],
        "author": "Numbat Smith", "narrative": "The octopus pool kept sockets", "facts": ["limit is echidna"],
        "observations": [{"text": "a bilby"}], "value": "dugong", "created_at_epoch": 1764000000,
        "long": "dingo " * 300,
    }  # fmt: skip

    run(memory, lines(tmp_path / "a.jsonl", table))

    for word in ("quokka", "wombat", "numbat", "octopus", "echidna", "bilby", "dugong", "dingo"):
        assert [hit.title for hit in memory.recall(word).hits] == ["Pool leak"], word
    key = memory.recall("quokka").hits[0].key
    assert memory.show(key).document["frontmatter"]["created"] == "2025-11-24T16:00:00Z"


def test_field_of_the_name_of_our_mark_is_kept(memory: Memory, tmp_path: Path) -> None:
    (note := tmp_path / "Pool.md").write_text("---\nimported: by Kit\n---\n# Pool\n\nFive connections.\n")

    run(memory, str(note))

    fields = memory.show("pool").document["frontmatter"]
    assert (Path(fields["imported"]).name, fields["imported_imported"]) == ("Pool.md", "by Kit")


def test_memories_of_a_log_name_each_other_by_the_keys_that_they_get(memory: Memory, tmp_path: Path) -> None:
    memory.remember("Something else", key="bug-1")

    tables = {"key": "BUG-1", "content": "One"}, {"key": "b", "content": "Two", "requires": ["BUG-1"]}

    done = run(memory, lines(tmp_path / "a.jsonl", *tables))

    one = next(key for key in done.settled.new if key.startswith("bug-1-"))
    assert memory.show("b").document["frontmatter"]["requires"] == [one]


WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=30)
NOTES = st.dictionaries(
    st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="/"), min_size=1, max_size=12).filter(
        lambda name: not name.startswith(".")
    ),
    WORDS
    | st.sampled_from(["", "# Same\n", "---\ntags: [1.0]\n---\nx", "---\nnot: [closed\n---\ny", f"token {TOKEN}"]),
    max_size=6,
)


@given(NOTES)
def test_every_note_comes_in_whole_or_is_named(notes: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in notes.items():
            Path(folder, f"{name}.md").write_text(text)
        left = _LeftOut()
        records = read_sources([folder], ImportContext(Names()), stdin=None, progress_of=None)
        opened = SimpleNamespace(policy=builtin, author=lambda: Author("Ana", "", "service"), now=0, notices=[])
        incoming = list(_incoming(opened, records, left))  # type: ignore[arg-type]
        settled = settle(catalog_of({}), incoming, update=False, threshold=0.85)

    groups = (left.refused, left.unreadable, left.skipped, left.others, settled.merged, settled.near, settled.skipped)
    named = {where.removeprefix(f"{folder}/") for group in groups for where, _ in group.kept}
    stored = "\n".join(one.text for one in settled.new.values())
    for name, text in notes.items():
        words = unicodedata.normalize("NFC", text.rpartition("---\n")[2]).split()
        is_named = any(one.startswith(f"{name}.md") for one in named)
        assert is_named or all(word in stored for word in words if word.isalnum()), name
    assert len(settled.new) + len(named) >= len(notes)


def test_line_of_an_index_stays_if_its_note_is_refused(memory: Memory, tmp_path: Path) -> None:
    notes = {
        "MEMORY.md": "- [Good](good.md) — pebble\n- [Bad](bad.md) — walrus rules\n- [Large](large.md) — otter\n",
        "good.md": "Deploys wait for the cache.\n",
        "bad.md": f"use {TOKEN}\n",
        "large.md": "x" * 70_000,
    }
    (tmp_path / "memory").mkdir()
    for name, text in notes.items():
        (tmp_path / "memory" / name).write_text(text)

    run(memory, str(tmp_path / "memory"))

    assert memory.show("good").document["frontmatter"]["index"] == "pebble"
    assert (
        memory.show("memory")
        .document["body"]
        .strip()
        .endswith("- [Bad](bad.md) — walrus rules\n- [Large](large.md) — otter")
    )


def test_secret_in_a_note_is_refused_with_its_line(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "n").mkdir()
    (tmp_path / "n" / "a.md").write_text(f"---\nstage: one\n---\n\n# Title\n\nFirst\n\nuse {TOKEN}\n")
    (tmp_path / "n" / "b.md").write_text("Plain\n\nhid\u202eden\n")

    done = run(memory, str(tmp_path / "n"))

    assert [where.rpartition("/")[2] for where, _ in done.refused.kept] == ["a.md:9", "b.md:3"]


@pytest.mark.parametrize("earlier", [0, 40])
def test_index_after_an_import_equals_one_that_is_read_from_the_branch(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, earlier: int
) -> None:
    monkeypatch.setattr("gitmem.plugins.import_.run.PARSED", 7)  # of 8: the last one is read again
    put_files(repo, {f"learned/old-{n}.md": memory_text(f"old {n}") for n in range(earlier)} or {"README.md": "x"})
    git(repo, "config", "gitmem.secretsAllow", "github-token")
    exact = [("quoted", memory_text('"it\'s \\x67hp"')), ("exact", f"---\ntitle: exact\n---\n{TOKEN} is known\n")]
    own = [{"key": key, "frontmatter": {}, "body": "", "text": text} for key, text in exact]
    log = lines(tmp_path / "log.jsonl", *BEADS, {"title": "a key", "body": f"It was {TOKEN} before"}, *own)

    with Memory(repo) as memory:
        done = run(memory, log)

        built = rebuild(CatalogSource(memory.repository.git, done.commit, folder=str(tmp_path / "built")))
        assert (len(done.settled.new), done.refused.kept) == (8, [])
        assert said_by(memory.repository.catalog()) == said_by(built)
    assert built.row("SELECT count(*) FROM secret")[0] == 2


def test_imported_memories_are_not_read_again(
    memory: Memory, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list[str]()
    whole = Git.read_blobs
    monkeypatch.setattr(
        Git, "read_blobs", lambda git, oids, **how: whole(git, (oid for oid in oids if not read.append(oid)), **how)
    )

    run(memory, lines(tmp_path / "log.jsonl", *BEADS))

    paths = git(repo, "ls-tree", "-r", "memory").splitlines()
    assert len(keys_found(memory, "thing")) == len(BEADS)
    assert not {line.split()[2] for line in paths if line.endswith(".md") and "/" in line} & set(read)


def rows(*tables: object) -> bytes:
    return b"".join(json.dumps(table).encode() + b"\n" for table in tables)


def note(number: int, **more: object) -> dict[str, object]:
    return {"content": f"walrus{number} is about topic{number} and part{number}", **more}


def walruses(count: int) -> str:
    return " ".join(f"walrus{number}" for number in range(1, count + 1))


GONE = "it was deleted where it comes from"
DOT = "names that begin with a dot are not read"
NO_OBJECT = "it is not a JSON object"
ENTITY = {"type": "entity", "name": "Ana"}
ISSUE = {"id": "b-1", "title": "walrus1", "status": "open", "priority": "walrus2", "labels": [{"name": "walrus3"}]}
# By what is odd: the files, the words that are imported, and the places that are named with a reason.
ODD: dict[str, tuple[dict[str, bytes], str, dict[str, str]]] = {
    "CRLF and BOM": (
        {"a.jsonl": b"\xef\xbb\xbf" + rows(note(1), note(2)).replace(b"\n", b"\r\n")},
        walruses(2),
        {},
    ),
    "blank": ({"a.jsonl": rows(note(1)), "b.jsonl": b"\n"}, walruses(1), {"b.jsonl": "it has no memories"}),
    "bad lines": (
        {"a.jsonl": rows(note(1)) + b'{"content": "caf\x81"}\n{bad\n{"content": "x"},\n' + rows(note(2))},
        walruses(2),
        {"a.jsonl:2": "it is not UTF-8", "a.jsonl:3": "it is not JSON", "a.jsonl:4": "it is not JSON: Extra data"},
    ),
    "deleted": (
        {
            "a.jsonl": rows(
                note(1, deleted=False, deleted_at=None),
                note(2, is_deleted=1),
                {"id": "b", "title": "t", "status": "tombstone"},
                note(4, deletedAt="2024-01-01"),
                note(5, type="tombstone"),
            ),
            "b.md": b"---\ndeleted: true\n---\nx\n",
        },
        walruses(1),
        {"a.jsonl:2": GONE, "a.jsonl:3": GONE, "a.jsonl:4": GONE, "a.jsonl:5": GONE, "b.md": GONE},
    ),
    "lists in an object with a title": (
        {
            "a.json": rows(
                {"title": "Export", "memories": [note(1), "words", None], "lessons": [note(2)], "by": "the whole team"}
            )
        },
        walruses(2),
        {"a.json:1: memories[2]": NO_OBJECT, "a.json:1: memories[3]": NO_OBJECT, "a.json:1": "memories: by"},
    ),
    "objects beside a list": (
        {
            "a.json": rows(
                {"results": [note(1)], "pinned": note(2), "deep": {"items": [note(3)]}, "about": "all", "stats": ["x"]}
            )
        },
        walruses(3),
        {"a.json:1": "not among its memories: stats"},
    ),
    "a name twice": ({"a.jsonl": b'{"content": "walrus1 first", "content": "walrus2 second"}\n'}, walruses(2), {}),
    "fields of other types": (
        {
            "a.jsonl": rows(
                note(
                    1,
                    tags={"walrus2": "walrus3"},
                    task={"id": "walrus4"},
                    paths=[{"path": "walrus5"}],
                    refs=["walrus6", {"to": "walrus7"}],
                    deep={"text": "walrus8 " * 200, "count": 987654},
                )
            )
        },
        f"{walruses(8)} 987654",
        {},
    ),
    "an entity twice": (
        {
            "memory.json": rows(
                {**ENTITY, "entityType": "person", "observations": ["walrus1", {"text": "walrus2", "at": "walrus3"}]},
                {**ENTITY, "entityType": "owner", "observations": ["walrus4"], "note": "walrus5"},
                {"type": "relation", "from": "Ana", "to": "walrus6", "relationType": "likes", "why": "walrus7"},
            )
        },
        walruses(7),
        {},
    ),
    "an issue of other types": (
        {
            "issues.jsonl": rows(
                {**ISSUE, "comments": "walrus4", "dependencies": {"needs": "walrus5"}, "attempts": 4242, "closed": True}
                | {"acceptance_criteria": ["walrus6"]}
            )
        },
        f"{walruses(6)} 4242",
        {"the field closed was left out of 1": "only set by gitmem"},
    ),
    "files": (
        {
            "v/a.md": b"\xff\xfea",
            "v/b.md": b"caf\x81",
            "v/c.md": b"",
            "v/d.md": b"x" * (4 << 20) + b"x",
            "v/e.md": b"---\nno: [yaml\n---\nwalrus1\n",
            "v/f.md": b"---\ntitle: walrus2\nopen walrus3\n",
            "v/.g.md": b"x",
            "v/.rules": b"x",
            "v/.trash/h.md": b"x",
            "v/i.txt": b"x",
        },
        walruses(3),
        {"v/a.md:1": "not UTF-8", "v/b.md:1": "not UTF-8", "v/c.md": "it is empty", "v/d.md": "larger than 4096 KiB"}
        | {"v/.g.md": DOT, "v/.rules": DOT, "v/.trash": DOT, "v/i.txt": "files of this kind are not read"},
    ),
    "equal names": (
        {f"v/{one}/auth.md": f"---\nkind: doc\n---\nwalrus{one} {'octopus' * one}\n".encode() for one in (1, 2)},
        walruses(2),
        {},
    ),
    "one file of rules": ({".cursorrules": b"Use tabs walrus1\n\n- and walrus2\n"}, walruses(2), {}),
}


@pytest.mark.parametrize("odd", ODD)
def test_each_note_of_an_odd_source_is_imported_or_named(memory: Memory, repo: Path, tmp_path: Path, odd: str) -> None:
    files, words, named = ODD[odd]
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)

    done = run(memory, *sorted({str(tmp_path / path.partition("/")[0]) for path in files}))

    imported = memory_files(repo)
    said = dict(part.split(": ", 1) for part in memory.notices)
    for group in (done.unreadable, done.others, done.settled.skipped, done.settled.merged, done.settled.near):
        said |= {where.removeprefix(f"{tmp_path}/"): reason for where, reason in group.kept}
    assert [word for word in words.split() if word not in "".join(imported.values())] == []
    assert [(where, said.get(where)) for where, reason in named.items() if reason not in said.get(where, "")] == []
    assert not {where for where in said if "frontmatter" not in said[where]} - named.keys()
    lines = tmp_path / "export.jsonl"
    write_file(memory.bulk.export(Query(everything=True, limit=99)), lines)
    git(tmp_path, "init", "-q", "-b", "main", "copy")
    with Memory(tmp_path / "copy") as other:
        run(other, str(lines))
    assert not imported or memory_files(tmp_path / "copy") == imported


def test_text_in_another_encoding_and_numbers_that_are_none_are_imported_with_a_notice(
    memory: Memory, repo: Path, tmp_path: Path
) -> None:
    files = {
        "a.jsonl": rows(note(1), note(2)).decode().encode("utf-16"),
        "b.json": b'{"content": "walrus3 caf\xe9"}',
        "c.jsonl": b'{"text": "walrus4", "n": NaN, "created": NaN}\n{"text": "walrus5", "confidence": Infinity}\n',
        "d/e.md": "walrus6 Größe".encode("utf-16"),
        "d/f.md": b"walrus7 caf\xe9",
    }
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)

    done = run(memory, *(str(tmp_path / name) for name in ("a.jsonl", "b.json", "c.jsonl", "d")))

    assert done.unreadable.total == 0
    imported = "".join(memory_files(repo).values())
    assert [word for word in f"{walruses(7)} café Größe".split() if word not in imported] == []
    said = "\n".join(memory.notices)
    assert said.count("read as UTF-16") == said.count("read as Windows-1252") == 1
    assert all(f"the field {name} was left out of 1" in said for name in ("n", "created", "confidence"))


def test_document_that_no_memory_can_hold_is_cut_and_others_are_not(memory: Memory, repo: Path, tmp_path: Path) -> None:
    part = "Keep the cache warm before the release.\n\n" * 200
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "long.md").write_text("".join(f"# Part {number}\n\n{part}" for number in range(12)))
    (docs / "short.md").write_text("# One\n\nText of [the long one](long.md).\n\n# Two\n\nMore.\n")

    done, again = run(memory, str(docs)), run(memory, str(docs))

    assert (done.unreadable.total, again.unreadable.total, len(again.settled.new)) == (0, 0, 0)
    assert sum(key.startswith("long") for key in done.settled.new) >= 12
    assert memory.show("short").frontmatter["refs"] == [memory.show("long").key]
    assert [key for key in done.settled.new if key.startswith("short")] == ["short"]
    assert any("its sections became memories" in notice for notice in memory.notices)
    one = memory.bulk.import_files(Sources((str(docs / "short.md"),), chunk=True))
    assert len(one.settled.new) == 2


@pytest.mark.parametrize(
    ("first", "second", "replaced"),
    [
        ({"content": "The pool has ten"}, {"content": "The port is high"}, 1),
        ({"content": "The pool has ten"}, {"content": "The pool has ten"}, 0),
        ({"content": "The pool has ten", "ts": 1}, {"content": "The port is high", "ts": 2}, 0),
    ],
    ids=["another text", "the same", "a later one"],
)
def test_memory_that_another_one_replaces_without_a_time_is_counted(
    memory: Memory, repo: Path, tmp_path: Path, first: dict[str, object], second: dict[str, object], replaced: int
) -> None:
    (tmp_path / "a.jsonl").write_bytes(rows({"key": "pool", **first}, {"key": "pool", **second}))

    done = run(memory, str(tmp_path / "a.jsonl"))

    assert (done.settled.merged.total, done.settled.replaced) == (1, replaced)

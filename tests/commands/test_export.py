"""An export is whole, overwrites nothing, and an import of it into an empty repository gives the same files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import git, memory_text, put_files
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.branch import memory_files

from gitmem.commands.export import write_file, write_folder
from gitmem.document.format import format as format_document
from gitmem.errors import FormatError, RefusedError
from gitmem.memory import Memory
from gitmem.plugins.import_.run import Sources
from gitmem.recall.query import Query
from gitmem.text.hazards.hidden_characters import find_hidden
from gitmem.text.secrets import find_secrets

ALL = Query(everything=True, limit=9999)
# Of kinds that do not rotate: an import marks those that do.
ODD = {
    "gotchas/a.md": "---\nkind: gotcha\ntitle: 'A'   # why\nown: {b: [1, 2.5, null]}\n---\n\n\nbody without an end",
    "oddly-placed/b.md": "---\r\nkind: gotcha\r\ntitle: Größe – 中文\r\n---\r\nbody\r\n",
    "archive/facts/c.md": memory_text("C", kind="fact", retired="{why: gone}", verify="make test"),
    "notes/d.md": "\ufeff---\nkind: note\n---\n",
    "decisions/e.md": memory_text("Old", kind="decision", superseded_by="a"),
}


def blobs(folder: Path) -> dict[str, str]:
    """Return the object name of every memory by key: equal names are equal bytes."""
    rows = [line.split() for line in git(folder, "ls-tree", "-r", "memory").split("\n")]
    return {f"{row[3].startswith('archive/')}:{Path(row[3]).stem}": row[2] for row in rows if row[3].count("/")}


def copy_through(memory: Memory, form: str, folder: Path) -> Path:
    """Export a store in a form and import that into a new repository; return the repository."""
    target, source = folder / "target", folder / f"export.{form}"
    target.mkdir(parents=True)
    git(target, "init", "-q", "-b", "main")
    if form == "jsonl":
        write_file(memory.bulk.export(ALL), source)
    else:
        memory.bulk.export(ALL, folder=str(source))
    with Memory(target) as other:
        done = other.bulk.import_files(Sources((str(source),)))
        assert not done.refused.total
        assert not done.unreadable.kept
    return target


@pytest.mark.parametrize("form", ["jsonl", "markdown"])
def test_odd_files_come_back_byte_for_byte(memory: Memory, repo: Path, tmp_path: Path, form: str) -> None:
    put_files(repo, ODD)

    target = copy_through(memory, form, tmp_path)

    assert blobs(target) == blobs(repo)
    assert sorted(memory_files(target)) == sorted(ODD)


_TEXT = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")) | st.sampled_from("\n\t"), max_size=40
)
_VALUE = st.recursive(
    _TEXT | st.integers(-(10**6), 10**6) | st.booleans() | st.none(),
    lambda inside: st.lists(inside, max_size=3),
    max_leaves=5,
)
_NAMES = st.sampled_from(["title", "own", "note_of_mine", "project"])


@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.dictionaries(_NAMES, _VALUE), _TEXT, st.booleans()), min_size=15, max_size=30))
def test_any_store_comes_back_byte_for_byte(
    memory: Memory,
    repo: Path,
    tmp_path_factory: pytest.TempPathFactory,
    drawn: list[tuple[dict[str, object], str, bool]],
) -> None:
    files = {}
    for number, (fields, body, windows) in enumerate(drawn):
        known = {
            name: value for name, value in fields.items() if name in ("own", "note_of_mine") or isinstance(value, str)
        }
        try:
            text = format_document({"kind": "gotcha", **known}, body)
        except FormatError:
            continue
        if "\\u" not in text and "\\x" not in text and not find_secrets(text) and not find_hidden(text):
            files[f"gotchas/k{number}.md"] = text.replace("\n", "\r\n") if windows else text
    git(repo, "update-ref", "refs/heads/memory", git(repo, "rev-list", "--max-parents=0", "memory"))
    put_files(repo, files)

    folder = tmp_path_factory.mktemp("export")

    for form in ("jsonl", "markdown"):
        assert blobs(copy_through(memory, form, folder / form)) == blobs(repo)


def test_filters_choose_the_exported_memories(memory: Memory, repo: Path) -> None:
    put_files(repo, ODD)

    keys = [json.loads(line)["key"] for line in memory.bulk.export(Query(kinds=("learned", "gotcha"), limit=99))]

    assert keys == ["a", "b"]
    assert [json.loads(line)["key"] for line in memory.bulk.export(Query(limit=99))] == ["a", "b", "d"]


def test_export_overwrites_nothing_and_leaves_no_partial_file(tmp_path: Path) -> None:
    full, file = tmp_path / "full", tmp_path / "file"
    full.mkdir()
    (full / "x").write_text("kept")
    file.write_text("kept")

    def broken():  # type: ignore[no-untyped-def]
        yield "learned/a.md", b"a"
        raise OSError(28, "no room")

    with pytest.raises(RefusedError):
        write_folder([("learned/a.md", b"a")], full)
    with pytest.raises(RefusedError):
        write_file(["line\n"], file)
    with pytest.raises(OSError, match="no room"):
        write_folder(broken(), tmp_path / "new")
    with pytest.raises(OSError, match="no room"):
        write_file((str(part) for part in broken()), tmp_path / "new.jsonl")

    assert {path.name: path.read_text() if path.is_file() else "" for path in tmp_path.rglob("*")} == {
        "full": "", "x": "kept", "file": "kept"
    }  # fmt: skip


def test_exported_line_contains_no_control_character(memory: Memory, repo: Path) -> None:
    put_files(repo, {"learned/a.md": memory_text("A", body="\x1b[2J\u202e\n")})

    line = next(memory.bulk.export(ALL))

    assert line.removesuffix("\n").isprintable()
    assert json.loads(line)["body"] == "\x1b[2J\u202e\n"


def test_memories_of_the_code_tree_are_exported_like_those_of_a_store(
    memory: Memory, repo: Path, tmp_path: Path
) -> None:
    path = memory.remember("Deploys need the VPN", key="vpn", in_tree=True).path
    git(repo, "add", path)
    git(repo, "commit", "-qm", "a memory of the code")

    list(memory.bulk.export(Query(limit=10), folder=str(tmp_path / "out")))

    assert (tmp_path / "out/learned/vpn.md").read_bytes() == (repo / path).read_bytes()
    assert '"folder": "learned"' in "".join(memory.bulk.export(Query(limit=10)))

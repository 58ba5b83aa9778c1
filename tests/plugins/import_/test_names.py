"""Every note of an import has a key of its own, and keeps it at the next import."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.memory import Memory
from gitmem.plugins.import_.names import Names
from gitmem.plugins.import_.run import ImportResult, Sources
from gitmem.recall.query import Query
from gitmem.store import layout

# Names that have the same slug, or none.
GROUPS = [
    ("Auth", "auth", "AUTH"),
    ("C", "C++", "C#"),
    ("a/b", "a-b", "a b", "a_b"),
    ("Notes (1)", "Notes 1"),
    ("2024/01", "2024-01"),
    ("Größe", "grosse"),
    (unicodedata.normalize("NFC", "café"), unicodedata.normalize("NFD", "café")),
    ("会议记录", "数据库", "Заметки", "Пароли", "Σημειώσεις", "회의록", "ملاحظات", "Ελλάδα 2024", "会议 2024"),
    ("con", "nul", "aux.1", "a.", "x" * 120, "x" * 119 + "y"),
]


def put(folder: Path, texts: dict[str, str]) -> Path:
    for name, text in texts.items():
        path = folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def run(memory: Memory, *folders: Path, **options: bool) -> ImportResult:
    return memory.bulk.import_files(Sources(tuple(map(str, folders)), **options))  # type: ignore[arg-type]


def bodies(memory: Memory) -> dict[str, str]:
    """Return the keys of all memories by title and body."""
    rows = memory.repository.catalog().rows(
        "SELECT m.title || ' ' || t.body, m.key FROM memory m JOIN text t USING (id)"
    )
    return dict(rows)


NAMES = st.lists(st.sampled_from([name for group in GROUPS for name in group]) | st.text(min_size=1, max_size=9))


@given(st.lists(st.tuples(st.sampled_from(["a", "b/a"]), NAMES), max_size=3))
def test_keys_differ_and_can_be_stored(folders: list[tuple[str, list[str]]]) -> None:
    names = Names()
    paths = [(names.folder(Path("/", folder)), {f"{name}.md" for name in found}) for folder, found in folders]

    keys = {(folder, path): key for folder, each in paths for path, key in names.keys(folder, each).items()}

    assert len(set(keys.values())) == len(keys)
    assert all(map(layout.is_key, keys.values()))


def test_notes_whose_names_give_the_same_key_are_all_imported_and_stay_what_they_are(
    memory: Memory, tmp_path: Path
) -> None:
    texts = {name: f"Walrus {number} is here" for number, name in enumerate(n for group in GROUPS for n in group)}
    one, two = put(tmp_path / "n", texts), put(tmp_path / "m", {"a-b": "Another folder has this"})

    done = run(memory, one, two)

    assert (len(done.settled.new), done.count) == (len(texts) + 1, len(texts) + 1)
    before = bodies(memory)
    assert all(any(text in said for said in before) for text in (*texts.values(), "Another folder has this"))
    put(one, {"A-B": "A note that would come first", "auth": "These words changed"})
    again = run(memory, two, one, update=True)
    assert (len(again.settled.new), list(again.settled.updated)) == (1, ["auth"])
    after = bodies(memory)
    assert {said for said, key in before.items() if after.get(said) != key} == {"auth Walrus 1 is here\n"}
    assert again.settled.gone.kept == []


def test_note_does_not_replace_a_memory_that_has_its_key_by_chance(memory: Memory, tmp_path: Path) -> None:
    memory.remember("Tokens expire after an hour", key="auth")
    notes = put(tmp_path / "n", {"Auth": "Login is by mail", "Door": "See [[Auth]]", "Copy": "x", "copy": "x"})

    done = run(memory, notes, update=True)

    keys = {one.title: key for key, one in done.settled.new.items()}
    assert keys["Auth"].startswith("auth-")
    assert memory.show("door").document["frontmatter"]["refs"] == [keys["Auth"]]
    assert memory.show("auth").document["title"] == "Tokens expire after an hour"
    assert len(memory.list(Query(limit=99)).hits) == 5


@pytest.mark.parametrize("texts", [{"a/README": "# Same\n\nwords", "b/README": "# Same\n\nwords"}])
def test_note_with_the_same_words_as_another_is_named(memory: Memory, tmp_path: Path, texts: dict[str, str]) -> None:
    done = run(memory, put(tmp_path / "n", texts))

    assert done.settled.merged.kept == [(f"{tmp_path}/n/b/README.md", "it says the same thing as a-readme")]


def test_id_that_notion_appends_is_not_in_a_key_unless_it_tells_two_pages_apart() -> None:
    one, two = (f"Wiki {'0a' * 16}/Deploys {part * 16}.md" for part in ("1b", "2c"))

    keys = Names().keys("export", [one, two])

    assert keys[one] == "wiki-deploys"
    assert keys[two].startswith("wiki-deploys-")

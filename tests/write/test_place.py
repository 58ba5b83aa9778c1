"""A memory's key, folder and split, and when it may replace another."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import NOW, git, memory_text, put_files, tip
from support.catalogs import catalog_of
from support.each import each

from gitmem.document.parse import parse
from gitmem.errors import RefusedError
from gitmem.memory import Memory
from gitmem.policy import Policy
from gitmem.policy import load as load_policy
from gitmem.store import layout
from gitmem.write import place
from gitmem.write.draft import Author, make_draft, short_hash
from gitmem.write.new_memory import NewMemory

POLICY = Policy.from_dict({})
TEXT = "The gateway drops every request that carries no trace id and answers 502"
KEY = "the-gateway-drops-every-request-that"
STEM = "the-gateway-drops-every-request"
EARLIER = "learned-the-gateway-drops-every-request-that-carries-no-trace-id-and"


def drafted(text=TEXT, *, key="", kind="learned", **options):
    author = Author("Ana", "", "service")
    return make_draft(NewMemory(text, options, "", kind, key), author=author, policy=POLICY, now=NOW)


def full(number=layout.SPLIT_ABOVE, folder="learned"):
    return catalog_of({f"{folder}/m{n:04}.md": memory_text(f"m{n}") for n in range(number)})


# --- which memory has a key ------------------------------------------------------------------------------------------


def test_memory_is_known_by_its_key_in_either_layout():
    catalog = catalog_of(
        {"learned/a.md": memory_text("A"), layout.memory_path("learned", "b", split=True): memory_text()}
    )

    assert place.find_known(catalog, "a").path == "learned/a.md"
    assert place.find_known(catalog, "b").path == f"learned/{layout.shard('b')}/b.md"
    assert place.find_known(catalog, "c") is None


def test_live_file_counts_before_a_retired_one_of_the_same_key():
    catalog = catalog_of({"archive/docs/a.md": memory_text("Old"), "learned/a.md": memory_text("New")})

    known = place.find_known(catalog, "a")

    assert (known.path, known.title, known.archived) == ("learned/a.md", "New", 0)
    assert sorted(place.paths_of_key(catalog, "a")) == ["archive/docs/a.md", "learned/a.md"]


def test_retired_memory_is_still_known():
    catalog = catalog_of({"archive/learned/a.md": memory_text("Old", body="text\n")})

    known = place.find_known(catalog, "a")

    assert known.archived
    assert place.body_of(catalog, known) == "text\n"


# --- which key a draft gets (A2, C9) ---------------------------------------------------------------------------------


def test_free_key_is_used_unchanged():
    assert place.settle_key(catalog_of({}), drafted()).key == KEY


def test_explicit_key_is_kept_whatever_lies_there():
    catalog = catalog_of({"learned/a.md": memory_text("Something else")})

    assert place.settle_key(catalog, drafted(key="a")).key == "a"


def test_same_key_with_another_text_gets_a_short_hash():
    catalog = catalog_of(
        {f"learned/{KEY}.md": memory_text(TEXT + " " + "but only under load from the batch jobs " * 3)}
    )
    draft = drafted()

    settled = place.settle_key(catalog, draft)

    assert settled.key == f"{STEM}-{short_hash(f'{TEXT}{chr(10)}')}"
    assert (settled.fields, settled.body) == (draft.fields, draft.body)


def test_near_duplicate_keeps_the_key_and_so_is_an_update():
    catalog = catalog_of({f"learned/{KEY}.md": memory_text(TEXT + " status")})

    assert place.settle_key(catalog, drafted()).key == KEY


def test_near_duplicate_of_a_memory_that_has_a_hash_is_an_update_of_that_one():
    other = f"{STEM}-0a1b2c"
    catalog = catalog_of(
        {
            f"learned/{KEY}.md": memory_text(
                TEXT, body="But only under load from the nightly batch jobs of billing.\n"
            ),
            f"learned/{other}.md": memory_text(TEXT + " status"),
        }
    )

    assert place.settle_key(catalog, drafted()).key == other


def test_key_that_only_looks_like_one_with_a_hash_is_not_taken():
    catalog = catalog_of(
        {
            f"learned/{KEY}.md": memory_text("Something else entirely"),
            f"learned/{STEM}-status.md": memory_text(TEXT),
        }
    )

    assert place.settle_key(catalog, drafted()).key not in (KEY, f"{STEM}-status")


def test_another_kind_is_never_the_same_memory():
    catalog = catalog_of({f"gotchas/{KEY}.md": memory_text(TEXT, kind="gotcha")})

    assert place.settle_key(catalog, drafted()).key != KEY


def test_retired_memory_that_is_said_again_keeps_its_key():
    catalog = catalog_of({f"archive/learned/{KEY}.md": memory_text(TEXT)})

    assert place.settle_key(catalog, drafted()).key == KEY


def test_superseded_memory_does_not_come_back_by_being_said_again():
    catalog = catalog_of({f"learned/{KEY}.md": memory_text(TEXT, superseded_by="b"), "learned/b.md": memory_text()})

    assert place.settle_key(catalog, drafted()).key != KEY


@each(
    ("text", "kind", "key"),
    [
        (TEXT, "learned", EARLIER),
        (TEXT, "learned", f"{EARLIER[:60]}-0a1b2c"),
        ("Decision: keep five retries", "decision", "decision-decision-keep-five-retries"),
        ("Use tabs", "anti_pattern", "anti-pattern-use-tabs"),
    ],
)
def test_text_that_an_earlier_version_recorded_keeps_its_key(text, kind, key):
    catalog = catalog_of({f"{kind}/{key}.md": memory_text(f'"{text}"', kind=kind)})

    assert place.settle_key(catalog, drafted(text, kind=kind)).key == key


def test_another_text_under_an_earlier_form_of_a_key_is_another_memory():
    catalog = catalog_of({f"learned/{EARLIER}.md": memory_text("Something else entirely")})

    assert place.settle_key(catalog, drafted()).key == KEY


@each("text", ["b" * 60, f"{'c' * 20} {'d' * 19} e", f"{'f' * 33} ggg hhh"])
def test_key_with_a_hash_is_no_longer_than_another_and_ends_a_word_before_it(text):
    key = drafted(text).key
    catalog = catalog_of({f"learned/{key}.md": memory_text("Something else")})

    settled = place.settle_key(catalog, drafted(text))

    assert layout.is_key(settled.key)
    assert len(settled.key) <= 40
    assert key.startswith(settled.key[:-7])
    assert "-" not in key or key[len(settled.key) - 7] == "-"


@each(
    ("kind", "folder"),
    [("gotcha", "gotchas"), ("anti-pattern", "anti_patterns"), ("runbook", "runbook"), ("x", "memories"),
     *((name, "memories") for name in sorted(layout.RESERVED_FOLDERS)), ("foo-", "memories")],
)  # fmt: skip
def test_every_kind_has_a_folder_in_which_a_memory_is_found_again(kind, folder):
    assert place.folder_of(kind, POLICY) == folder
    assert layout.place_of(f"{folder}/a.md").what == layout.MEMORY


def test_policy_says_the_folder():
    policy = load_policy('[kinds.runbook]\nfolder = "runbooks"\n', file="gitmem.toml")

    assert place.folder_of("runbook", policy) == "runbooks"


# --- when it is split -------------------------------------------------------------------------------------------------


def test_folder_with_room_takes_a_file_flat():
    assert place.choose_path(full(layout.SPLIT_ABOVE - 1), "learned", "new", POLICY) == ("learned/new.md", ())


def test_folder_that_would_pass_the_limit_is_split_as_a_whole():
    path, moves = place.choose_path(full(), "learned", "new", POLICY)

    assert path == f"learned/{layout.shard('new')}/new.md"
    assert len(moves) == layout.SPLIT_ABOVE
    assert all(to == layout.memory_path("learned", old[8:-3], split=True) for old, to in moves)
    assert len({to for _, to in moves}) == len(moves)


def test_folder_that_someone_pushed_far_past_the_limit_is_split_as_a_whole():
    _, moves = place.choose_path(full(700), "learned", "new", POLICY)

    assert len(moves) == 700


def test_split_folder_stays_split():
    catalog = catalog_of({layout.memory_path("learned", "a", split=True): memory_text()})

    assert place.choose_path(catalog, "learned", "new", POLICY) == (f"learned/{layout.shard('new')}/new.md", ())


def test_other_folders_with_a_like_name_do_not_count():
    files = {f"learned0/m{n}.md": memory_text(kind="learned0") for n in range(300)}
    files |= {f"archive/learned/m{n}.md": memory_text() for n in range(300)}
    files |= {layout.memory_path("learned-x", "a", split=True): memory_text(kind="learned-x")}

    assert place.choose_path(catalog_of(files), "learned", "new", POLICY) == ("learned/new.md", ())


def test_archive_is_split_like_the_folder_that_it_mirrors():
    paths, moves = place.choose_paths(full(folder="archive/learned"), "learned", ["new"], archived=True)

    assert paths["new"] == f"archive/learned/{layout.shard('new')}/new.md"
    assert len(moves) == layout.SPLIT_ABOVE
    assert all(layout.place_of(to).archived and layout.place_of(to).split for _, to in moves)


def test_two_letters_of_a_key_are_not_taken_for_a_split_folder():
    catalog = catalog_of({"learned/ab.md": memory_text()})

    assert place.choose_path(catalog, "learned", "new", POLICY) == ("learned/new.md", ())


# --- what took the place of what (E8) ---------------------------------------------------------------------------------


def wants(key, *supersedes, **fields):
    """Return a memory that says it takes the place of others."""
    return parse(memory_text("New", supersedes=f"[{', '.join(supersedes)}]", **fields), path=f"learned/{key}.md")


def above(**links):
    """Return a catalog where each memory takes the place of the ones listed (or retired: of none)."""
    files = {}
    for key, olds in links.items():
        listed = {"supersedes": f"[{', '.join(olds)}]"} if olds else {}
        files[f"learned/{key}.md"] = memory_text(key, **listed)
    return catalog_of(files)


def test_superseding_memories_are_the_live_ones():
    catalog = catalog_of(
        {
            "learned/a.md": memory_text("A"),
            "learned/c.md": memory_text("C", supersedes="[a]"),
            "learned/b.md": memory_text("B", supersedes="a"),
            "archive/learned/d.md": memory_text("D", supersedes="[a]"),
            "notes/b.md": memory_text("B again", supersedes="[a]"),
        }
    )

    assert [known.path for known in place.list_superseding(catalog, "a")] == ["learned/b.md", "learned/c.md"]


def test_memory_that_exists_can_be_superseded():
    assert place.target_of(above(a=[], b=[]), wants("b", "a"), "a", is_retired=False).key == "a"


@pytest.mark.parametrize(
    ("new", "old", "message"),
    [
        pytest.param(wants("a", "a"), "a", "a cannot supersede itself", id="itself"),
        pytest.param(wants("a", "z"), "z", ": no memory has this key", id="nothing"),
        pytest.param(wants("a", "b", superseded_by="b"), "b", "a is superseded by b", id="what took its place"),
        pytest.param(
            wants("a", "c"), "c", ", which supersedes it indirectly: that would be a cycle", id="what stands above that"
        ),
        pytest.param(
            wants("a", "d"), "d", ", which supersedes it indirectly: that would be a cycle", id="and above that"
        ),
    ],
)
def test_supersession_that_makes_no_sense_is_refused(new, old, message):
    with pytest.raises(RefusedError, match=message):
        place.target_of(above(a=[], b=["a"], c=["b"], d=["c"]), new, old, is_retired=False)


def test_retired_memory_takes_no_place():
    with pytest.raises(RefusedError, match="b was retired") as refused:
        place.target_of(above(a=[], b=[]), wants("b", "a"), "a", is_retired=True)

    assert refused.value.hint == "restore it: gitmem restore b"


def test_circle_that_someone_pushed_ends_the_look():
    catalog = above(a=["b"], b=["c"], c=["b"], d=[])

    assert place.target_of(catalog, wants("c", "d"), "d", is_retired=False).key == "d"


def test_a_file_that_cannot_be_read_is_not_overwritten_by_a_key_made_from_a_text(memory: Memory) -> None:
    key = memory.remember("What somebody wrote").key
    top = Path(memory.repository.git.repository.top or "")
    put_files(top, {f"learned/{key}.md": "---\ntags: [a, b\n---\nMuch that was written\n"})

    again = memory.remember("What somebody wrote")

    assert again.key.startswith(f"{key}-")
    assert "Much that was written" in git(top, "show", f"memory:learned/{key}.md")


def test_a_hashed_key_that_was_edited_since_is_not_overwritten(memory: Memory) -> None:
    stem = "x" * 60
    memory.remember(f"{stem} one", title="")
    second = memory.remember(f"{stem} wholly different words about rivers and boats", title="")
    memory.edit(
        second.key, fields={}, body="Something that nobody may lose: trains, stations, timetables", approve=False
    )

    third = memory.remember(f"{stem} wholly different words about rivers and boats", title="")

    assert third.key not in (second.key,)
    assert "timetables" in memory.show(second.key).document["body"]


@pytest.mark.parametrize("schema", ["schema: 2\nttl: soon-ish", "schema: 2"])
def test_explicit_key_does_not_replace_what_a_newer_version_wrote(memory, repo, schema) -> None:
    before = put_files(repo, {"learned/a.md": f"---\ntitle: A\n{schema}\n---\n"})

    with pytest.raises(RefusedError, match="was written by a newer version of gitmem and cannot be replaced"):
        memory.remember("another text", key="a")

    assert tip(repo) == before

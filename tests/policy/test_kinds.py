"""The built-in table: every kind of the five systems, with the numbers of their documents."""

from __future__ import annotations

from support.each import each

from gitmem.policy.kinds import KINDS, TAG_WORDS, Kind, nearest_kind
from gitmem.policy.settings import FIELDS, RESERVED_FOLDERS, is_slug
from gitmem.store import layout
from gitmem.text.tags import find_tags

DAY = 86_400


def test_table_has_the_kinds_of_all_five_systems() -> None:
    beans = {"fact", "task"}
    beadboard = {"learned"}
    capsules = {"fact", "gotcha", "pattern", "anti_pattern", "recipe", "principle", "doc"}
    board = {"observation", "analysis", "calculation", "strategy", "gap", "contradiction", "signal"}
    injected = {"mistake_pattern", "best_practice", "codebase_knowledge", "preference"}
    swarm = {"outcome", "session", "note"}
    module = {"discussion", "decision", "code_pattern", "convention", "github", "jira"}

    assert beans | beadboard | capsules | board | injected | swarm | module | {"claim"} == set(KINDS)


@each(
    ("name", "ttl_s", "expires"),
    [
        ("outcome", 7 * DAY, True),
        ("session", 3 * DAY, True),
        ("note", 30 * DAY, True),
        ("learned", None, False),
        ("preference", None, False),
        ("fact", 30 * DAY, False),
    ],
)
def test_kind_lasts_as_long_as_its_system_says(name: str, ttl_s: int | None, expires: bool) -> None:
    assert (KINDS[name].ttl_s, KINDS[name].expires) == (ttl_s, expires)


def test_facts_alone_need_a_check_and_code_patterns_alone_need_lines() -> None:
    assert [name for name, kind in KINDS.items() if kind.needs_verify] == ["fact", "claim"]
    assert [name for name, kind in KINDS.items() if kind.needs_refs] == ["code_pattern"]


def test_five_collections_require_their_metadata() -> None:
    found = {kind.collection: kind.required for kind in KINDS.values() if kind.collection}

    assert set(found) == {"discussions", "code-patterns", "conventions", "github", "jira"}
    assert set(found.values()) == {("project", "created", "importance")}


def test_folders_are_allowed_and_their_own() -> None:
    folders = [kind.folder for kind in KINDS.values()]

    assert len(set(folders)) == len(folders)
    assert all(layout.is_folder(folder) for folder in folders)
    assert not RESERVED_FOLDERS & set(folders)
    assert RESERVED_FOLDERS == layout.RESERVED_FOLDERS


def test_rows_are_named_by_their_kind_and_require_known_fields() -> None:
    assert all(kind.name == name and is_slug(name) and kind.description for name, kind in KINDS.items())
    assert all(FIELDS.issuperset(kind.required) for kind in KINDS.values())


@each(
    ("text", "tags"),
    [
        ("TaskGroup requires @Sendable closures in strict concurrency mode.", {"async", "concurrency"}),
        ("Auth tokens are signed with RS256; see the JWT middleware.", {"auth"}),
        ("Rebase before you push, and never touch Postgres migrations twice.", {"git", "database"}),
        ("The pytest fixture leaks a docker container image.", {"testing", "docker"}),
        ("The author performs a set of steps, except that it depends on the type of document.", set()),
    ],
    ids=["the document's own example", "auth", "git and database", "testing and docker", "prose"],
)
def test_words_of_a_text_give_its_tags(text: str, tags: set[str]) -> None:
    assert set(find_tags(text, TAG_WORDS)) == tags


@each("tag", TAG_WORDS)
def test_each_word_of_the_table_gives_its_tag(tag: str) -> None:
    assert [word for word in TAG_WORDS[tag] if tag not in find_tags(f"x {word} y", TAG_WORDS)] == []


@each(
    ("typed", "meant"),
    [("decisions", "decision"), ("analyses", "analysis"), ("gotchya", "gotcha"), ("antipattern", "anti_pattern"),
     ("runbooks", "runbook"), ("fact", ""), ("runbook", ""), ("milestone", ""), ("desicion", "decision"),
     ("fatc", "fact"), ("reference", ""), ("precision", "")],
)  # fmt: skip
def test_misspelt_kind_means_the_one_with_that_folder_or_nearly_that_name(typed: str, meant: str) -> None:
    assert nearest_kind(typed, {**KINDS, "runbook": Kind("runbook", "runbooks")}) == meant

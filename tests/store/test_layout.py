"""Where things lie: places and paths undo each other, and nothing else may lie in a store."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.policy.kinds import KINDS
from gitmem.policy.settings import RESERVED_FOLDERS as RESERVED_BY_KINDS
from gitmem.store import layout
from gitmem.store.layout import StorePath, is_key, memory_path, place_of, shard, verdict_path
from gitmem.store.scopes import POLICY_PATH

KEY = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?")
FOLDER = re.compile(r"[a-z][a-z0-9_-]{0,38}[a-z0-9]")
# Built of parts, which takes a tenth of what examples of the patterns take; the patterns are what they are held to.
ENDS = st.sampled_from("abz09")
KEYS = st.builds("{}{}{}".format, ENDS, st.text("az09._-", max_size=8), ENDS).filter(is_key) | ENDS
FOLDERS = st.builds("{}{}{}".format, st.sampled_from("abz"), st.text("az09_-", max_size=8), ENDS)
NAMES = st.text(st.sampled_from("az09._-A/\né"), max_size=4) | KEYS | FOLDERS | st.just("a" * 101) | st.just("b" * 41)
SPECS = st.binary(min_size=32, max_size=32).map(bytes.hex)


@given(FOLDERS, KEYS, st.booleans(), st.booleans())
def test_a_memorys_path_leads_back_to_its_place(folder: str, key: str, split: bool, archived: bool) -> None:
    path = memory_path(folder, key, split=split, archived=archived)

    assert place_of(path) == StorePath(layout.MEMORY, key=key, folder=folder, archived=archived, split=split)


@given(KEYS, SPECS)
def test_a_verdicts_path_leads_back_to_its_place(key: str, spec: str) -> None:
    assert place_of(verdict_path(key, spec)) == StorePath(layout.VERDICT, key=key, spec=spec[:16])


PARTS = st.sampled_from(
    ["facts", "archive", "verdicts", "ab", "..", ".", "", ".git", "a.md", "A.md", "a.toml", ".github", "gitmem.toml"]
) | st.text(max_size=5)


@given(st.lists(PARTS, min_size=1, max_size=5).map("/".join))
def test_a_place_leads_back_to_the_only_path_it_can_have(path: str) -> None:
    place = place_of(path)

    if isinstance(place, str):
        assert place
    elif place.what == layout.MEMORY:
        assert memory_path(place.folder, place.key, split=place.split, archived=place.archived) == path
    elif place.what == layout.VERDICT:
        assert verdict_path(place.key, place.spec) == path
    else:
        assert path in (POLICY_PATH, layout.STATUS_PATH, layout.ATTRIBUTES_PATH) or path.startswith(".github/")


@each(
    ("path", "what"),
    [
        ("gitmem.toml", layout.POLICY),
        ("STATUS.md", layout.KNOWN),
        (".gitattributes", layout.KNOWN),
        (".github/workflows/gitmem.yml", layout.KNOWN),
        ("facts/a.md", layout.MEMORY),
        ("verdicts/0f.toml", layout.BUCKET),
        ("facts/a.md.md", layout.MEMORY),
        ("archive/facts/a.md", layout.MEMORY),
    ],
)
def test_path_of_a_store_says_what_is_there(path: str, what: str) -> None:
    place = place_of(path)

    assert isinstance(place, StorePath)
    assert place.what == what


@each(
    "path",
    [
        *("a.md", "facts", "facts/a.txt", "facts/a", "facts/.md", "facts/A.md", "Facts/a.md", "f/a.md"),
        *("facts/é.md", "facts/a b.md", "facts/a\n.md", "facts/a\x1b[31m.md", "facts/-a.md", "facts/a-.md"),
        *(
            "facts/../a.md",
            "../facts/a.md",
            "facts/a..b.md",
            "facts/.git.md",
            ".git/a.md",
            "/facts/a.md",
            "facts//a.md",
        ),
        *("facts/con.md", "facts/nul.x.md", "facts/com1.md", f"facts/{'a' * 101}.md", "facts/a.MD", "facts/a.md/b.md"),
        *("archive/a.md", "archive/archive/a.md", "archive/verdicts/a.md", "archive/gitmem.toml", "archive"),
        *("private/a.md", "runs/a.md", "verdicts/a.md", "verdicts/00/a.toml", "verdicts/00/a.zz.toml"),
        *("verdicts/0F.toml", "verdicts/0.toml", "verdicts/000.toml", "verdicts/zz.toml", "archive/00.toml"),
        *("facts/00/aa.md", "facts/zz/a.md", "facts/ca/97/a.md", "facts/\udcff.md", "", "/", "facts/a.md\0"),
        *("gitmem.toml/a.md", ".gitmodules", ".githubx/a", "GITMEM.TOML", "status.md"),
    ],
)
def test_any_other_path_is_refused(path: str) -> None:
    assert isinstance(place_of(path), str)


def test_name_of_a_windows_device_is_refused_as_such() -> None:
    assert place_of("facts/nul.x.md") == "the name is that of a device on Windows, where it could not be checked out"


def test_a_split_folder_takes_only_keys_of_its_own_hash() -> None:
    assert isinstance(place_of(f"facts/{shard('a')}/a.md"), StorePath)
    assert place_of(f"facts/{shard('b')}/a.md") == f"it belongs in facts/{shard('a')}/"


@each("key", ["a", "auth-uses-rs256", "a.b", "a_b", "0", "a" * 100, "a-.b", "console", "con-x"])
def test_a_slug_is_a_key(key: str) -> None:
    assert is_key(key)


@each(
    "key",
    [
        "",
        "A",
        "a ",
        " a",
        "a\n",
        "-a",
        "a-",
        ".a",
        "a.",
        "_a",
        "a..b",
        "a/b",
        "é",
        "a" * 101,
        "con",
        "aux.x",
        "lpt9",
        "..",
        "٣",
    ],
)
def test_any_other_text_is_not_a_key(key: str) -> None:
    assert not is_key(key)


@given(NAMES)
def test_keys_and_folders_are_those_of_the_patterns(name: str) -> None:
    assert is_key(name) == (
        bool(KEY.fullmatch(name)) and name.split(".", 1)[0] not in layout.DEVICES and ".." not in name
    )
    assert layout.is_folder(name) == bool(FOLDER.fullmatch(name))


def test_the_folder_of_every_built_in_kind_may_hold_memories() -> None:
    refused = [kind.name for kind in KINDS.values() if isinstance(place_of(f"{kind.folder}/a.md"), str)]

    assert refused == []


def test_the_policy_reserves_the_folders_that_a_store_reserves() -> None:
    assert layout.RESERVED_FOLDERS.issubset(RESERVED_BY_KINDS)


def test_shards_spread_keys_evenly() -> None:
    counts: dict[str, int] = {}
    for n in range(5000):
        name = shard(f"key-{n}")
        counts[name] = counts.get(name, 0) + 1

    assert len(counts) == 256
    assert max(counts.values()) < 5 * 5000 / 256


@each("name", ["facts", "memories", "runbook"])
def test_a_folder_that_may_hold_memories_of_a_kind(name: str) -> None:
    assert layout.is_kind_folder(name)


@each("name", ["archive", "verdicts", "private", "runs", "Src", ".github", "a b", ""])
def test_a_folder_that_holds_no_memories_of_a_kind(name: str) -> None:
    assert not layout.is_kind_folder(name)

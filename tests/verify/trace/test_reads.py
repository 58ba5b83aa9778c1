"""What was read, as text and on any tree: a digest changes with what was read, and a bad text is worth nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.verify.trace.reads import LIMIT, Places, fold, format_reads, parse_reads

FILES = ("a", "d/a", "d/b", "d/e/c", "f/g/h", "top.txt")


def places(files: dict[str, str] | tuple[str, ...] = FILES, **modes: str) -> Places:
    """A tree of files, each with its content's name; *modes* by path with ``/`` as ``_``."""
    named = files if isinstance(files, dict) else {path: f"blob of {path}" for path in files}
    entries = [(modes.get(path.replace("/", "_"), "100644"), oid, path) for path, oid in sorted(named.items())]
    return Places(entries, [entry[2] for entry in entries])


paths = st.binary(min_size=1, max_size=12).map(lambda raw: raw.decode("utf-8", "surrogateescape")).filter(
    lambda path: "\0" not in path and not any(part in ("", ".", "..") for part in path.split("/"))
)  # fmt: skip
reads = st.frozensets(st.tuples(st.sampled_from("=/~*"), paths).map("".join), max_size=8)


@given(reads)
def test_text_is_read_back_and_is_one_line_of_ascii(found):
    text = format_reads(found)

    assert text.isascii() and text.isprintable() and not {'"', "\\"} & set(text)
    assert set(parse_reads(text) or ()) == found


@each(
    "text",
    ["", "2 =a", "!", "=a", "1 a", "1 =", "1 *", "1 =/etc/passwd", "1 =../x", "1 =a/../b", "1 =a//b", "1 =a/", "1 =./a",
     "1  =a", "1 =a ", "1 =a\n", "1 =%00", "1 =%2", "1 =%zz", "1 =é", "1 =%2E%2E/x", "1 ?a", "1 =" + "a" * LIMIT],
)  # fmt: skip
def test_garbage_is_no_text_and_has_no_digest(text):
    assert parse_reads(text) is None
    assert places().digest(text, ()) is None


def test_whoever_claims_to_have_read_nothing_is_not_believed():
    assert places().digest("1", ()) is not None
    assert places().digest("1", (), is_claim=True) is None
    assert places().digest("1 =a", (), is_claim=True) == places().digest("1 =a", ())


@each(
    ("read", "same", "other"),
    [
        ("=a", {"b": "new"}, {"a": "new"}),
        ("=a", {"a.txt": "x"}, {"a": None}),
        ("=none", {"nonesuch": "x"}, {"none": "x"}),
        ("=none/x", {"none/y": "x"}, {"none/x": "x"}),
        ("=none/x", {"other": "x"}, {"none": "x"}),
        ("=d", {"d/new": "x", "d/a": "new"}, {"d/a": None, "d/b": None, "d/e/c": None}),
        ("/d", {"d/a": "new", "d/e/new": "x"}, {"d/new": "x"}),
        ("/d", {"a": "new"}, {"d/a": None}),
        ("/", {"d/new": "x"}, {"new/x": "x"}),
        ("~d", {"d/a": "new", "new": "x"}, {"d/e/new": "x"}),
        ("*d", {"new": "x"}, {"d/e/c": "new"}),
    ],
)
def test_digest_changes_with_what_was_read_and_with_nothing_else(read, same, other):
    def changed(change: dict[str, str | None]) -> Places:
        files: dict[str, str | None] = {path: f"blob of {path}" for path in FILES} | change
        return places({path: oid for path, oid in files.items() if oid is not None})

    digests = [one.digest(f"1 {read}", ()) for one in (places(), changed(same), changed(other))]

    assert digests[0] == digests[1] != digests[2]


def test_digest_changes_with_modes_links_and_attributes():
    lines = [
        places().digest("1 =a", ()),
        places(a="100755").digest("1 =a", ()),
        places(a="120000").digest("1 =a", ()),
        places().digest("1 =a", (("100644", "oid", ".gitattributes"),)),
    ]

    assert len(set(lines)) == 4


def test_what_is_missing_behind_a_link_is_missing_there():
    """The link may lead to where it is not missing."""
    assert places({"d": "one"}, d="120000").state_of("=d/x") != places({"d": "two"}, d="120000").state_of("=d/x")
    assert places({"d": "one"}, d="120000").state_of("=d/x") != places({"d/y": "one"}).state_of("=d/x")


@each(
    ("found", "text"),
    [
        (set(), "1"),
        ({"=d", "=d/a"}, "1 =d/a"),
        ({"=d/none", "/d"}, "1 /d"),
        ({"=d/none"}, "1 =d/none"),
        ({"=new/a/b", "=new/c"}, "1 =new"),
        ({"/d", "=d/a", "=d/b", "/d/e", "=d/e/c"}, "1 *d"),
        ({"/d", "=d/a", "/d/e", "=d/e/c"}, "1 *d/e /d =d/a"),
        ({"*d", "=d/a", "/d"}, "1 *d"),
        ({"*d", "/f", "*f/g", "=a", "=top.txt", "/"}, ""),
    ],
)
def test_folding_leaves_out_what_others_say(found, text):
    assert fold(found, places()) == text


def test_many_reads_are_folded_to_the_folders_that_have_most_of_them():
    many = places((*(f"src/{n % 7}/file-{n}.py" for n in range(700)), "README.md", "docs/one.md"))
    found = {f"=src/{n % 7}/file-{n}.py" for n in range(0, 700, 1) if n % 14} | {"=README.md"}

    text = fold(found, many)

    assert len(text) <= LIMIT
    assert "=README.md" in text.split(" ") and "docs" not in text
    assert all(read in text.split(" ") or f"*src/{read.split('/')[1]}" in text for read in found if "src" in read)


@given(
    st.sets(st.sampled_from([f"{mark}{path}" for mark in "=/~*" for path in ("d", "d/e", "f/g", *FILES, "d/x", "n/x")]))
)
def test_folding_never_loses_a_change(found):
    before = places()
    text = fold(found, before)

    for path in (*FILES, "d/x", "n/x", "n/y", "d/e/x"):
        files = {p: f"blob of {p}" for p in FILES} | {path: "changed"}
        after = places(files)
        if any(before.state_of(read) != after.state_of(read) for read in found):
            assert not text or before.digest(text, ()) != after.digest(text, ())

"""Globs over paths give the same answers as a slow reference, and none of them is slow."""

from __future__ import annotations

import time

from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.each import each

from gitmem.document.sources.address import parse_addresses
from gitmem.text.globs import (
    LONGEST,
    escape,
    fixed_prefix,
    has_to_do,
    is_path_like,
    is_plain,
    matcher,
    normal,
    quick_matcher,
    unescape,
    with_names,
    without_sets,
)

# Few characters, so that random paths and globs meet; with the neighbours of "/" and what is special to a regex.
LETTERS = "ab.0"
PATHS = st.lists(st.text(LETTERS, min_size=1, max_size=3), min_size=1, max_size=4).map("/".join)
PIECES = st.sampled_from([*LETTERS, "/", "*", "?", "**", "**/", "[", "]", "!", "^", "-", "[ab]", "[!a]", "[.-0]", "\\"])
GLOBS = st.lists(PIECES, max_size=8).map("".join)
WILDER = ["?", "*", "**", "[ab]", "[!a]", "[.-0]", "[]a-b]"]


@st.composite
def globs_of_paths(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a path and a glob made from it by putting wildcards for some of its characters: it often matches."""
    path = draw(PATHS)
    choices = [draw(st.sampled_from([char, char, *WILDER])) for char in path]
    return "".join(choices), path


def reference(glob: str, path: str) -> bool:
    """Match by trying everything: what the documentation says, one character at a time, in exponential time."""
    glob = normal(glob)
    if not set("*?[") & set(glob):
        return path == glob or path.startswith(glob + "/")
    return _match(glob, path, at_start=True)


def _match(glob: str, path: str, *, at_start: bool) -> bool:
    if not glob:
        return not path
    if at_start and glob.startswith("**/"):
        rest, folders = glob[3:], [i + 1 for i, c in enumerate(path) if c == "/" and path[:i]]
        starts = [0, *(at for at in folders if "//" not in path[:at])]
        return any(_match(rest, path[at:], at_start=True) for at in starts)
    if glob.startswith("**"):
        return any(_match(glob[2:], path[at:], at_start=False) for at in range(len(path) + 1))
    if glob[0] == "*":
        stop = path.find("/") if "/" in path else len(path)
        return any(_match(glob[1:], path[at:], at_start=False) for at in range(stop + 1))
    accepts, rest = _one(glob)
    return bool(path) and accepts(path[0]) and _match(rest, path[1:], at_start=path[0] == "/")


def _one(glob: str):
    """Return what accepts one character, and the rest of the glob."""
    if glob[0] == "?":
        return (lambda c: c != "/"), glob[1:]
    negated = glob[1:2] in ("!", "^") and glob[1:2] != ""
    start = 2 if negated else 1
    end = glob.find("]", start + 1) if glob[0] == "[" else -1
    if end < 0:
        return (lambda c: c == glob[0]), glob[1:]
    members = _members(glob[start:end])
    return (lambda c: c != "/" and (c in members) != negated), glob[end + 1 :]


def _members(text: str) -> set[str]:
    found: set[str] = set()
    while text:
        if len(text) > 2 and text[1] == "-":
            found |= {chr(n) for n in range(ord(text[0]), ord(text[2]) + 1)}
            text = text[3:]
        else:
            found.add(text[0])
            text = text[1:]
    return found


@settings(max_examples=150)
@given(st.tuples(GLOBS, PATHS) | globs_of_paths())
@example(("**/b", "b"))
@example(("a/**/b", "a/b"))
@example(("a**/b", "a/0/b"))
@example(("[!]a]", "b"))
@example(("[]a]", "]"))
@example(("a[.-0]b", "a/b"))
def test_a_glob_matches_what_the_slow_reference_matches(pair: tuple[str, str]) -> None:
    glob, path = pair

    assert matcher(glob)(path) == reference(glob, path)


@each(
    ("glob", "path", "expected"),
    [
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/auth/a.py", False),
        ("src/**", "src/auth/a.py", True),
        ("src/**", "src", False),
        ("**/jwt.py", "jwt.py", True),
        ("**/jwt.py", "src/auth/jwt.py", True),
        ("src/**/jwt.py", "src/jwt.py", True),
        ("src/?.py", "src//.py", False),
        ("src/auth", "src/auth/jwt.py", True),
        ("src/auth", "src/author.py", False),
        ("src/auth/", "src/auth/jwt.py", True),
        ("./src/auth", "src/auth", True),
        ("/src/auth", "src/auth", True),
        ("a[!b]c", "a/c", False),
        ("a[/]c", "a/c", False),
        ("a+(b)|c.py", "a+(b)|c.py", True),
        ("*.p.", "a.py", False),
        ("src/*", "src/a\nb", True),
        ("", "", True),
    ],
)
def test_glob_stays_in_its_folder_as_documented(glob: str, path: str, expected: bool) -> None:
    assert matcher(glob)(path) is expected


@settings(max_examples=150)
@given(st.text(max_size=30), st.text(max_size=10))
@example("[z-a]*", "b")
@example("[a--b]*", "a")
@example("[\ud800]*", "\udcff")
@example("(?i)*\\E[[:alpha:]]", "x")
@example("*\x00", "\x00")
def test_no_glob_of_a_memory_raises(glob: str, path: str) -> None:
    assert matcher(glob)(path) in (True, False)


def test_a_range_that_runs_backwards_holds_no_character() -> None:
    assert not any(matcher("[z-a]")(path) for path in ("z", "m", "a", "-"))


def test_a_path_that_is_not_utf8_is_matched_by_wildcards() -> None:
    path = b"src/caf\xe9.py".decode("utf-8", "surrogateescape")

    assert matcher("src/*.py")(path)
    assert matcher("src/caf?.py")(path)
    assert not matcher("src/cafe?.py")(path)


@each("glob", ["*a" * 2000 + "*", "**/" * 1300 + "x", "[!a-z]*" * 700], ids=["stars", "deep", "sets"])
def test_a_hostile_glob_takes_no_time(glob: str) -> None:
    path = "a" * 4000

    began = time.process_time()
    matcher(glob)(path)

    # A backtracking engine would not end: 2,000 stars over 4,000 characters. Linear time is 40 ms here.
    assert time.process_time() - began < 2


def test_a_glob_is_cut_at_the_longest_path_there_is() -> None:
    assert matcher("?" * (LONGEST + 100))("a" * LONGEST)


@each(("glob", "plain"), [("src/a.py", True), ("src/*.py", False), ("a?", False), ("[a]", False)])
def test_a_glob_is_plain_where_it_has_no_wildcard(glob: str, plain: bool) -> None:
    assert is_plain(glob) is plain


LONG = 64 * 1024


HOSTILE = ("a/", "a", "[", "[a", "\\", "\\[", "*/", "**/", "#a", "?", "é/")


@each("text", [piece * (LONG // len(piece)) for piece in HOSTILE])
def test_no_function_is_slow_for_a_long_text(text: str) -> None:
    began = time.process_time()

    is_plain(text), unescape(escape(text)), without_sets(text), fixed_prefix(text), is_path_like(text)
    with_names(text, lambda _: True)
    matcher(text)("a/" * 2000)
    has_to_do([text], [text[:4000]])
    parse_addresses(f"a#{text}") if "#" in text else None

    # Linear time is 40 ms here at most; time that grows with the square is minutes.
    assert time.process_time() - began < 5


@each("path", ["build", "sub/build", "a.log", "x/[id]/p.ts", "b*", "Ab", "cafe\u0301", "docs/a/b"])
def test_quick_matcher_passes_what_one_of_its_globs_matches(path):
    every = ["**/build", "*.log", "x/[id]/*.ts", "b\\*", "[!a]b", "caf\u00e9", "docs/**"]
    passes = quick_matcher(every)

    assert passes(path) and any(matcher(glob)(path) for glob in every)
    assert not any(map(passes, ("none", "a.lo", "sub/a.log", "ab", "builds")))

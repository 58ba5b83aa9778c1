"""Two versions of one memory become one, the same either way: what both say is there, nothing is lost in silence."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import permutations
from typing import Any

from conftest import memory_text
from hypothesis import given, settings
from hypothesis import strategies as st
from support.each import each

from gitmem.document.format import format as format_memory
from gitmem.document.parse import parse
from gitmem.store.merge.bodies import Lines, format_versions
from gitmem.store.merge.memories import MemoryEdit, MergedMemory, Version, unite

PATH = "gotchas/a.md"
BASE = memory_text("A title", body="One.\n\nTwo.\n", kind="gotcha", tags="[a, b]", ttl="30d")


def merged(base: str | None, one: str | bytes, other: str | bytes, **how: Any) -> MergedMemory:
    """Merge both ways round and return the one answer."""
    sides = [
        Version(x if isinstance(x, bytes) else x.encode(), lambda n=n: n) for x, n in ((one, "Ana"), (other, "Bob"))
    ]
    start = None if base is None else base.encode()
    found = unite(start, sides[0], sides[1], path=PATH, **how)
    assert found == unite(start, sides[1], sides[0], path=PATH, **how)
    return found


def fields(found: MergedMemory) -> dict[str, Any]:
    return parse(found.content, path=PATH).fields


def body(found: MergedMemory) -> str:
    return parse(found.content, path=PATH).body


def test_changes_and_comments_of_both_sides_are_merged() -> None:
    one = BASE.replace("ttl: 30d", "# a month\nttl: 60d").replace("One.", "One more.")
    other = BASE.replace("A title", "A better title").replace("Two.\n", "Two.\n\nThree.\n").replace("tags", "# x\ntags")

    found = merged(BASE, one, other)

    assert found.content.decode() == memory_text(
        "A better title", body="One more.\n\nTwo.\n\nThree.\n", kind="gotcha", tags="[a, b]", ttl="60d"
    ).replace("tags", "# x\ntags").replace("ttl", "# a month\nttl")
    assert found.conflicts == ()


def test_lists_unite_and_what_one_side_removed_goes() -> None:
    found = merged(BASE, BASE.replace("[a, b]", "[b, d]"), BASE.replace("[a, b]", "[a, b, c]"))

    assert fields(found)["tags"] == ["b", "c", "d"]


def test_a_text_counts_as_a_list_of_one() -> None:
    found = merged(BASE, BASE.replace("tags: [a, b]", "tags: c"), BASE.replace("[a, b]", "[a, d]"))

    assert fields(found)["tags"] == ["c", "d"]


def test_of_two_titles_the_later_one_counts_and_the_other_is_kept() -> None:
    one = BASE.replace("A title", "Ana's title").replace("ttl", "updated: 2026-11-22T00:00:00Z\nttl")
    other = BASE.replace("A title", "Bob's title").replace("ttl", "updated: 2026-11-21T00:00:00Z\nttl")

    found = merged(BASE, one, other)

    assert fields(found)["title"] == "Ana's title"
    assert fields(found)["conflict"] == [{"field": "title", "other": "Bob's title", "by": "Bob"}]
    assert fields(found)["updated"] == "2026-11-22T00:00:00Z"
    assert found.conflicts == ("title",)


def test_of_one_sentence_changed_twice_both_versions_stay_and_no_marker() -> None:
    found = merged(BASE, BASE.replace("Two.", "Two, says Ana."), BASE.replace("Two.", "Two, says Bob."))

    assert body(found).startswith("One.\n\n> **Two versions, to settle.** ")
    assert "\nTwo, says Ana.\n" in body(found) and "\nTwo, says Bob.\n" in body(found)
    assert "Ana wrote:" in body(found) and "Bob wrote:" in body(found)
    assert not any(mark in body(found) for mark in ("<<<<", "====", ">>>>"))
    assert fields(found)["conflict"][0]["field"] == "body"


def test_a_command_and_its_counterexample_stay_together() -> None:
    base = memory_text("T", kind="fact", verify="test -f a")
    one = memory_text("T", kind="fact", verify="test -f b", refute="rm b", updated="2026-11-22T00:00:00Z")
    other = memory_text("T", kind="fact", verify="test -f c", refute="rm c", updated="2026-11-21T00:00:00Z")

    found = merged(base, one, other)

    assert (fields(found)["verify"], fields(found)["refute"]) == ("test -f b", "rm b")
    assert {"field": "verify", "other": "test -f c", "by": "Bob"} in fields(found)["conflict"]


def test_field_removed_on_one_side_and_changed_on_the_other_stays() -> None:
    found = merged(BASE, BASE.replace("ttl: 30d\n", ""), BASE.replace("ttl: 30d", "ttl: 10d"))

    assert fields(found)["ttl"] == "10d"


def test_resolved_conflict_stays_resolved() -> None:
    open_ = BASE.replace("ttl", "conflict: [{field: title, other: x}]\nttl")

    found = merged(open_, open_.replace("conflict: [{field: title, other: x}]\n", ""), open_.replace("One", "1"))

    assert "conflict" not in fields(found)


def test_conflicts_of_both_sides_are_in_one_order_even_if_none_is_new() -> None:
    retired, of_body = "{field: retired, by: Ana}", "{field: body, by: [Ana, Cleo]}"
    base = BASE.replace("ttl", "conflict: [{field: title, other: x}]\nttl")
    one = base.replace("[{field", f"[{retired}, {{field").replace("One.", "Later.")
    other = base.replace("x}]", f"x}}, {of_body}]")

    assert [entry["field"] for entry in fields(merged(base, one, other))["conflict"]] == ["body", "retired", "title"]


def test_resolved_conflict_is_removed_and_a_new_one_added() -> None:
    open_ = BASE.replace("ttl", "conflict: [{field: title, other: x}]\nttl")
    more = BASE.replace("ttl", "conflict: [{field: title, other: x}, {field: body, by: z}]\nttl")

    found = merged(open_, BASE, more)

    assert fields(found)["conflict"] == [{"field": "body", "by": "z"}]


def test_a_memory_retired_here_and_changed_there_keeps_the_change_and_says_so() -> None:
    one = BASE.replace("ttl", "retired: {when: 2026-11-22T00:00:00Z}\nttl")

    found = merged(BASE, one, BASE.replace("Two.", "Two, again."), is_forgotten=True)

    assert "Two, again." in body(found)
    assert fields(found)["conflict"] == [{"field": "retired", "by": "Bob"}]


TASK = memory_text(
    "Do it", kind="task", state="open", attempts="[{num: 1, outcome: failed, who: z, when: 2026-01-01T00:00:00Z}]"
)


def claimed(who: str, when: str) -> str:
    return TASK.replace("state: open", f"state: claimed\nclaimed: {{num: 2, who: {who}, when: {when}}}")


def test_of_two_who_claim_a_task_the_first_has_it_and_the_other_is_told() -> None:
    found = merged(TASK, claimed("ana", "2026-11-21T10:00:00Z"), claimed("bob", "2026-11-21T09:00:00Z"))

    assert fields(found)["state"] == "claimed"
    assert fields(found)["claimed"]["who"] == "bob"
    assert fields(found)["conflict"][0]["other"]["who"] == "ana"
    assert found.conflicts == ("claimed",)


def test_attempts_of_both_sides_are_all_there_in_order() -> None:
    one = TASK.replace("}]", "}, {num: 2, outcome: failed, who: ana, when: 2026-03-01T00:00:00Z}]")
    other = TASK.replace("}]", "}, {num: 2, outcome: released, who: bob, when: 2026-02-01T00:00:00Z}]")

    found = merged(TASK, one, other)

    assert [(a["num"], a["who"]) for a in fields(found)["attempts"]] == [(1, "z"), (2, "bob"), (3, "ana")]


def test_a_closed_task_is_closed_whatever_the_other_side_did() -> None:
    closed = TASK.replace("state: open", "state: closed\nclosed: {when: 2026-11-22T00:00:00Z, who: ana}")

    found = merged(TASK, closed, claimed("bob", "2026-11-21T09:00:00Z"))

    assert fields(found)["state"] == "closed"
    assert "claimed" not in fields(found)


def test_a_file_that_is_no_memory_gives_way_to_one_that_is() -> None:
    found = merged(BASE, b"no memory at all\n", BASE.replace("One", "1"))

    assert found == MergedMemory(BASE.replace("One", "1").encode(), ("unreadable",))


def test_two_memories_that_are_too_much_for_one_leave_the_later_with_a_word() -> None:
    one = BASE.replace("Two.", "x " * 20_000)
    other = BASE.replace("Two.", "y " * 20_000)

    found = merged(BASE, one, other)

    assert len(found.content) < 64 * 1024
    assert fields(found)["conflict"][0]["field"] == "body"


def test_a_name_of_a_commit_is_no_markup_and_hides_nothing() -> None:
    sides = [Version(BASE.replace("Two", t).encode(), lambda: "\x1b[2J<b>*\u202eE" + "v" * 200) for t in ("1", "2")]

    found = unite(BASE.encode(), sides[0], sides[1], path=PATH)

    head = next(line for line in body(found).split("\n") if line.endswith("wrote:"))
    assert head.isprintable() and len(head) < 120 and "<b>" not in head


VALUES = st.sampled_from([None, "x", "y: z", 1, 1.5, True, ["a"], ["a", "b", "c"], [{"k": "v"}], {"k": "v"}, "a\nb\n"])
NAMES = ("title", "tags", "requires", "verify", "ttl", "unknown", "more")
MEMORIES = st.tuples(
    st.dictionaries(st.sampled_from(("unknown", "more", "again")), VALUES, max_size=3),
    st.fixed_dictionaries({}, optional={"title": st.sampled_from("abc"), "tags": st.lists(st.sampled_from("abc"))}),
    st.lists(st.sampled_from(["One.", "Two.", "", "> Three"]), max_size=4),
)


@given(st.none() | MEMORIES, MEMORIES, MEMORIES)
def test_any_two_memories_make_one_memory_that_is_the_same_either_way(base: Any, one: Any, other: Any) -> None:
    texts = [m and format_memory({**m[1], **m[0]}, "".join(f"{x}\n" for x in m[2])) for m in (base, one, other)]

    found = merged(*texts)

    document = parse(found.content, path=PATH)
    if base is None:  # nobody removed anything
        said = [line for text in texts[1:] for line in parse(text, path=PATH).body.split("\n")]
        assert set(said) <= set(document.body.split("\n"))
    if texts[1] == texts[0]:
        assert found.content == texts[2].encode()


@each("name", ["created", "updated", "by", "superseded_by", "project"])
def test_fields_written_by_gitmem_never_conflict(name: str) -> None:
    texts = [memory_text("T", **{name: value}) for value in ("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")]

    found = merged(None, *texts)

    assert found.conflicts == ()
    assert fields(found)[name] == ("2026-01-01T00:00:00Z" if name == "created" else "2026-02-01T00:00:00Z")


def orders(texts: list[str], who: Callable[[str], str]) -> set[bytes]:
    """Merge three versions in every order, two at a time, and return what comes of it."""

    def version(text: str) -> Version:
        return Version(text.encode(), lambda: who(str(parse(text.encode(), path=PATH).fields["updated"])))

    found = set()
    for first, second, third in permutations(texts):
        both = unite(BASE.encode(), version(first), version(second), path=PATH).content.decode()
        found.add(unite(BASE.encode(), version(both), version(third), path=PATH).content)
    return found


def one_of(number: int, title: str, text: str, ttl: str) -> str:
    stamp = f"ttl: {ttl}\nupdated: 2026-11-0{number}T00:00:00Z"
    return BASE.replace("A title", title).replace("Two.", text).replace("ttl: 30d", stamp)


def test_of_three_conflicting_versions_each_is_named_in_one_order() -> None:
    texts = [one_of(n, f"{name}'s", f"Two, {name}.", f"{n}1d") for n, name in enumerate(("Cem", "Bob", "Ana"), 1)]

    found = orders(texts, lambda updated: {"1": "Cem", "2": "Bob", "3": "Ana"}[updated[9]])

    assert len(found) == 1
    document = parse(found.pop(), path=PATH)
    assert (document.fields["title"], document.fields["conflict"]) == (
        "Ana's",
        [
            {"field": "body", "by": ["Ana", "Bob", "Cem"]},
            {"field": "title", "other": "Bob's", "by": "Bob"},
            {"field": "title", "other": "Cem's", "by": "Cem"},
            {"field": "ttl", "other": "11d", "by": "Cem"},
            {"field": "ttl", "other": "21d", "by": "Bob"},
        ],
    )
    assert document.body == (
        "One.\n\n> **Three versions, to settle.** Ana wrote:\n\nTwo, Ana.\n\n> Bob wrote:\n\nTwo, Bob.\n\n"
        "> Cem wrote:\n\nTwo, Cem.\n\n> **End of the three versions.**\n"
    )


@settings(max_examples=8)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Ana's", "Bob's", "Cem's"]),
            st.sampled_from(["Two, a.", "Two, b.", "Two, c.", ""]),
            st.sampled_from(["60d", "90d"]),
        ),
        min_size=3,
        max_size=3,
    )
)
def test_of_three_conflicting_versions_every_order_of_merging_makes_the_same(drawn: list[tuple[str, str, str]]) -> None:
    texts = [one_of(number, *one) for number, one in enumerate(drawn, 1)]

    assert len(orders(texts, lambda _: "Ana")) == 1


TITLES, TTLS, BODIES = ("A title", "Red", "Blue"), ("30d", "60d", "90d"), ("Two.", "Two, red.", "Two, blue.")


@settings(max_examples=12)
@given(
    st.lists(
        st.tuples(st.integers(1, 2), st.sampled_from(TITLES), st.sampled_from(BODIES), st.sampled_from(TTLS)),
        min_size=3,
        max_size=3,
    )
)
def test_whoever_changed_which_fields_when_every_order_of_merging_names_the_same(
    drawn: list[tuple[int, str, str, str]],
) -> None:
    edits = [
        MemoryEdit(at, who, BASE.encode(), one_of(1, *rest).encode())
        for who, (at, *rest) in zip(("Ana", "Bob", "Cem"), drawn, strict=True)
    ]
    found = set()
    for first, second, third in permutations(edits):
        sides = [Version(one.after, lambda: "", partial(list, [one])) for one in (first, second, third)]
        both = unite(BASE.encode(), *sides[:2], path=PATH).content
        joined = Version(both, lambda: "", partial(list, [first, second]))
        found.add(unite(BASE.encode(), joined, sides[2], path=PATH).content)

    assert len(found) == 1, [one.decode() for one in found]


def test_of_versions_of_which_each_side_removed_another_the_last_is_no_conflict() -> None:
    def with_versions(*texts: str) -> str:
        block = format_versions([Lines("Ana", text) for text in texts])
        return BASE.replace("tags:", "conflict: [{field: body, by: [Ana]}]\ntags:").replace("Two.\n", block)

    found = merged(with_versions("a", "b", "c"), with_versions("a", "b"), with_versions("a", "c"))

    assert (body(found), found.conflicts, "conflict" in fields(found)) == ("One.\n\na\n", (), False)

from __future__ import annotations

import hashlib
import shlex

from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.document.parse import parse
from gitmem.document.spec import check_of, claim_hash, format_check, format_spec, spec_hash, spec_of
from gitmem.frozen import fields_of, replace
from gitmem.model import BUILTIN, PROGRAM, SHELL, Check, Document, Spec


def make(lines: str, body: str = "") -> Document:
    return parse(f"---\ntitle: x\n{lines}---\n{body}", path="facts/x.md")


def spec(lines: str) -> Spec | None:
    return spec_of(make(lines), setup="make deps", default_timeout_s=60, folders=())


@each(
    ("lines", "check"),
    [
        ("verify: grep -q a b\n", Check(SHELL, ("grep -q a b",))),
        ('verify: [grep, "-q", a b]\n', Check(PROGRAM, ("grep", "-q", "a b"))),
        ("verify: {exists: src/a.py}\n", Check(BUILTIN, ("exists", "src/a.py"))),
        ("verify: {in: src/**, contains: x}\n", Check(BUILTIN, ("contains", "x", "src/**"))),
        ("kind: task\n", None),
        ("schema: 2\nverify: 'true'\n", None),
    ],
    ids=["shell", "program", "built-in", "built-in in any order", "none", "newer file"],
)
def test_check_is_distinguished_from_its_form(lines: str, check: Check | None) -> None:
    assert check_of(make(lines)) == check


def test_shell_command_has_everything_in_its_specification() -> None:
    found = spec("verify: a\nrefute: b\ntimeout: 5m\nnetwork: true\n")

    assert found == Spec(Check(SHELL, ("a",)), "make deps", "sh", 300, True, "b")


def test_program_needs_no_interpreter_and_takes_the_default_time_limit() -> None:
    assert spec("verify: [a]\n") == Spec(Check(PROGRAM, ("a",)), "make deps", "", 60, False, "")


def test_built_in_check_has_no_setup_and_no_time_limit() -> None:
    assert spec("verify: {exists: a}\ntimeout: 5m\nnetwork: true\n") == Spec(Check(BUILTIN, ("exists", "a")))


def test_memory_without_a_check_has_no_specification() -> None:
    assert spec("ttl: 3d\n") is None


BASE = Spec(Check(SHELL, ("a", "b")), setup="s", interpreter="sh", timeout_s=60, network=False, refute="r")
CHANGES = {
    "check": Check(PROGRAM, ("a", "b")),
    "setup": "t",
    "interpreter": "bash",
    "timeout_s": 61,
    "network": True,
    "refute": "",
    "folders": ("node_modules",),
    "outside": True,
    "variables": ("CI",),
}


@each("name", list(fields_of(BASE)))
def test_every_field_of_a_specification_changes_its_hash(name: str) -> None:
    changed = replace(BASE, **{name: CHANGES[name]})

    assert spec_hash(changed) != spec_hash(BASE)


@each("words", [("a",), ("b", "a"), ("ab",), ("a", "b", ""), ("a", "b "), ("a", "c")])
def test_every_word_of_a_check_changes_its_hash(words: tuple[str, ...]) -> None:
    assert spec_hash(replace(BASE, check=Check(SHELL, words))) != spec_hash(BASE)


word = st.text(st.sampled_from("a1:2,;\n\0"), max_size=3)
listed = st.lists(st.sampled_from(["a", "outside", "variables", "folders", "1"]), max_size=3).map(tuple)
specs = st.builds(
    lambda form, words, *rest: Spec(Check(form, tuple(words)), *rest),
    st.sampled_from([SHELL, PROGRAM, BUILTIN]),
    st.lists(word, max_size=3),
    word,
    word,
    st.integers(0, 11),
    st.booleans(),
    word,
    listed,
    st.booleans(),
    listed,
)


@given(specs, specs)
def test_no_two_specifications_share_a_hash(one: Spec, other: Spec) -> None:
    assert (spec_hash(one) == spec_hash(other)) == (one == other)


def test_hash_of_a_specification_never_changes_between_versions() -> None:
    parts = ["gitmem-spec-1", "shell", "2", "a", "b", "s", "sh", "60", "False", "r"]
    data = "".join(f"{len(part)}:{part}" for part in parts).encode()

    assert spec_hash(BASE) == hashlib.sha256(data).hexdigest()


def test_folder_named_like_a_part_of_the_specification_is_not_taken_for_it() -> None:
    pairs = [
        ({"folders": ("a", "outside")}, {"folders": ("a",), "outside": True}),
        ({"folders": ("a", "variables", "CI")}, {"folders": ("a",), "variables": ("CI",)}),
    ]

    for one, other in pairs:
        assert spec_hash(replace(BASE, **one)) != spec_hash(replace(BASE, **other))


def test_setup_of_the_policy_changes_the_hash_of_each_command() -> None:
    document = make("verify: a\n")
    found = [spec_of(document, setup=setup, default_timeout_s=60, folders=()) for setup in ("", "make")]

    assert len({spec_hash(one) for one in found if one is not None}) == 2


def test_folders_of_the_policy_are_part_of_each_command_and_of_no_built_in_check() -> None:
    kinds = ("verify: a\n", "verify: {exists: a}\n")
    found = [spec_of(make(lines), setup="", default_timeout_s=60, folders=(".venv",)) for lines in kinds]

    assert [one.folders for one in found if one is not None] == [(".venv",), ()]
    assert found[0] is not None
    assert format_spec(found[0]) == "a  [sees .venv]"


def test_variables_are_shown_with_the_command_in_one_order_and_are_part_of_no_built_in_check() -> None:
    one, other = (spec(f"verify: a\nenv: [{names}]\n") for names in ("B, A, B", "A, B"))

    assert one == other
    assert one is not None
    assert one.variables == ("A", "B")
    assert format_spec(one) == "a  [setup: make deps]  [sees the variables A, B]"
    assert spec("verify: {exists: a}\nenv: [A]\n") == Spec(Check(BUILTIN, ("exists", "a")))


def test_claim_is_its_title_and_body_and_nothing_else() -> None:
    one = make("verify: a\ntags: [x]\n", "Body.\n")
    other = make("verify: b\nttl: 3d\n", "Body.\n")

    assert claim_hash(one) == claim_hash(other)
    assert len(claim_hash(one)) == 64


@each("body", ["Body!\n", "Bo\ndy.\n", "  Body.\n", ""])
def test_other_words_are_another_claim(body: str) -> None:
    assert claim_hash(make("", body)) != claim_hash(make("", "Body.\n"))


def test_other_title_is_another_claim() -> None:
    one, other = (parse(f"---\ntitle: {title}\n---\nb\n", path="x.md") for title in ("a", "b"))

    assert claim_hash(one) != claim_hash(other)


def test_words_cannot_move_between_title_and_body_unnoticed() -> None:
    one, other = (Document("x", "", {"title": title}, body, "") for title, body in (("a\nb", "c"), ("a", "b\nc")))

    assert claim_hash(one) != claim_hash(other)


@each("body", ["\n\na\r\nb\r\n", "a\rb", "a\nb", "a\nb\n\n\n"])
def test_line_breaks_of_another_kind_are_the_same_claim(body: str) -> None:
    assert claim_hash(make("", body)) == claim_hash(make("", "a\nb\n"))


@given(st.lists(st.text(st.characters(codec="ascii", exclude_characters="\0"), max_size=6), min_size=1, max_size=4))
def test_a_program_is_shown_as_a_shell_would_read_it(words: list[str]) -> None:
    assert shlex.split(format_check(Check(PROGRAM, tuple(words)))) == words


@each(
    ("check", "shown"),
    [
        (Check(SHELL, ("grep -q 'a b' x",)), "grep -q 'a b' x"),
        (Check(BUILTIN, ("exists", "src/a.py")), "{exists: src/a.py}"),
        (Check(BUILTIN, ("contains", "RS256", "src/**")), "{contains: RS256, in: src/**}"),
        (Check(BUILTIN, ("value", "a.toml#b", "", "", "^1")), "{value: a.toml#b, within: ^1}"),
        (Check(BUILTIN, ("agree", "a#b", "c#d")), "{agree: [a#b, c#d]}"),
    ],
    ids=["shell", "exists", "contains", "value", "agree"],
)
def test_a_check_is_shown_as_a_person_would_type_it(check: Check, shown: str) -> None:
    assert format_check(check) == shown

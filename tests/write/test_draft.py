"""A draft: title, key, tags and metadata from typed text, and everything that is refused."""

from __future__ import annotations

import pytest
from conftest import NOW, memory_text
from hypothesis import assume, example, given
from hypothesis import strategies as st
from support.each import each

from gitmem.cli import fact, remember
from gitmem.cli.parser import parser_of
from gitmem.config import Config
from gitmem.document.parse import parse
from gitmem.errors import RefusedError
from gitmem.policy import Policy
from gitmem.policy import load as load_policy
from gitmem.policy.kinds import IMPORT
from gitmem.policy.settings import FIELDS
from gitmem.store import layout
from gitmem.text.hazards.hidden_characters import find_hidden
from gitmem.write import draft as drafts
from gitmem.write.draft import (
    HASH_TEXT,
    KEY_TEXT,
    TITLE_LIMIT,
    Author,
    Draft,
    automatic_key,
    check_file,
    clean_body,
    clean_text,
    is_line_reference,
    key_from,
    make_draft,
    refuse_typed,
    short_hash,
    split_title,
    unite_fields,
    validate_text,
)
from gitmem.write.new_memory import NewMemory

ANA = Author("Ana", "", "service")
POLICY = Policy.from_dict({})
# Put together here, so that no scanner takes this file for a leak.
SECRET = "AK" + "IA" + "IOSFODNN7" + "QWERTYU"
OVERRIDE = "\u202e"
LONG = "The gateway drops every request that carries no trace id. " + "It answers 502 and logs nothing at all. " * 4


def made(text="The gateway drops requests", *, title="", kind="learned", key="", author=ANA, policy=POLICY, **options):
    return make_draft(NewMemory(text, options, title, kind, key), author=author, policy=policy, now=NOW)


def checked(draft, policy=POLICY):
    """Return the memory that a draft becomes."""
    return validate_text(draft.key, draft.fields, draft.body, policy=policy, path=f"{draft.key}.md")


# --- title and body -------------------------------------------------------------------------------------------------


@each(
    ("text", "title", "body"),
    [
        pytest.param("Deploys need VPN", "Deploys need VPN", "", id="one short line"),
        pytest.param("Deploys need VPN.", "Deploys need VPN", "", id="its full stop goes"),
        pytest.param("And so on...", "And so on...", "", id="an ellipsis stays"),
        pytest.param("# Deploys\n\nThey need VPN.\n", "Deploys", "They need VPN.", id="a Markdown heading"),
        pytest.param(LONG.strip(), "The gateway drops every request that carries no trace id", LONG.strip(),
                     id="of a long line the first sentence, and the whole text stays"),
        pytest.param("--- Ports are odd", "Ports are odd", "", id="dashes before words"),
        pytest.param("---\nPorts are odd\nHere too", "Ports are odd", "Here too", id="a line of dashes"),
        pytest.param("---\ntags: [a]\n---\n\nPorts are odd", "Ports are odd", "---\ntags: [a]\n---\n\nPorts are odd",
                     id="a frontmatter, which stays"),
        pytest.param("+++\na = 1\n+++\nPorts are odd", "Ports are odd", "+++\na = 1\n+++\nPorts are odd",
                     id="a frontmatter in TOML"),
        pytest.param("---\ntags: [a]\n---\n---\n", "tags: [a]", "---\n---", id="nothing but a frontmatter"),
        pytest.param("--force deletes it", "--force deletes it", "", id="an option"),
        pytest.param("---\n-----", "", "", id="nothing but dashes"),
    ],
)  # fmt: skip
def test_title_is_made_of_the_text_and_no_word_of_it_is_lost(text, title, body):
    assert split_title(clean_text(text), "") == (title, body)


def test_title_of_a_long_sentence_is_cut_between_words():
    text = "word " * 60

    title, body = split_title(text.strip(), "")

    assert title == " ".join(["word"] * 19) + "…"
    assert body == text.strip()


def test_given_title_leaves_the_whole_text_as_the_body():
    assert split_title("one. two", " A title\r\n") == ("A title", "one. two")


@given(
    st.text(
        st.characters(exclude_categories=("C", "Zl", "Zp")) | st.sampled_from("\n\t\r\x00"), min_size=1, max_size=400
    )
)
@example("x" * 150)
@example("👩\u200d👩\u200d👧" * 40)
@example("می\u200cخواهم" * 30)
def test_made_title_fits_on_a_line_and_hides_nothing_that_the_text_did_not(text):
    text = clean_text(text)
    assume(text and not find_hidden(text))

    title, body = split_title(text, "")

    assert len(title) <= TITLE_LIMIT
    assert "\n" not in title
    assert not find_hidden(title)
    assert body in ("", text) or text.endswith(body)


@each(("typed", "kept"), [("a\r\nb\rc", "a\nb\nc"), ("e\u0301", "é"), ("\n  a \t\n", "a")])
def test_typed_text_is_kept_in_one_form(typed, kept):
    assert clean_text(typed) == kept


@each(
    ("typed", "title", "stored"),
    [
        ("\r\n    if a:\r\n        b\n", "T", ("T", "    if a:\n        b")),
        ("Run this\n\n\tif a:\n\t\tb\n", "", ("Run this", "\tif a:\n\t\tb")),
        ("  one line ", "T", ("T", "one line")),
        ("  Run this\nand that", "", ("Run this", "and that")),
    ],
)
def test_code_keeps_the_indentation_of_its_first_line(typed, title, stored):
    assert split_title(clean_body(typed), title) == stored


@each("text", ["", "  \n\t ", "#", "."])
def test_empty_text_is_refused(text):
    with pytest.raises(RefusedError, match="the text is empty") as refused:
        made(text)

    assert refused.value.exit_status == 2
    assert "gitmem remember" in refused.value.hint


# --- key (A2) -------------------------------------------------------------------------------------------------------


@each(
    ("kind", "text", "key"),
    [
        ("learned", "The gateway drops requests", "the-gateway-drops-requests"),
        ("anti_pattern", "Don't mock git", "dont-mock-git"),
        ("gotcha", "Größe: café/naïve.py", "grosse-cafe-naive-py"),
        ("decision", "Decision: keep five retries", "keep-five-retries"),
        ("anti_pattern", "Anti-pattern: mocks of git", "mocks-of-git"),
        ("decision", "Decisions: where they are kept", "decisions-where-they-are-kept"),
        ("fact", "Fact: 网关", f"fact-{short_hash('Fact: 网关')}"),
        ("learned", LONG, "the-gateway-drops-every-request-that"),
    ],
)
def test_key_is_a_slug_of_the_first_words(kind, text, key):
    assert automatic_key(kind, text) == key
    assert made(text, kind=kind).key == key


def test_key_of_a_long_text_does_not_say_its_beginning_twice():
    text = "Short. " + "Then comes a sentence that is much longer than a line. " * 4

    assert made(text).key == "short-then-comes-a-sentence-that-is"


def test_key_does_not_say_the_frontmatter():
    assert made("---\ntitle: x\ntags: [a]\n---\nPorts are odd").key == "ports-are-odd"


def test_key_is_cut_between_words():
    assert automatic_key("learned", "a" * 30 + " bcdefghijklmn opq") == "a" * 30


@each("text", ["网关丢弃请求", "🚀🚀", "——"])
def test_text_without_a_slug_gets_a_key_of_its_own(text):
    assert automatic_key("learned", text) == f"learned-{short_hash(text)}"
    assert automatic_key("learned", text) != automatic_key("learned", text + text)


@given(st.from_regex(r"[a-z][a-z_]{0,38}[a-z]", fullmatch=True), st.text(min_size=1, max_size=200))
@example("a" * 40, "b" * 60)
@example("con", "x")
def test_automatic_key_can_be_a_key(kind, text):
    key = automatic_key(kind, text)

    assert layout.is_key(key)
    assert len(key) <= max(KEY_TEXT, len(kind) + HASH_TEXT)


@each("key", ["../x", "A", "a b", "a/b", ".a", "a.", "con", "a..b", "k" * 101, "é", "a\n"])
def test_key_that_could_not_be_a_file_name_is_refused_with_one_that_could(key):
    with pytest.raises(RefusedError, match="invalid key") as refused:
        made(key=key)

    hinted = refused.value.hint.removeprefix("--key ")
    assert hinted == "a-name" or set(hinted) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


def test_explicit_key_is_used_unchanged():
    draft = made(key="auth.uses_rs256")

    assert (draft.key, draft.is_explicit) == ("auth.uses_rs256", True)
    assert not made().is_explicit


# --- tags (A3) and metadata (C10) -----------------------------------------------------------------------------------


def test_tags_are_found_in_title_and_body():
    draft = made("Retries\n\nThe OAuth login runs under pytest.")

    assert draft.fields["tags"] == ["auth", "testing"]


def test_given_tags_come_first_and_none_twice():
    assert made("The login is slow", tags=["ops", "auth"]).fields["tags"] == ["ops", "auth"]


def test_words_of_the_policy_give_tags():
    policy = load_policy('[tags.words]\npayments = ["stripe"]\nauth = []\n', file="gitmem.toml")

    assert made("Stripe's login", policy=policy).fields["tags"] == ["payments"]


def test_text_without_such_words_has_no_tags():
    assert "tags" not in made("The sky is blue").fields


def test_required_metadata_is_made():
    draft = made()

    assert draft.fields["created"] == "2026-09-21T14:13:20Z"
    assert draft.fields["project"] == "service"
    assert draft.fields["importance"] == "medium"
    assert draft.fields["by"] == {"who": "Ana"}
    assert set(draft.made) == {"created", "project", "importance", "by"}


def test_agent_is_named_beside_the_person():
    assert made(author=Author("Ana", "dev", "service")).fields["by"] == {"who": "Ana", "agent": "dev"}


def test_given_metadata_is_not_made():
    draft = made(importance="high", created="2020-01-01T00:00:00Z")

    assert draft.fields["importance"] == "high"
    assert draft.fields["created"] == "2020-01-01T00:00:00Z"
    assert set(draft.made) == {"project", "by"}


def test_empty_options_are_left_out_and_zero_is_not_empty():
    draft = made(ttl="", paths=[], task=None, confidence=0.0)

    assert not {"ttl", "paths", "task"} & set(draft.fields)
    assert draft.fields["confidence"] == 0.0


@each("name", ["A\x1b[31mna", "An\u202ea", "Ana\nverify: rm -rf /", "A\u0301na"])
def test_name_of_the_author_hides_nothing_and_keeps_no_one_from_writing(name):
    document = checked(made(author=Author(name, "", name)))

    assert not find_hidden(document.text)
    assert "verify" not in document.fields


def test_draft_reads_back_as_the_memory_that_was_meant():
    draft = made(LONG, kind="gotcha", tags=["ops"], paths=["src/**"], refs=["src/a.py:3"], confidence=0.5)

    document = checked(draft)

    assert document.fields == draft.fields
    assert document.body == draft.body == LONG.strip() + "\n"
    assert (document.key, document.kind, document.title) == (draft.key, "gotcha", draft.fields["title"])


# --- what is refused ------------------------------------------------------------------------------------------------


@each(
    "typed",
    [
        pytest.param({"text": f"the key is {SECRET}"}, id="text"),
        pytest.param({"title": f"the key is {SECRET}"}, id="title"),
        pytest.param({"key": SECRET}, id="key"),
        pytest.param({"tags": [SECRET]}, id="tag"),
        pytest.param({"refs": [f"https://example.org/?k={SECRET}"]}, id="reference"),
        pytest.param({"verify": f"curl -H 'X-Key: {SECRET}' example.org"}, id="command"),
        pytest.param({"verify": ["curl", SECRET]}, id="program"),
        pytest.param({"by": {"who": SECRET}}, id="inside a mapping"),
        pytest.param({"extra": {SECRET: [1]}}, id="a mapping's key"),
    ],
)
def test_secret_is_refused_anywhere_and_never_repeated(typed):
    with pytest.raises(RefusedError) as refused:
        checked(made(**typed))

    assert "seems to contain a secret" in refused.value.message
    assert SECRET not in f"{refused.value.message}{refused.value.hint}"
    assert SECRET.lower() not in f"{refused.value.message}{refused.value.hint}"


@each("field", ['"{}"', '["{}"]', '{{a: "{}"}}', '{{"{}": a}}', '[{{a: ["{}"]}}]'])
def test_secret_spelt_in_escapes_is_refused(field):
    spelt = "".join(f"\\x{ord(char):02x}" for char in SECRET)

    with pytest.raises(RefusedError, match="seems to contain a secret"):
        check_file("a", memory_text("A", extra=field.format(spelt)), policy=POLICY, path="a.md")


def test_only_a_rule_that_the_persons_own_configuration_allows_does_not_refuse():
    with pytest.raises(RefusedError) as refused:
        refuse_typed("the text", SECRET, POLICY)
    rule = refused.value.message.split("(")[1].split(" in line")[0]

    with pytest.raises(RefusedError):
        refuse_typed("the text", SECRET, load_policy(f'[secrets]\nallow = ["{rule}"]\n', file="gitmem.toml"))
    refuse_typed("the text", SECRET, POLICY.with_own(Config(secrets_allow=(rule,), stop_push=False)))


@each(
    "typed",
    [
        pytest.param({"text": f"run{OVERRIDE} this"}, id="text"),
        pytest.param({"title": "zero\u200bwidth"}, id="title"),
        pytest.param({"tags": ["a\x1b[31m"]}, id="tag"),
        pytest.param({"verify": "true\rrm -rf ~"}, id="command"),
        pytest.param({"requires": ["a\U000e0041"]}, id="link"),
    ],
)
def test_hidden_character_is_refused_by_its_name(typed):
    with pytest.raises(RefusedError) as refused:
        checked(made(**typed))

    assert not find_hidden(refused.value.message)


def test_hidden_character_is_reported_with_its_place():
    with pytest.raises(RefusedError, match=r"line 2, column 4 has RIGHT-TO-LEFT OVERRIDE \(U\+202E\), and 1 more"):
        made(f"one\nrun{OVERRIDE} this{OVERRIDE}")


def test_hidden_character_spelt_in_escapes_is_refused():
    text = memory_text("A", verify='"true\\u202e"')

    with pytest.raises(RefusedError):
        check_file("a", text, policy=POLICY, path="a.md")


@each("form", [lambda t: t.replace("\n", "\r\n"), lambda t: f"\ufeff{t}"], ids=["crlf", "bom"])
def test_form_of_a_file_from_windows_hides_nothing(form):
    text = form(memory_text("A", body="text\n"))

    assert check_file("a", text, policy=POLICY, path="a.md").title == "A"


@each("text", [memory_text("A", body="a\rb\n"), memory_text("A", body="a\ufeffb\n")])
def test_carriage_return_or_byte_order_mark_inside_the_text_is_refused(text):
    with pytest.raises(RefusedError, match="line 5, column 2"):
        check_file("a", text, policy=POLICY, path="a.md")


@each(
    ("fields", "message"),
    [
        ({"kind": "../x"}, "`kind` must be one word"),
        ({"ttl": "soon"}, "`ttl` must be a length of time"),
        ({"confidence": 2}, "`confidence` must be a number from 0 to 1"),
        ({"importance": "huge"}, "`importance` must be one of"),
        ({"verify": {"exists": "../x"}}, "not a path inside the repository"),
        ({"timeout": 0}, "`timeout` must be"),
    ],
)
def test_field_that_cannot_be_used_is_refused_before_it_is_written(fields, message):
    with pytest.raises(RefusedError, match=message):
        checked(made(**{"kind": "learned", **fields}))


def test_memory_that_would_be_too_large_to_read_is_refused():
    with pytest.raises(RefusedError, match="would be too large"):
        checked(made("title\n" + "x" * layout.MEMORY_LIMIT))


def test_fact_without_a_check_is_refused_with_where_such_prose_belongs():
    with pytest.raises(RefusedError, match="a fact needs a check that proves it") as refused:
        checked(made(kind="fact"))

    assert "--kind convention" in refused.value.hint


@each("refs", [[], ["src/auth/jwt.py"], ["https://example.org:8080"], ["T-12"]])
def test_code_pattern_without_lines_of_code_is_refused(refs):
    with pytest.raises(RefusedError, match="a code_pattern needs a reference to lines of code") as refused:
        checked(made(kind="code_pattern", refs=refs))

    assert is_line_reference(refused.value.hint.removeprefix("--ref "))


def test_code_pattern_with_lines_of_code_is_taken():
    assert checked(made(kind="code_pattern", refs=["T-12", "src/auth/jwt.py:89-145"])).kind == "code_pattern"


@each(
    ("ref", "names_lines"),
    [
        ("src/a.py:1", True), ("src/a.py:89-145", True), ("a:b.py:7", True),
        ("src/a.py", False), ("src/a.py:", False), (":12", False), ("src/a.py:0", False), ("src/a.py:1-2-3", False),
        ("src/a.py:x", False), ("src/a.py:1-", False), ("src/a.py:٣", False), ("https://example.org:443", False),
    ],
)  # fmt: skip
def test_line_reference_is_a_path_and_a_line_or_two(ref, names_lines):
    assert is_line_reference(ref) is names_lines


def policy_requiring(*names):
    listed = ", ".join(f'"{name}"' for name in names)
    return load_policy(f"[kinds.runbook]\nrequired = [{listed}]\n", file="gitmem.toml")


def test_missing_metadata_is_refused_with_the_options_that_give_it():
    policy = policy_requiring("paths", "tags", "task", "created")

    with pytest.raises(RefusedError, match="a runbook needs paths, tags, task") as refused:
        checked(made(kind="runbook", policy=policy), policy)

    assert refused.value.hint == "add --path … --tag … --task …"


def test_options_named_in_that_hint_exist():
    message = parser_of("remember", remember).format_help() + parser_of("fact", fact).format_help()

    for name, option in drafts.OPTIONS.items():
        assert name in FIELDS
        assert f"--{option} " in message or f"--{option}," in message or name == "kind"


@each(("name", "value"), [("priority", 0), ("confidence", 0.0), ("network", False)])
def test_zero_is_a_value_of_required_metadata(name, value):
    policy = policy_requiring(name)

    assert checked(made(kind="runbook", policy=policy, **{name: value}), policy).fields[name] == value


@each("value", ["", "[]", "null"])
def test_empty_required_metadata_is_missing(value):
    text = memory_text("A", kind="runbook", domains=value)

    with pytest.raises(RefusedError, match="needs domains"):
        check_file("a", text, policy=policy_requiring("domains"), path="a.md")


@each("kind", ["decision", "discussion", "session", "convention"])
def test_kinds_of_the_shared_collections_need_project_time_and_importance(kind):
    text = memory_text("A", kind=kind)

    with pytest.raises(RefusedError, match="needs project, created, importance"):
        check_file("a", text, policy=POLICY, path="a.md")


@each(("fields", "what"), [({"superseded_by": "a"}, "supersede"), ({"requires": ["b", "a"]}, "require")])
def test_memory_cannot_take_its_own_place_or_rest_on_itself(fields, what):
    with pytest.raises(RefusedError, match=f"a cannot {what} itself"):
        check_file("a", memory_text("A", **fields), policy=POLICY, path="learned/a.md")


def test_text_that_is_no_memory_is_refused_with_its_line():
    with pytest.raises(RefusedError, match="a: line 3: not valid YAML") as refused:
        check_file("a", "---\ntitle: [\n---\n", policy=POLICY, path="a.md")

    assert refused.value.exit_status == 2


@given(st.text(max_size=200), st.text(max_size=60))
def test_whatever_is_typed_is_refused_or_reads_back(text, title):
    try:
        draft = made(text, title=title)
        document = checked(draft)
    except RefusedError as refused:
        assert refused.message
        return

    assert parse(document.text, path="a.md").fields == draft.fields
    assert document.body == draft.body
    assert not find_hidden(document.text)


@each(
    ("given", "kept"),
    [("src/auth", "src/auth"), ("/w/shop/src/auth/", "src/auth"), ("/w/shop", "."), ("/home/ana/secret/docs", "docs")],
)
def test_folder_is_named_as_in_every_clone(given: str, kept: str) -> None:
    author = Author("Ana", "", "service", top="/w/shop")
    made = drafts.make_draft(
        NewMemory("Ports are fixed", {"workspace": given}),
        author=author,
        policy=load_policy("", file="gitmem.toml"),
        now=NOW,
    )

    assert made.fields["workspace"] == kept


# --- written again ----------------------------------------------------------------------------------------------------


BEFORE = {"title": "Old", "kind": "learned", "tags": ["a"], "ttl": "30d", "created": "then", "retired": {"by": "x"}}


@each(
    ("is_explicit", "expected"),
    [
        (True, {"title": "New", "kind": "learned", "tags": ["b"], "created": "then"}),
        (False, {"title": "New", "kind": "learned", "tags": ["a", "b"], "ttl": "30d", "created": "then"}),
    ],
    ids=["with-a-key", "without"],
)
def test_with_a_key_the_second_time_counts_and_without_both_unite(
    is_explicit: bool, expected: dict[str, object]
) -> None:
    new = {"title": "New", "kind": "learned", "tags": ["b"], "created": "now"}

    assert unite_fields(BEFORE, new, Draft("k", is_explicit, new, "", ("created",))) == expected


def test_new_check_takes_nothing_of_the_old_one_over() -> None:
    before = {"title": "T", "kind": "fact", "verify": "old", "refute": "rm x", "timeout": "5s"}
    new = {"title": "T", "kind": "fact", "verify": ["grep", "-q", "x", "y"]}

    assert unite_fields(before, new, Draft("k", False, new, "")) == new


@each(
    ("name", "key"),
    [("auth-key", "auth-key"), ("Auth Key", "auth-key"), ("nul", "key-nul"), ("AUX", "key-aux"), ("com1", "key-com1")],
)
def test_name_from_elsewhere_becomes_a_key_that_a_store_accepts(name: str, key: str) -> None:
    assert key_from(name) == key
    assert layout.is_key(key_from(name))


@given(st.text(max_size=200))
def test_any_name_becomes_a_key_or_nothing(name: str) -> None:
    made = key_from(name)

    assert made == "" or layout.is_key(made)


def test_misspelt_kind_is_refused_and_a_new_one_or_an_imported_one_is_not():
    with pytest.raises(RefusedError, match="unknown kind: decisions") as refused:
        made(kind="decisions")

    assert "--kind decision;" in refused.value.hint
    assert made(kind="milestone").kind == "milestone"
    imported = NewMemory("Use Redis", {}, "", "decisions", "", IMPORT)
    assert make_draft(imported, author=ANA, policy=POLICY, now=NOW).kind == "decisions"

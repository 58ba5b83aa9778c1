from __future__ import annotations

from support.each import each

from gitmem.document.yaml.scalars import is_key, is_name, is_plain, is_plain_inside, is_text, resolve


@each(
    ("text", "value"),
    [
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("0", 0),
        ("-7", -7),
        ("999999999999999999", 999_999_999_999_999_999),
        ("0.25", 0.25),
        ("-1.50", -1.5),
    ],
)
def test_plain_word_has_its_type(text: str, value: object) -> None:
    found = resolve(text)

    assert (type(found), found) == (type(value), value)


@each(
    "text",
    [
        *("yes", "no", "on", "off", "True", "NULL", "2026-11-21", "2026-11-21T09:30:00Z", "1:30", "1:1:1", "017", "00"),
        *("0x1F", "0o17", "1_000", "1e3", "1.5e3", ".5", "5.", ".nan", ".inf", "+5", "-0", "-", "--1", "1.2.3", "30d"),
        *("9" * 19, "9" * 20_000, "1." + "5" * 25, "²", "٣", "1.٣", "=", "<<"),
    ],
)
def test_other_words_stay_text_as_written(text: str) -> None:
    assert resolve(text) == text


@each(
    "text", ["grep -q RS256 src/auth/jwt.py", "a:b", "a#b", "don't", 'say "x"', "x -> y", "src/**", "(a)", "$HOME", "é"]
)
def test_harmless_text_needs_no_quotes(text: str) -> None:
    assert is_plain(text)


@each(
    "text",
    [
        *("", " a", "a ", "a: b", "a:", "a #b", "a\nb", "a\tb", "a\u00a0b", "a\u202eb", "\ufeffa"),
        *(f"{c}a" for c in "-?:,[]{}#&*!|>%@`\"'"),
    ],
)
def test_text_that_yaml_would_cut_or_misread_needs_quotes(text: str) -> None:
    assert not is_plain(text)


@each("text", ["a,b", "a]", "[a", "{a", "a}", "what?", "a::b", "a:", 'a:"b', "a:[b"])
def test_text_that_brackets_would_cut_needs_quotes_inside_them(text: str) -> None:
    assert not is_plain_inside(text)


@each("text", ["a", "a b", "https://x.org/a#b", "src/jwt.py:89-145", "T-12"])
def test_references_need_no_quotes_inside_brackets(text: str) -> None:
    assert is_plain_inside(text)


@each("text", ["yes", "Off", "True", "n", "12", "0.5", "~"])
def test_words_that_are_no_text_to_another_reader_are_reported(text: str) -> None:
    assert not is_text(text)


@each(
    ("text", "expected"),
    [("title", True), ("x-y", True), ("_a1", True), ("true", False), ("-a", False), ("1a", False), ("a b", False),
     ("é", False), ("", False), ("a" * 101, False)],
)  # fmt: skip
def test_names_that_need_no_quotes(text: str, expected: bool) -> None:
    assert is_name(text) is expected


def test_key_is_short_and_shows() -> None:
    assert is_key("my field")
    assert not any(map(is_key, ("", "a" * 101, "a\nb", "a\u200bb")))

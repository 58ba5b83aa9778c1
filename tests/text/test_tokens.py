"""One analysis cuts memories and queries: what should match gives the same terms, and any text gives valid ones."""

from __future__ import annotations

import re
import time
import unicodedata

import pytest
import Stemmer
from hypothesis import given, settings
from hypothesis import strategies as st
from support.each import each
from support.hard_texts import joined_text

from gitmem.text import tokens as analysis
from gitmem.text.tokens import GENERAL, joined_terms, query_terms, snippet, terms


@each(
    ("text", "expected"),
    [
        pytest.param("Tokens are signed", ["token", "sign"], id="stop-words-and-stems"),
        pytest.param("snake_case", ["snakecas", "snake", "case"], id="snake-case"),
        pytest.param("camelCase", ["camelcas", "camel", "case"], id="camel-case"),
        pytest.param("HTTPServer2", ["httpserver2", "http", "server"], id="acronym-and-digit"),
        pytest.param("os.path.join", ["ospathjoin", "os", "path", "join"], id="dotted"),
        pytest.param("src/auth/jwt.py", ["srcauthjwtpi", "src", "auth", "jwt", "py"], id="path"),
        pytest.param("a/jwt_key.py:12", ["ajwtkeypi", "jwtkey", "jwt", "key", "py", "12"], id="identifier-in-a-path"),
        pytest.param("__init__", ["init"], id="underscores-around"),
        pytest.param("RS256", ["rs256", "rs", "256"], id="letters-and-digits"),
        pytest.param("--no-verify", ["verifi"], id="option"),
        pytest.param("3.11 v2 404", ["311", "11", "v2", "404"], id="numbers"),
        pytest.param("the user's", ["user"], id="apostrophe"),
        pytest.param("C++ and C++17", ["cplusplus", "cplusplus17", "cplusplus", "17"], id="c-plus-plus"),
        pytest.param("(c#), F#.", ["csharp", "fsharp"], id="c-sharp"),
        pytest.param("main.c#12 src#L1 abc++ C#x", ["mainc", "main", "12", "src", "l1", "abc", "c", "x"], id="signs"),
        pytest.param("認証トークン", ["認証", "証ト", "トー", "ーク", "クン"], id="unspaced-script"),
        pytest.param("犬 JWTの犬", ["犬", "jwt", "の犬"], id="unspaced-between-words"),
        pytest.param("имя_поля", ["имяполя", "имя", "поля"], id="cyrillic-snake-case"),
        pytest.param("Don't, won’t: can't", [], id="contractions"),
        pytest.param("we dont panic", ["panic"], id="contraction-without-apostrophe"),
        pytest.param("the .NET SDK", ["dotnet", "dot", "net", "sdk"], id="name-that-begins-with-a-dot"),
        pytest.param("ASP.NET example.net", ["aspnet", "asp", "net", "examplenet", "exampl", "net"], id="dot-inside"),
        pytest.param("Щукин и щукин", ["щукин", "shchukin", "и", "щукин"], id="cyrillic-name"),
        pytest.param("___ ./. -", [], id="no-word"),
        pytest.param("a" * 65, ["a" * 64], id="too-long"),
        pytest.param("x/" * 70 + "jwt", ["jwt"], id="path-too-long-to-match-whole"),
    ],
)
def test_text_is_cut_into(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_names_of_programming_languages_differ() -> None:
    assert len({tuple(terms(name)) for name in ("C", "C++", "C#", "F", "F#")}) == 5
    assert query_terms("Größe in C++") == ["gross", "cplusplus"]


@each("language", ["english", "german", "none"])
def test_each_emoji_is_a_word_of_letters(language: str) -> None:
    found = [analysis.all_terms(text, language) for text in ("🚀", "🔥", "✅", "🎉", "☐", "🧵")]

    assert [len(one) for one in found] == [1] * 6
    assert len({one[0] for one in found}) == 6
    assert all(one[0].isalpha() and one[0].isascii() for one in found)


@each(("text", "name"), [("Спросите Сергея Щукина", "сергея"), ("Юлия Жукова ушла", "Zhukova")])
def test_name_in_cyrillic_is_found_in_either_script(text: str, name: str) -> None:
    assert set(query_terms(name)) <= set(terms(text))


@each("text", ["Now and then", "Don't", "can’t"])
def test_field_of_stop_words_alone_has_their_terms_as_a_query_does(text: str) -> None:
    assert set() != set(query_terms(text)) <= set(joined_terms(text).split())
    assert joined_terms("the gateway").split() == terms("the gateway")


@each(
    ("one", "other"),
    [
        pytest.param("Café Größe", "cafe grosse", id="accents"),
        pytest.param("café", "cafe\u0301", id="composed-or-not"),
        pytest.param("authen\u00adtication", "authentication", id="soft-hyphen"),
        pytest.param("ＪＷＴ", "jwt", id="full-width"),
        pytest.param("İstanbul", "istanbul", id="dotted-capital-i"),
        pytest.param("SIGNING", "signed", id="case-and-inflection"),
        pytest.param("src/auth/jwt.py", "src.auth.jwt.py", id="path-or-module"),
        pytest.param("don't panic", "dont panic", id="contraction"),
        pytest.param("👍🏽", "👍", id="colour-of-skin"),
        pytest.param("launch🚀now", "launch 🚀 now", id="emoji-beside-words"),
    ],
)
def test_spellings_of_one_word_give_the_same_terms(one: str, other: str) -> None:
    assert terms(one) == terms(other) != []


@given(joined_text)
def test_every_term_is_lower_case_letters_and_digits_of_at_most_64(text: str) -> None:
    for term in terms(text):
        assert term.isalnum()
        assert term == term.lower()
        assert 1 <= len(term) <= 64


@given(joined_text, joined_text)
def test_terms_do_not_depend_on_what_stands_around_or_came_before(one: str, other: str) -> None:
    together = terms(f"{one}\n{other}")

    analysis._speech("english").terms.clear()

    assert terms(one) + terms(other) == together


def test_memo_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "_MEMO_SIZE", 50)
    analysis._speech("english").terms.clear()

    found = terms(" ".join(f"word{i}" for i in range(490)) + " " + "y" * 5000)

    assert len(found) == 10 * 2 + 480 * 3 + 1
    assert 0 < len(analysis._speech("english").terms) <= 50
    assert max(map(len, analysis._speech("english").terms)) <= 64


def test_format_stamp_names_what_terms_depend_on() -> None:
    assert unicodedata.unidata_version in analysis.format_stamp()
    assert re.fullmatch(r"\d+ stemmer [\d.]+ unicode [\d.]+", analysis.format_stamp())


@each(
    ("text", "expected"),
    [
        pytest.param("What does the gateway do?", ["gateway"], id="question-words"),
        pytest.param("how are tokens signed, and which tokens?", ["token", "sign"], id="each-once-in-order"),
        pytest.param("what is who", ["what", "is", "who"], id="nothing-else"),
        pytest.param("to be or not to be", ["to", "be", "or", "not"], id="stop-words-only"),
        pytest.param("?!*", [], id="no-word"),
        pytest.param("", [], id="empty"),
        pytest.param('title:"x" OR auth* NEAR(a b) -jwt ^"', ["titl", "x", "auth", "near", "b", "jwt"], id="syntax"),
        pytest.param("a\x00b jwt\x00", ["b", "jwt"], id="nul"),
    ],
)
def test_query_asks_for(text: str, expected: list[str]) -> None:
    assert query_terms(text) == expected


def test_memory_is_found_by_a_question_word_that_a_query_has_alone() -> None:
    assert set(query_terms("why?")) <= set(terms("Notes on why we left"))


def test_query_of_ten_megabytes_is_read_in_part_and_at_once() -> None:
    text = " ".join(f"w{i}" for i in range(1_300_000))
    assert len(text) > 10_000_000

    start = time.process_time()
    found = query_terms(text)

    assert found[0] == "w0"
    assert len(found) == analysis.MAX_QUERY_TERMS
    assert time.process_time() - start < 10, "it takes 0.1 s, and what grows with the square takes minutes"


BODY = """# Gateway
Some words that lead to the matter slowly, as bodies of memories often do, and a token of thanks.

```python
def check(token): ...
```
The gateway verifies each JWT signature with RS256; see src/auth/jwt_key.py there.
Nothing more is to be said about it, but it is said all the same and at some length.
"""


@each("width", [20, 40, 80, 160, 1000])
def test_snippet_shows_the_passage_with_most_terms_within_the_width(width: int) -> None:
    shown, spans = snippet(BODY, query_terms("JWT signature?"), width=width)

    assert [shown[a:b] for a, b in spans][:2] == ["JWT", "signature"]
    assert len(shown) <= width
    assert "```" not in shown
    assert "\n" not in shown


def test_snippet_says_where_it_was_cut() -> None:
    shown, _ = snippet(BODY, query_terms("signature"), width=60)

    assert shown == "…each JWT signature with RS256; see src/auth/jwt_key.py…"


def test_snippet_of_a_short_body_is_the_whole_body() -> None:
    assert snippet("one\n\n  two `three`", [], width=30) == ("one two `three`", [])


def test_snippet_without_a_match_is_the_beginning() -> None:
    assert snippet(BODY, ["absent"], width=30) == ("# Gateway Some words that…", [])


@each(
    ("query", "marked"),
    [
        pytest.param("jwt_key", ["jwt", "key"], id="parts-of-a-path"),
        pytest.param("src/auth/jwt_key.py", ["src/auth/jwt_key.py"], id="whole-path"),
        pytest.param("verify", ["verifies"], id="inflected"),
        pytest.param("RS256", ["RS256"], id="digits"),
    ],
)
def test_snippet_marks(query: str, marked: list[str]) -> None:
    line = "The gateway verifies with RS256; see src/auth/jwt_key.py there."

    shown, spans = snippet(line, query_terms(query), width=200)

    assert [shown[a:b] for a, b in spans] == marked


def test_snippet_shows_words_that_are_not_written_as_their_terms() -> None:
    text = "🚀 Use .NET, we won't say C++"

    assert snippet(text, query_terms("🚀 .NET C++"), width=80) == (text, [(7, 10)])


def test_snippet_marks_pairs_of_an_unspaced_script_as_one_span() -> None:
    shown, spans = snippet("期限とJWTトークン", query_terms("トークン"), width=40)

    assert [shown[a:b] for a, b in spans] == ["トークン"]


def test_snippet_shows_composed_accents_and_finds_them() -> None:
    shown, spans = snippet("le re\u0301sume\u0301", query_terms("resume"), width=40)

    assert [shown[a:b] for a, b in spans] == ["résumé"]


@given(joined_text, joined_text, st.integers(min_value=20, max_value=60))
def test_snippet_is_one_line_with_sorted_separate_spans(body: str, query: str, width: int) -> None:
    shown, spans = snippet(body * 3, query_terms(query), width=width)

    assert len(shown) <= width
    assert shown == " ".join(shown.split())
    edges = [edge for span in spans for edge in span]
    assert edges == sorted(set(edges))
    assert all(0 <= edge <= len(shown) for edge in edges)


@given(st.lists(st.sampled_from(["alpha", "beta", "gamma_ray", "delta/x.py", "of", "HTTPServer"]), max_size=40))
def test_everything_marked_is_a_wanted_term(words: list[str]) -> None:
    wanted = query_terms("beta ray server")

    shown, spans = snippet(" ".join(words), wanted, width=50)

    marked = [shown[a:b] for a, b in spans]
    assert all(set(terms(text)) & set(wanted) for text in marked)
    assert bool(marked) == bool({"beta", "gamma_ray", "HTTPServer"} & set(words))


@given(st.text(alphabet="abdeilgnstyABDS_./09é", max_size=14))
def test_a_snippet_marks_whatever_has_a_term(text: str) -> None:
    assert [term for term in terms(text) if not snippet(text, [term], width=60)[1]] == []


def test_snippet_of_a_large_body_is_quick() -> None:
    body = "token " * 20_000

    start = time.process_time()
    shown, _ = snippet(body, ["token"], width=80)

    assert shown.startswith("token")
    assert time.process_time() - start < 10, "it takes 0.1 s, and what grows with the square takes minutes"


def test_no_stop_word_is_a_term() -> None:
    assert terms(" ".join(sorted(GENERAL))) == []


def test_compounds_are_distinguished_word_by_word() -> None:
    assert analysis.compounds("The auth.jwt of snake_case, kept") == [
        ("authjwt", "auth", "jwt"),
        ("snakecas", "snake", "case"),
        ("kept",),
    ]


ALIKE = [
    ("german", "Häuser", "Haus"),
    ("german", "Häuser", "hauser"),
    ("german", "gemäß DER Straße", "strasse"),
    ("french", "les mémoires partagées", "mémoire"),
    ("french", "création", "CREATION"),
    ("russian", "новые таблицы", "новый"),
    ("spanish", "las conexiones", "conexión"),
    ("finnish", "taloissa", "talot"),
    ("turkish", "İstanbul", "istanbul"),
    ("hindi", "किताबें", "किताब"),
    ("none", "Hélène", "helene"),
]


@each(("language", "text", "other"), ALIKE, ids=[f"{row[0]} {row[2]}" for row in ALIKE])
def test_words_of_a_language_meet_by_its_stems(language: str, text: str, other: str) -> None:
    assert set(terms(text, language)) & set(query_terms(other, language))


@each(("language", "text"), [("english", "Häuser Haus"), ("none", "houses house")])
def test_stems_are_those_of_the_language_alone(language: str, text: str) -> None:
    assert len(set(terms(text, language))) == 2


def test_stop_words_are_those_of_the_language() -> None:
    assert terms("der Schlüssel und die Tür", "german") == ["schlussel", "tur"]
    assert terms("the key of it", "none") == ["the", "key", "of", "it"]
    assert query_terms("und wo", "german") == ["und", "wo"]


@pytest.mark.parametrize("language", ["none", *Stemmer.algorithms()])
@given(st.text(max_size=80))
@settings(max_examples=10)
def test_terms_of_every_language_can_be_kept_and_asked_for(language: str, text: str) -> None:
    found = terms(text, language)

    assert all(0 < len(term) <= 64 and term.split() == [term] and term == term.lower() for term in found)
    assert set(query_terms(text, language)) >= set(found) or set(found) >= set(query_terms(text, language))


def test_snippet_marks_what_has_the_stem_in_its_language() -> None:
    found, marks = snippet(
        "Die Häuser_Liste und alle Häuser", query_terms("Haus", "german"), width=60, language="german"
    )

    assert [found[a:b] for a, b in marks] == ["Häuser_Liste", "Häuser"]


ascii_text = st.text(st.sampled_from("aB1_./-\n\t\x00\x1c` ") | st.characters(max_codepoint=127), max_size=60)


@pytest.mark.parametrize("language", ["english", "german", "none"])
@given(text=ascii_text)
def test_ascii_is_cut_into_the_terms_of_its_chunks(language, text):
    speech = analysis._speech(language)
    for memo, found in ((speech.every, analysis.all_terms(text, language)), (speech.terms, terms(text, language))):
        assert found == [term for chunk in speech.chunks(text) for term in memo[chunk]]


hard_text = st.text(
    st.sampled_from("aAbBzZ09_./- \n'éßŁ日ไ०ा½\u0301\u00ad—٣Α") | st.characters(codec="utf-8"), max_size=40
)


@given(hard_text)
def test_words_and_their_parts_are_those_of_the_patterns(text: str) -> None:
    pieces = analysis.GAPS.fill(text, with_emoji=False).split()
    chunks = [chunk for piece in pieces for chunk in analysis._split_piece(piece)]

    assert chunks == re.findall(r"\w+(?:[./]\w+)*", text)
    for chunk in chunks:
        parts = [match.span() for match in re.finditer(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", chunk)]
        assert analysis._humps(chunk) == parts
        if chunk.isascii():
            assert analysis._find_humps()(chunk) == [chunk[start:end] for start, end in parts]
